"""The batch formats of OpenAI and Anthropic: one request a line out, one answer a line back.

OpenAI: https://platform.openai.com/docs/api-reference/batch. Anthropic: https://docs.anthropic.com/en/api/creating-message-batches.
An answer may also be written by hand: ``{"custom_id": ..., "reply": {...}}``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dragoman.protocols import Request

SCHEMA_NAME = "query_frame"


class Said(NamedTuple):
    """What one answer came to: the model's ``text``, or the name of a ``fault`` of the provider's."""

    text: str | None = None
    fault: str | None = None


def openai_line(custom_id: str, request: Request, model: str) -> dict[str, Any]:
    """One line of an OpenAI batch file."""
    return {
        "custom_id": custom_id,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "max_completion_tokens": request.max_output_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": SCHEMA_NAME, "strict": True, "schema": request.schema},
            },
        },
    }


def anthropic_line(custom_id: str, request: Request, model: str) -> dict[str, Any]:
    """One request of an Anthropic message batch."""
    system = "\n\n".join(m.content for m in request.messages if m.role == "system")
    return {
        "custom_id": custom_id,
        "params": {
            "model": model,
            "max_tokens": request.max_output_tokens,
            "system": system,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages if m.role != "system"],
            "output_config": {"format": {"type": "json_schema", "schema": request.schema}},
        },
    }


FORMATS: dict[str, Callable[[str, Request, str], dict[str, Any]]] = {
    "openai": openai_line,
    "anthropic": anthropic_line,
}


def read_answer(line: Mapping[str, Any]) -> Said:
    """What a line of an answer file says, whichever format it is in. Never fails: damage is a fault."""
    if "reply" in line:
        return _by_hand(line["reply"])
    if "result" in line:
        return _anthropic(line["result"])
    if line.get("error"):
        return Said(fault=_of_error(line["error"], "server_error"))
    return _openai(line.get("response"))


def _by_hand(reply: Any) -> Said:
    import json

    if isinstance(reply, str):
        return _text(reply)
    return Said(text=json.dumps(reply, ensure_ascii=False)) if isinstance(reply, dict) else Said(fault="malformed")


def _openai(response: Any) -> Said:
    if not isinstance(response, Mapping):
        return Said(fault="malformed")
    status = response.get("status_code", 200)
    body = response.get("body")
    if isinstance(status, int) and status >= 400:
        usual = "rate_limited" if status == 429 else "server_error"
        return Said(fault=_of_error(body.get("error") if isinstance(body, Mapping) else None, usual))
    choice = _first(body, "choices")
    message = choice.get("message")
    if not isinstance(message, Mapping):
        return Said(fault="malformed")
    if message.get("refusal"):
        return Said(fault="refusal")
    stopped = {"content_filter": "content_filter", "length": "truncated"}.get(str(choice.get("finish_reason")))
    return Said(fault=stopped) if stopped else _text(message.get("content"))


def _anthropic(result: Any) -> Said:
    if not isinstance(result, Mapping):
        return Said(fault="malformed")
    if result.get("type") != "succeeded":  # errored, canceled, expired
        return Said(fault="server_error")
    message = result.get("message")
    if not isinstance(message, Mapping):
        return Said(fault="malformed")
    stopped = {"refusal": "refusal", "max_tokens": "truncated"}.get(str(message.get("stop_reason")))
    return Said(fault=stopped) if stopped else _text(message.get("content"))


def _of_error(error: Any, usual: str) -> str:
    code = error.get("code") if isinstance(error, Mapping) else None
    return "content_filter" if code in ("content_filter", "content_policy_violation") else usual


def _first(body: Any, name: str) -> Mapping[str, Any]:
    entries = body.get(name) if isinstance(body, Mapping) else None
    first = entries[0] if isinstance(entries, list) and entries else None
    return first if isinstance(first, Mapping) else {}


def _text(content: Any) -> Said:
    """A text, or the joined text parts of a list of parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        return Said(fault="malformed" if content is not None else "empty")
    return Said(text=content) if content.strip() else Said(fault="empty")
