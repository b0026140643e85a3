"""The short way of the requests that come by the thousand: from the gate to what answers them, and back.

Litestar finds the route, makes a request, a signature's arguments and a response for every call, which costs about a
third of what the library does with a turn. Where path and method are known and the body decodes strictly, the result is
the same without it. Whatever is out of the ordinary goes the long way, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec

from dragoman.serve import turns
from dragoman.serve.wire import LookupBody, TurnBody

_ENCODER = msgspec.json.Encoder()


class Way(NamedTuple):
    """How the body of one endpoint is read, and what answers it."""

    decode: Callable[[bytes], Any]
    answer: Callable[[Any, turns.State], msgspec.Struct | Awaitable[msgspec.Struct]]


_turn = msgspec.json.Decoder(TurnBody).decode
WAYS = {
    "/v1/ask": Way(_turn, turns.ask),
    "/v1/resolve": Way(_turn, turns.resolve),
    "/v1/enrich": Way(_turn, turns.enrich),
    "/v1/lookup": Way(msgspec.json.Decoder(LookupBody).decode, turns.lookup),
}


def read(way: Way, body: bytes) -> Any:
    """The body as the endpoint wants it; ``None`` where it is to go the long way."""
    try:
        return way.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None  # not lost: the long way decodes it again, and tells the client by field


def encode(answer: msgspec.Struct) -> bytes:
    """An answer as JSON."""
    return _ENCODER.encode(answer)
