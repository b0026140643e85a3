"""What is read of a request's headers, and what every answer carries."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

# The page's own files and calls, and nothing from or to anywhere else.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURITY: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
NO_STORE = (b"cache-control", b"no-store")  # answers hold what a person asked
_GIVEN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Read(NamedTuple):
    """The headers that the gate looks at; empty where the request has none. ``length`` is −1 where it is no number."""

    host: str
    authorization: str
    api_key: str
    tenant: str
    content_type: str
    length: int | None
    chunked: bool
    request_id: str
    site: str
    origin: str
    traceparent: str
    accept: str
    encoding: str


_WANTED = {
    b"host": 0,
    b"authorization": 1,
    b"x-api-key": 2,
    b"x-dragoman-tenant": 3,
    b"content-type": 4,
    b"content-length": 5,
    b"transfer-encoding": 6,
    b"x-request-id": 7,
    b"sec-fetch-site": 8,
    b"origin": 9,
    b"traceparent": 10,
    b"accept": 11,
    b"content-encoding": 12,
}


def read(headers: Iterable[tuple[bytes, bytes]]) -> Read:
    """Read what matters. A request's own id is kept where it is short and plain; else it gets one."""
    got = [""] * len(_WANTED)
    for name, value in headers:
        at = _WANTED.get(name)
        if at is not None:
            got[at] = value.decode("latin-1")
    said, given = got[5], got[7]
    length: int | None = None
    if said:
        length = int(said) if said.isascii() and said.isdigit() and len(said) < 19 else -1
    return Read(
        got[0],
        got[1],
        got[2],
        got[3],
        got[4],
        length,
        bool(got[6]),
        given if _GIVEN_ID.fullmatch(given) else os.urandom(16).hex(),
        got[8],
        got[9],
        got[10],
        got[11],
        got[12],
    )


def host_name(host: str) -> str:
    """The name of a ``Host`` header, without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].lower()
