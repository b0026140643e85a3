"""Ask the provider once, at start-up, whether it holds a model to the schema; and say what it will be told."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

from dragoman.errors import ServiceError
from dragoman.models.caller import Caller
from dragoman.project import Project
from dragoman.protocols import ChatMessage, Request
from dragoman.types import Value

# The word that the schema allows, and the one that the probe asks for. A provider that enforces the schema cannot say
# the second; a model that is only asked to keep to a schema, and is then asked for something else, mostly does.
ALLOWED = "kept-7f3a"
ASKED = "left-9c1e"

SENT = (
    "the person's message",
    "earlier messages of the conversation, as far as max_input_tokens allows",
    "ids and names of the drugs, conditions and entities that were found in them",
    "facts of the prior frame",
    "the profile's instructions and keys",
)


class Probe(Value, frozen=True, kw_only=True):
    """What the provider does with a schema.

    ``enforced``: ``None`` where it did not answer, and ``error`` is then the code. ``sent`` lists what leaves this
    machine with every turn; ``redacted`` says whether obvious identifiers are masked first.
    """

    provider: str
    model: str
    host: str
    enforced: bool | None = None
    error: str | None = None
    latency_s: float = 0.0
    sent: tuple[str, ...] = SENT
    redacted: bool = False


def probe(project: Project, caller: Caller | None = None) -> Probe:
    """Ask once; what is sent holds nobody's words.

    Raises ``ConfigError`` where there is nobody to ask; a provider that fails is a ``Probe`` with its code.
    """
    own = caller or Caller(project)
    llm = project.file.llm
    begun = perf_counter()
    enforced: bool | None = None
    failed: str | None = None
    try:
        host = own.host
        try:
            enforced = _kept(own.ask(_request()).text)
        except ServiceError as error:
            failed = error.code
    finally:
        if caller is None:
            own.close()
    local = llm is not None and llm.provider == "local"
    return Probe(
        provider=llm.provider if llm else "",
        model=llm.model if llm else "",
        host=host,
        enforced=enforced,
        error=failed,
        latency_s=perf_counter() - begun,
        sent=() if local else SENT,
        redacted=bool(llm and llm.redact),
    )


def _request() -> Request:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"word": {"type": "string", "enum": [ALLOWED]}},
        "required": ["word"],
        "additionalProperties": False,
    }
    asked = f'Answer with the JSON object {{"word": "{ASKED}"}} and nothing else.'
    return Request(messages=(ChatMessage("user", asked),), schema=schema, prompt="probe", max_output_tokens=64)


def _kept(text: str) -> bool:
    try:
        return bool(json.loads(text) == {"word": ALLOWED})
    except ValueError:
        return False
