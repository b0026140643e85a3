"""Reading an HTTP reply no further than it may reach."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Any


@dataclass(slots=True)
class Watch:
    """What is known of the present attempt: when it must be over (``monotonic()``), and whether a reply has begun."""

    until: float = inf
    arrived: bool = False


# Tasks and threads that a provider's library starts for an attempt inherit its context.
WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


class TooLarge(Exception):
    """The body is longer than a reply may be. Provider's libraries wrap it: look for it with ``find``."""


class TooLate(Exception):
    """The deadline passed while a body was being read in a thread that nothing else can stop."""


def cap_of(reply_limit: int) -> int:
    """Bytes of a body whose reply has ``reply_limit`` characters, each at worst a six-byte escape, and its envelope."""
    return 6 * reply_limit + 65_536


def find(error: BaseException, kind: type[BaseException]) -> bool:
    """Whether ``kind`` is ``error`` or stands somewhere in its chain of causes."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        if isinstance(at, kind):
            return True
        seen.add(id(at))
        at = at.__cause__ or at.__context__
    return False


def client(limit: int, timeout_s: float) -> Any:
    """An ``httpx2.AsyncClient`` whose replies end with ``TooLarge`` beyond ``limit`` bytes.

    A response hook wraps the body before anyone reads it. A transport of one's own would do the same, but would turn
    off the proxies that the environment names, which hospitals live behind. Compressed bodies are not asked for, and
    refused, since their size says nothing of what they unfold to.
    """
    import httpx2

    class Capped(httpx2.AsyncByteStream):
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for chunk in self._stream:
                read += len(chunk)
                if read > limit:
                    raise TooLarge
                yield chunk

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def watch(response: Any) -> None:
        arrived()
        declared = response.headers.get("content-length", "")
        packed = response.headers.get("content-encoding", "identity").lower() != "identity"
        if packed or (declared.isdigit() and int(declared) > limit):
            await response.aclose()
            raise TooLarge
        response.stream = Capped(response.stream)

    hooks: dict[str, list[Callable[[Any], Awaitable[None]]]] = {"response": [watch]}
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(timeout_s),
        headers={"accept-encoding": "identity"},
        event_hooks=hooks,
        follow_redirects=False,
    )


def arrived() -> None:
    """Note that the present attempt got a reply, of whatever kind."""
    watch = WATCH.get()
    if watch is not None:
        watch.arrived = True


class CappedRaw:
    """A urllib3 response that ends with ``TooLarge`` beyond ``limit`` bytes, and with ``TooLate`` when time is up.

    For botocore, which reads in a thread and takes the whole body.
    """

    def __init__(self, raw: Any, limit: int) -> None:
        self._raw = raw
        self._limit = limit
        watch = WATCH.get()
        self._until = watch.until if watch else inf

    def stream(self) -> Iterator[bytes]:
        """What ``AWSResponse.content`` joins."""
        read = 0
        while chunk := self._raw.read1(65_536):
            read += len(chunk)
            if read > self._limit or monotonic() > self._until:
                self._raw.close()
                raise TooLarge if read > self._limit else TooLate
            yield chunk
        self._raw.release_conn()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)
