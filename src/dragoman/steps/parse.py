"""From a provider's raw answer to a ``Reply``, or to the fault that it is.

An answer is one JSON object, or one code fence with nothing but that object in it, which many local models write. All
else (sentences around the object, two of them, a cut one, none, a page of HTML, more than the limit) is
``understanding_malformed_output``: a provider that was held to a schema and adds prose has not kept to it, and then
nothing vouches for the object either.
Fields of a wrong type are left out (see ``reply_fields``): one slip does not lose the rest, and nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from dragoman.reply import Fault, Reply
from dragoman.reply_fields import from_mapping
from dragoman.types import SystemError_

__all__ = ["FAULTS", "Fault", "Reply", "parse", "parse_fault"]

UNAVAILABLE: SystemError_ = "understanding_provider_unavailable"
MALFORMED: SystemError_ = "understanding_malformed_output"
REFUSED: SystemError_ = "understanding_refused"

# What a provider, or the way to it, can do. Anything else is taken for an outage.
FAULTS: dict[str, SystemError_] = {
    "timeout": UNAVAILABLE,
    "slow_drip": UNAVAILABLE,
    "connection": UNAVAILABLE,
    "connection_refused": UNAVAILABLE,
    "dns": UNAVAILABLE,
    "unavailable": UNAVAILABLE,
    "rate_limit": UNAVAILABLE,
    "rate_limited": UNAVAILABLE,
    "429": UNAVAILABLE,
    "429_once": UNAVAILABLE,
    "429_always": UNAVAILABLE,
    "server_error": UNAVAILABLE,
    "500": UNAVAILABLE,
    "502": UNAVAILABLE,
    "503": UNAVAILABLE,
    "504": UNAVAILABLE,
    "5xx": UNAVAILABLE,
    "circuit_open": UNAVAILABLE,
    "open_circuit": UNAVAILABLE,
    "outage": UNAVAILABLE,
    "malformed": MALFORMED,
    "not_json": MALFORMED,
    "truncated": MALFORMED,
    "empty": MALFORMED,
    "html": MALFORMED,
    "too_large": MALFORMED,
    "huge": MALFORMED,
    "40mb": MALFORMED,
    "prose": MALFORMED,
    "refusal": REFUSED,
    "refused": REFUSED,
    "content_filter": REFUSED,
    "content_filtered": REFUSED,
    "blocked": REFUSED,
}


def parse_fault(kind: str) -> Fault:
    """The fault of that name, e.g. ``timeout``, ``refusal``, ``malformed``; unknown names count as an outage."""
    name = kind.strip().lower().replace("-", "_").replace(" ", "_")
    return Fault(code=FAULTS.get(name, UNAVAILABLE), kind=name if name in FAULTS else "unavailable")


def parse(raw: str | bytes | Mapping[str, Any] | None, *, limit: int = 200_000) -> Reply | Fault:
    """``raw`` as a ``Reply``, or as the ``Fault`` that it is. Never raises. ``limit`` is in characters."""
    if raw is None:
        return Fault(code=MALFORMED, kind="empty")
    if isinstance(raw, Mapping):
        return from_mapping(raw)
    if isinstance(raw, bytes):
        raw = raw[: limit + 1].decode("utf-8", "replace")
    if len(raw) > limit:
        return Fault(code=MALFORMED, kind="too_large")
    text = raw.strip().removeprefix("\ufeff").strip()
    if not text:
        return Fault(code=MALFORMED, kind="empty")
    if text[0] == "<" and "{" not in text:
        return Fault(code=MALFORMED, kind="html")
    fenced = _FENCE.fullmatch(text)
    try:
        found = _DECODER.decode(fenced[1] if fenced else text)
    except (ValueError, RecursionError) as error:
        if text[0] not in "{`":
            return Fault(code=MALFORMED, kind="not_json")
        return Fault(code=MALFORMED, kind="malformed" if "Extra data" in str(error) else "truncated")
    if not isinstance(found, dict):
        return Fault(code=MALFORMED, kind="not_json")
    return from_mapping(found)


def _no_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are no JSON


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
_FENCE = re.compile(r"```[a-z]*\s*\n(.*)\n\s*```", re.DOTALL | re.IGNORECASE)
