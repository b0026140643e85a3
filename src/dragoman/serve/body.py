"""The body of a request, whole, within a size and a time, before anybody else sees the request."""

from __future__ import annotations

import asyncio

from litestar.types import HTTPReceiveMessage, Receive

from dragoman.serve.problems import ProblemError


class Gone(Exception):
    """The client has hung up."""


async def read(receive: Receive, declared: int | None, limit: int, timeout_s: float) -> bytes:
    """The body. ``declared`` is its ``Content-Length``, if it has one.

    Raises ``ProblemError`` for one that is larger than ``limit`` bytes, as soon as that is known, or that has not
    arrived after ``timeout_s`` seconds; ``Gone`` where the client has hung up.
    """
    if declared is not None and declared > limit:
        raise _too_large(limit)
    try:
        async with asyncio.timeout(timeout_s):
            message = await receive()
            body = _part(message, limit, limit)
            if not message.get("more_body"):
                return body
            parts = [body]
            size = len(body)
            while message.get("more_body"):
                message = await receive()
                part = _part(message, limit - size, limit)
                size += len(part)
                parts.append(part)
    except TimeoutError:
        raise ProblemError("body-timeout", f"the body had not arrived after {timeout_s:g} seconds") from None
    return b"".join(parts)


def _part(message: object, left: int, limit: int) -> bytes:
    if not isinstance(message, dict) or message.get("type") != "http.request":
        raise Gone
    part: bytes = message.get("body", b"")
    if len(part) > left:
        raise _too_large(limit)
    return part


def _too_large(limit: int) -> ProblemError:
    return ProblemError("body-size", f"the body may have {limit} bytes", limit=limit, headers={"Connection": "close"})


def again(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that gives the body once, and then waits for the client to hang up."""
    given = False

    async def once() -> HTTPReceiveMessage:
        nonlocal given
        if given:
            return await receive()  # type: ignore[return-value]
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once
