"""The tools as the official client sees them: in memory, as a process on stdio, and over HTTP."""

from __future__ import annotations

import contextlib
import logging
import re
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import msgspec
import pytest

mcp = pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp import Client, StdioServerParameters  # noqa: E402

from dragoman import Dragoman  # noqa: E402
from dragoman.cli import main  # noqa: E402
from dragoman.serve.mcp import INSTRUCTIONS, MAX_BODY, server  # noqa: E402
from dragoman.serve.mcp_tools import TOOLS, schema  # noqa: E402

NAMES = ["understand_query", "enrich_query", "resolve_drugs", "lookup_term"]
SECRET = "Zwaluwstraat 17 hypothyreoïdie"

ASKED = ("amoxicillin", "zyrtec", "Glucophage", "Aspirinol")  # words of the calls below

Connect = Callable[[], AbstractAsyncContextManager[Client]]


@pytest.fixture(scope="module")
def formulary() -> Dragoman:
    return Dragoman.demo("formulary")


def _answers(url: str) -> None:
    """Wait until something listens: the address is told when the port is chosen."""
    place = urlsplit(url)
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection((str(place.hostname), place.port or 80), 1):
            return
        time.sleep(0.1)
    raise TimeoutError(url)


@pytest.fixture(scope="module")
def http() -> Iterator[str]:
    """The address of `dragoman mcp --http`, a process of its own."""
    command = [sys.executable, "-m", "dragoman", "mcp", "--http", "--port", "0", "--project", "demo-formulary"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        _answers(found[0])
        yield found[0]
        process.terminate()
        assert process.wait(30) in (0, -15)
        written = process.stderr.read()
        assert not [word for word in ASKED if word in written]


@pytest.fixture(params=["memory", "stdio", "http"])
def connect(request: pytest.FixtureRequest, formulary: Dragoman, tmp_path: Path) -> Connect:
    """The official client, connected in one of the three ways."""
    if request.param == "memory":
        return lambda: Client(server(formulary))
    if request.param == "http":
        url = request.getfixturevalue("http")
        return lambda: Client(url)
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "dragoman", "mcp", "--project", "demo-formulary"]
    )

    @asynccontextmanager
    async def process() -> AsyncIterator[Client]:
        async with Client(parameters) as client:
            yield client

    return process


