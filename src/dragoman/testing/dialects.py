"""The envelopes of the providers' APIs: how each wraps a text, says why it stopped, and carries a JSON schema.

Told apart by the request's path. Fields as documented by each provider for a reply that is not streamed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

Stop = Literal["stop", "length", "content_filter", "refusal"]


class Dialect(NamedTuple):
    """One provider's API, as far as a single structured reply goes."""

    name: str
    path: str
    wrap: Callable[[str, Stop, str], dict[str, Any]]
    schema: Callable[[dict[str, Any]], Any]


def of_path(path: str) -> Dialect | None:
    """The dialect that is spoken at ``path`` (without its query), if one is known."""
    return next((dialect for dialect in DIALECTS if path.endswith(dialect.path)), None)


def texts(value: Any) -> Iterator[str]:
    """Every string inside a request body's messages, whatever the dialect calls them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def _openai(text: str, stop: Stop, model: str) -> dict[str, Any]:
    refused = stop == "refusal"
    return {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None if refused else text,
                    "refusal": text if refused else None,
                },
                "finish_reason": "stop" if refused else stop,
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150},
    }


def _anthropic(text: str, stop: Stop, model: str) -> dict[str, Any]:
    reasons = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal", "refusal": "refusal"}
    return {
        "id": "msg_fake",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}] if text and reasons[stop] != "refusal" else [],
        "stop_reason": reasons[stop],
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 50},
    }


def _gemini(text: str, stop: Stop, model: str) -> dict[str, Any]:
    reasons = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY", "refusal": "PROHIBITED_CONTENT"}
    candidate: dict[str, Any] = {"index": 0, "finishReason": reasons[stop]}
    if stop in ("stop", "length"):
        candidate["content"] = {"role": "model", "parts": [{"text": text}]}
    return {
        "candidates": [candidate],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 50, "totalTokenCount": 150},
        "modelVersion": model,
        "responseId": "gemini-fake",
    }


def _bedrock(text: str, stop: Stop, model: str) -> dict[str, Any]:
    reasons = {
        "stop": "end_turn",
        "length": "max_tokens",
        "content_filter": "content_filtered",
        "refusal": "guardrail_intervened",
    }
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": text}]}},
        "stopReason": reasons[stop],
        "usage": {"inputTokens": 100, "outputTokens": 50, "totalTokens": 150},
        "metrics": {"latencyMs": 1},
    }


def _at(*keys: str) -> Callable[[dict[str, Any]], Any]:
    def find(body: dict[str, Any]) -> Any:
        value: Any = body
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    return find


DIALECTS = (
    Dialect("openai", "/chat/completions", _openai, _at("response_format", "json_schema", "schema")),
    Dialect("anthropic", "/v1/messages", _anthropic, _at("output_config", "format", "schema")),
    Dialect("gemini", ":generateContent", _gemini, _at("generationConfig", "responseJsonSchema")),
    Dialect(
        "bedrock",
        "/converse",
        _bedrock,
        _at("outputConfig", "textFormat", "structure", "jsonSchema", "schema"),
    ),
)
