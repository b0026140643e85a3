"""What a provider can do wrong, as one table: what is sent, and what must become of it.

The tests run every row over real HTTP and through batch answers, and ``docs/reference/faults.md`` is written from it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from dragoman.testing.dialects import Stop
from dragoman.types import SystemError_

UNAVAILABLE: SystemError_ = "understanding_provider_unavailable"
MALFORMED: SystemError_ = "understanding_malformed_output"
REFUSED: SystemError_ = "understanding_refused"

MEGABYTE = 1_000_000


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What the fake provider does with one request.

    ``text`` is what the model says, wrapped as the provider would; ``body`` is sent as it is instead. ``drip_s`` sends
    one byte each so many seconds; ``hang_s`` waits before anything is sent; ``size`` sends that many bytes of a reply
    that never closes; ``reset`` breaks the connection off.
    """

    text: str = ""
    stop: Stop = "stop"
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = {}
    drip_s: float | None = None
    hang_s: float | None = None
    size: int | None = None
    reset: bool = False


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One row: ``system_error`` is what the frame says, ``None`` where the reply is used nevertheless.

    ``steps`` makes the provider's behaviour out of a good reply; ``batch`` false: cannot happen in a file of answers.
    """

    name: str
    what: str
    then: str
    system_error: SystemError_ | None
    steps: Callable[[dict[str, Any]], tuple[Step, ...]]
    batch: bool = True


def _text(reply: dict[str, Any]) -> str:
    return json.dumps(reply, ensure_ascii=False)


def _says(change: Callable[[dict[str, Any]], str], stop: Stop = "stop") -> Callable[[dict[str, Any]], tuple[Step, ...]]:
    return lambda reply: (Step(text=change(reply), stop=stop),)


def _error(status: int, kind: str, **headers: str) -> Step:
    body = {"error": {"message": "the fake provider was told to fail", "type": kind, "code": kind, "param": None}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Step(status=status, body=json.dumps(body).encode(), headers={"content-type": "application/json", **named})


def _invent_id(reply: dict[str, Any]) -> str:
    named = {"drug_id": "no-such-drug", "text": "no-such-drug"}
    return _text({**reply, "drugs": [*reply.get("drugs", []), named]})


_ALL = (
    Fault(
        name="malformed",
        what="text that is not JSON",
        then="refused as malformed",
        system_error=MALFORMED,
        steps=_says(lambda reply: "{" + _text(reply).replace(":", "=>")),
    ),
    Fault(
        name="prose",
        what="sentences around the JSON",
        then="refused as malformed",
        system_error=MALFORMED,
        steps=_says(lambda reply: f"Of course! Here it is:\n{_text(reply)}\nLet me know if you need more."),
    ),
    Fault(
        name="truncated",
        what="JSON cut short at the token limit",
        then="refused as malformed",
        system_error=MALFORMED,
        steps=_says(lambda reply: _text(reply)[: len(_text(reply)) // 2], "length"),
    ),
    Fault(
        name="empty",
        what="no text at all",
        then="refused as malformed",
        system_error=MALFORMED,
        steps=_says(lambda reply: ""),
    ),
    Fault(
        name="extra_field",
        what="a field that the schema forbids",
        then="the field is dropped, the rest is validated",
        system_error=None,
        steps=_says(lambda reply: _text({**reply, "diagnosis": "none of its business"})),
    ),
    Fault(
        name="unknown_id",
        what="a drug id that was not shown",
        then="the id never enters the frame",
        system_error=None,
        steps=_says(_invent_id),
    ),
    Fault(
        name="refusal",
        what="the model declines",
        then="told apart from an outage",
        system_error=REFUSED,
        steps=_says(lambda reply: "I cannot help with that.", "refusal"),
    ),
    Fault(
        name="content_filter",
        what="the provider's content filter stops the reply",
        then="told apart from an outage",
        system_error=REFUSED,
        steps=_says(lambda reply: "", "content_filter"),
    ),
    Fault(
        name="html",
        what="an HTML page with status 200",
        then="refused as malformed",
        system_error=MALFORMED,
        steps=lambda reply: (
            Step(body=b"<!doctype html><title>Gateway</title>", headers={"content-type": "text/html"}),
        ),
    ),
    Fault(
        name="rate_limited_once",
        what="429 with a Retry-After inside the deadline, then a good reply",
        then="asked once more",
        system_error=None,
        steps=lambda reply: (_error(429, "rate_limit_exceeded", retry_after="0"), Step(text=_text(reply))),
        batch=False,
    ),
    Fault(
        name="rate_limited",
        what="429 each time",
        then="asked once more at most",
        system_error=UNAVAILABLE,
        steps=lambda reply: (_error(429, "rate_limit_exceeded", retry_after="0"),) * 2,
    ),
    Fault(
        name="rate_limited_long",
        what="429 with a Retry-After beyond the deadline",
        then="not asked again",
        system_error=UNAVAILABLE,
        steps=lambda reply: (_error(429, "rate_limit_exceeded", retry_after="3600"),),
    ),
    Fault(
        name="server_error",
        what="500",
        then="not asked again",
        system_error=UNAVAILABLE,
        steps=lambda reply: (_error(500, "server_error"),),
    ),
    Fault(
        name="overloaded",
        what="503",
        then="not asked again",
        system_error=UNAVAILABLE,
        steps=lambda reply: (_error(503, "service_unavailable"),),
    ),
    Fault(
        name="unauthorized",
        what="401: the key is wrong",
        then="not asked again",
        system_error=UNAVAILABLE,
        steps=lambda reply: (_error(401, "invalid_api_key"),),
    ),
    Fault(
        name="timeout",
        what="silence beyond the deadline",
        then="given up at the deadline",
        system_error=UNAVAILABLE,
        steps=lambda reply: (Step(hang_s=600.0),),
        batch=False,
    ),
    Fault(
        name="slow_drip",
        what="a byte a second",
        then="given up at the deadline: it is a total, not a wait between bytes",
        system_error=UNAVAILABLE,
        steps=lambda reply: (Step(text=_text(reply), drip_s=1.0),),
        batch=False,
    ),
    Fault(
        name="huge",
        what="a body of 40 MB",
        then="refused as malformed, without reading it all",
        system_error=MALFORMED,
        steps=lambda reply: (Step(size=40 * MEGABYTE),),
    ),
    Fault(
        name="reset_once",
        what="a connection broken off, then a good reply",
        then="asked once more",
        system_error=None,
        steps=lambda reply: (Step(reset=True), Step(text=_text(reply))),
        batch=False,
    ),
    Fault(
        name="reset",
        what="a connection broken off each time",
        then="asked once more at most",
        system_error=UNAVAILABLE,
        steps=lambda reply: (Step(reset=True),) * 2,
        batch=False,
    ),
)

FAULTS: dict[str, Fault] = {fault.name: fault for fault in _ALL}