def ask(connect: Connect, talk: Callable[[Client], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with connect() as client:
            return await talk(client)

    return anyio.run(run)


def test_the_tools_are_found_with_their_schemas(connect: Connect) -> None:
    async def talk(client: Client) -> Any:
        return await client.list_tools()

    tools = ask(connect, talk).tools
    assert [t.name for t in tools] == NAMES
    for tool in tools:
        assert "no medical advice" in tool.description
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.open_world_hint is False  # without [llm] nothing leaves the machine


def test_a_question_and_its_follow_up_are_understood(connect: Connect) -> None:
    first = "amoxicillin 500 cho bé 12 kg"

    async def talk(client: Client) -> Any:
        one = await client.call_tool("understand_query", {"text": first})
        two = await client.call_tool(
            "understand_query",
            {
                "text": "còn tác dụng phụ?",
                "history": [{"role": "user", "text": first}],
                "prior_frame": one.structured_content["frame"],
            },
        )
        return one, two

    one, two = ask(connect, talk)
    assert not one.is_error
    assert one.structured_content["frame"]["drugs"] == ["amoxicilin"]
    assert one.structured_content["enrichment"]["text"].startswith(first)
    assert msgspec.json.decode(one.content[0].text) == one.structured_content
    assert two.structured_content["frame"]["drugs"] == ["amoxicilin"]
    assert two.structured_content["frame"]["context_action"] == "continue"


def test_a_query_is_enriched_and_a_term_looked_up(connect: Connect) -> None:
    async def talk(client: Client) -> Any:
        return (
            await client.call_tool("enrich_query", {"text": "zyrtec", "language": "en"}),
            await client.call_tool("lookup_term", {"term": "Glucophage"}),
        )

    enriched, found = ask(connect, talk)
    assert enriched.structured_content["text"] == "zyrtec (Cetirizin)"
    assert [d["id"] for d in found.structured_content["drugs"]] == ["metformin"]


def test_a_look_alike_is_no_drug(connect: Connect) -> None:
    async def talk(client: Client) -> Any:
        return await client.call_tool("resolve_drugs", {"text": "Aspirinol có tác dụng phụ gì?"})

    found = ask(connect, talk).structured_content
    assert found["drugs"] == []
    assert [(m["text"], m["status"]) for m in found["mentions"]] == [("Aspirinol", "unknown")]


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("understand_query", {}, "`text`"),
        ("understand_query", {"text": 5}, "Expected `str`"),
        ("understand_query", {"text": "x", "history": [{"role": "user"}]}, "history"),
        ("enrich_query", {"text": "x", "lang": "nl"}, "unknown field `lang`"),
        ("enrich_query", {"text": "x" * 4001}, "the limit is 4000"),
        ("lookup_term", {"term": "x" * 4001}, "the limit is 4000"),
        ("understand_query", {"text": "x", "language": "xx"}, "none of those read here: vi"),
        ("enrich_query", {"text": "x", "language": "english"}, "none of those read here: vi"),
        ("resolve_drugs", {"text": "x", "language": "fr-BE"}, "none of those read here: vi"),
        ("lookup_term", {"text": "x"}, "see the input schema of lookup_term"),
        ("give_advice", {"text": "x"}, "there are: understand_query, enrich_query"),
    ],
)
def test_what_a_caller_can_mend_is_a_tool_error_with_advice(
    formulary: Dragoman, tool: str, arguments: dict[str, Any], says: str
) -> None:
    async def talk(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    answer = ask(lambda: Client(server(formulary)), talk)
    assert answer.is_error is True
    assert says in answer.content[0].text


def test_a_crash_is_told_and_logged_without_the_text(
    formulary: Dragoman, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(turn: Any) -> None:
        raise RuntimeError(turn.text)

    monkeypatch.setattr(formulary, "enrich", crash)

    async def talk(client: Client) -> Any:
        return await client.call_tool("enrich_query", {"text": SECRET})

    with caplog.at_level(logging.DEBUG):
        answer = ask(lambda: Client(server(formulary)), talk)
    assert answer.is_error is True
    assert "RuntimeError" in answer.content[0].text
    assert "crashed with RuntimeError" in caplog.text
    assert SECRET not in caplog.text + answer.content[0].text


@pytest.mark.parametrize("tool", NAMES)
def test_no_log_holds_what_is_asked(formulary: Dragoman, caplog: pytest.LogCaptureFixture, tool: str) -> None:
    async def talk(client: Client) -> Any:
        key = "term" if tool == "lookup_term" else "text"
        await client.call_tool(tool, {key: SECRET})
        return await client.call_tool(tool, {key: SECRET, SECRET: SECRET})

    with caplog.at_level(logging.DEBUG):
        assert ask(lambda: Client(server(formulary)), talk).is_error
    assert SECRET not in caplog.text


def test_a_newer_index_is_taken_up(tmp_path: Path) -> None:
    folder = tmp_path / "clinic"
    assert main(["init", str(folder), "--profile", "formulary", "--language", "en"]) == 0
    assert main(["build", "--project", str(folder)]) == 0
    engine = Dragoman.open(folder)
    aliases = folder / "aliases.csv"

    async def talk(client: Client) -> Any:
        before = await client.call_tool("lookup_term", {"term": "Fantasol"})
        drug = (folder / "drugs.csv").read_text("utf-8").splitlines()[1].split(",")[0]
        aliases.write_text(aliases.read_text("utf-8").rstrip("\n") + f"\n{drug},Fantasol,brand,en\n", "utf-8")
        assert main(["build", "--project", str(folder)]) == 0
        return before, await client.call_tool("lookup_term", {"term": "Fantasol"})

    before, after = ask(lambda: Client(server(engine, reload=True)), talk)
    assert before.structured_content["drugs"] == []
    assert len(after.structured_content["drugs"]) == 1


def test_over_http_a_strange_host_and_a_large_body_are_refused(http: str) -> None:
    from urllib.parse import urlsplit

    at = urlsplit(http)
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    for extra, sent, status in (
        ({}, body, 200),
        ({"Host": "evil.example"}, body, 421),
        ({"Origin": "https://evil.example"}, body, 403),
        ({}, b" " * (MAX_BODY + 1), 413),
    ):
        connection = http_client(at.hostname, at.port)
        connection.request("POST", at.path, sent, headers | extra)
        assert connection.getresponse().status == status, (extra, len(sent))
        connection.close()


def http_client(host: str | None, port: int | None) -> Any:
    import http.client

    return http.client.HTTPConnection(host or "", port, timeout=30)


def test_a_port_that_is_taken_is_said(capsys: pytest.CaptureFixture[str], http: str) -> None:
    port = http.rsplit(":", 1)[1].partition("/")[0]
    assert main(["mcp", "--http", "--port", port, "--project", "demo-formulary"]) == 2
    assert f"cannot listen on 127.0.0.1:{port}" in capsys.readouterr().err


def test_a_missing_extra_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    for name in [n for n in sys.modules if n.startswith(("mcp.", "dragoman.serve.mcp"))]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["mcp", "--project", "demo-formulary"]) == 2
    assert 'pip install "dragoman[mcp]"' in capsys.readouterr().err


def test_the_instructions_keep_an_agent_from_advice() -> None:
    assert "gives no medical advice" in INSTRUCTIONS
    assert all(schema(t).get("type") == "object" for row in TOOLS for t in (row.takes, row.gives))
