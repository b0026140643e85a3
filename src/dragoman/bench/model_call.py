"""What a model call costs this machine beside waiting: CPU time over the same request by a bare HTTP client."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from importlib.util import find_spec
from time import process_time
from typing import Any

from dragoman.bench.timing import percentiles
from dragoman.protocols import ChatMessage, Request

CALLS = 200
WARM = 20
IDS = 40  # candidates in the enum
FIELDS = 25  # fields of the reply
PROMPT = 6_000  # characters

# The provider runs in a process of its own, so that its work is not counted.
_SERVER = """
import json, sys
from dragoman.testing import FakeProvider, Step
reply = {f"f{n}": "k1" for n in range(%d)}
with FakeProvider(otherwise=Step(text=json.dumps(reply))) as fake:
    print(fake.base_url, flush=True)
    sys.stdin.read()
"""


def overhead(calls: int = CALLS) -> dict[str, float] | None:
    """Milliseconds of CPU a call, over a bare ``httpx2`` post of the same body; ``None`` without the extra ``llm``."""
    if find_spec("pydantic_ai") is None or find_spec("openai") is None:
        return None
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVER % FIELDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        url = server.stdout.readline().strip() if server.stdout else ""
        ours, bare = asyncio.run(_measure(url, calls))
    finally:
        server.communicate("")
    base = sorted(bare)[len(bare) // 2]
    return percentiles([1000 * (seconds - base) for seconds in ours], 50, 99)


async def _measure(url: str, calls: int) -> tuple[list[float], list[float]]:
    import httpx2

    from dragoman.models import remote
    from dragoman.models.guard import Guarded
    from dragoman.project_tables import LlmTable

    request = _request()
    body = {
        "model": "bench",
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        "response_format": {"type": "json_schema", "json_schema": {"name": "bench", "schema": request.schema}},
    }
    model = Guarded(remote.connect(LlmTable(provider="openai", model="bench", base_url=url), 200_000))
    ours: list[float] = []
    bare: list[float] = []
    async with httpx2.AsyncClient() as client:
        for _ in range(calls + WARM):
            begun = process_time()
            await model.call(request, 30.0)
            between = process_time()
            (await client.post(f"{url}/chat/completions", json=body)).json()
            ours.append(between - begun)
            bare.append(process_time() - between)
    await model.aclose()
    return ours[WARM:], bare[WARM:]


def _request() -> Request:
    ids = [f"drug-{n}" for n in range(IDS)]
    properties: dict[str, Any] = {f"f{n}": {"type": "string", "enum": ids} for n in range(FIELDS)}
    schema = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
    messages = (ChatMessage("system", "x" * PROMPT), ChatMessage("user", "y" * PROMPT))
    return Request(messages=messages, schema=schema, prompt="bench", max_output_tokens=500)
