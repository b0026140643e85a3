"""One call, however the provider behaves: a total deadline, at most one retry, a circuit breaker, few at a time.

Everything here is the same for every provider; ``Transport.send`` is the one attempt that differs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from dragoman.errors import ModelMalformed, ModelRefused, ModelUnavailable, ServiceError
from dragoman.protocols import Answered, Request

log = logging.getLogger("dragoman.models")
log.addHandler(logging.NullHandler())  # where nobody has set up logging, nothing is printed


class Attempt(Exception):
    """One attempt failed. ``error`` is what the caller gets to see unless another attempt mends it.

    ``again_s``: seconds after which the same request may pass; ``None`` where it cannot. ``trips`` says whether the
    provider as a whole seems down, ``status`` and ``request_id`` are what the provider gave for its support.
    """

    def __init__(
        self,
        error: ServiceError,
        *,
        again_s: float | None = None,
        trips: bool = False,
        status: int | None = None,
        request_id: str | None = None,
        cause: str = "",
    ) -> None:
        super().__init__(error.what)
        self.error = error
        self.again_s = again_s
        self.trips = trips
        self.status = status
        self.request_id = request_id
        self.cause = cause


class Transport(Protocol):
    """One attempt at one provider."""

    host: str

    async def send(self, request: Request, timeout_s: float) -> Answered:
        """Ask once. Raises ``Attempt``; may be cancelled at any time."""
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """What one call came to, for metrics: never a word of request or reply.

    ``outcome`` is ``answered`` or the ``system_error`` code; times in seconds.
    """

    outcome: str
    latency_s: float
    attempts: int
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    status: int | None = None
    request_id: str | None = None


@dataclass(slots=True)
class Breaker:
    """Stops asking a provider that is down: after ``failures`` in a row it opens for ``open_s`` seconds.

    After that one call is let through; its success closes the breaker, its failure opens it anew.
    """

    failures: int = 5
    open_s: float = 30.0
    clock: Callable[[], float] = monotonic
    _row: int = field(default=0, init=False)
    _until: float = field(default=0.0, init=False)

    def admits(self) -> bool:
        """Whether a call may go out now. The one that may try an open breaker closes the door behind it."""
        if self._row < self.failures:
            return True
        now = self.clock()
        if now < self._until:
            return False
        self._until = now + self.open_s
        return True

    def passed(self) -> None:
        """The provider answered, whatever it said."""
        self._row = 0

    def failed(self) -> None:
        """The provider did not answer."""
        self._row += 1
        if self._row >= self.failures:
            self._until = self.clock() + self.open_s


class Guarded:
    """A ``Model``: one transport under deadline, retry, breaker and concurrency limit. Belongs to one event loop."""

    def __init__(
        self,
        transport: Transport,
        *,
        max_concurrent: int = 8,
        breaker: Breaker | None = None,
        observe: Callable[[Call], None] | None = None,
    ) -> None:
        self.transport = transport
        self.breaker = breaker or Breaker()
        self.observe = observe
        self._slots = asyncio.Semaphore(max_concurrent)

    @property
    def host(self) -> str:
        """Where the person's words go: host name, and port where it is not the usual one."""
        return self.transport.host

    async def call(self, request: Request, deadline_s: float) -> Answered:
        """See ``protocols.Model``. Waiting for a free slot counts against the deadline."""
        if not self.breaker.admits():
            self._tell(Call(ModelUnavailable.code, 0.0, 0))
            raise ModelUnavailable("the provider failed several times in a row and is left alone for a while")
        begun = monotonic()
        tried = 0
        try:
            async with asyncio.timeout(deadline_s), self._slots:
                while True:
                    tried += 1
                    left = deadline_s - (monotonic() - begun)
                    try:
                        answered = await self.transport.send(request, left)
                        break
                    except Attempt as attempt:
                        left = deadline_s - (monotonic() - begun)
                        wait = attempt.again_s
                        if tried > 1 or wait is None or wait >= left:
                            raise
                        self._log(attempt, "asked once more")
                        await asyncio.sleep(wait)
        except TimeoutError:
            error = ModelUnavailable(f"no answer within {deadline_s:g} s")
            # Without an attempt it was our own queue that took the time, which says nothing of the provider.
            self._fail(Attempt(error, trips=tried > 0, cause="deadline"), tried, monotonic() - begun)
            raise error from None
        except Attempt as attempt:
            self._fail(attempt, tried, monotonic() - begun)
            # The provider's own exception may quote the request: it is not chained.
            raise attempt.error from None
        self.breaker.passed()
        latency = monotonic() - begun
        usage = answered.usage
        self._tell(
            Call(
                "answered",
                latency,
                tried,
                usage.input_tokens,
                usage.output_tokens,
                usage.cost_usd,
                request_id=answered.request_id,
            )
        )
        return Answered(
            text=answered.text, usage=usage, request_id=answered.request_id, latency_s=latency, attempts=tried
        )

    async def aclose(self) -> None:
        """Let go of the transport's connections."""
        await self.transport.aclose()

    def _fail(self, attempt: Attempt, tried: int, latency: float) -> None:
        if attempt.trips:
            self.breaker.failed()
        else:
            self.breaker.passed()
        self._log(attempt, "gave up")
        self._tell(Call(attempt.error.code, latency, tried, status=attempt.status, request_id=attempt.request_id))

    def _log(self, attempt: Attempt, then: str) -> None:
        """Class of the exception, status and the provider's request id: never a message, which may quote the person."""
        log.warning(
            "model call to %s: %s (%s, status %s, request %s): %s",
            self.host,
            attempt.error.code,
            attempt.cause or type(attempt.error).__name__,
            attempt.status,
            attempt.request_id,
            then,
        )

    def _tell(self, call: Call) -> None:
        if self.observe is not None:
            self.observe(call)


def unavailable(
    what: str,
    *,
    again_s: float | None = None,
    trips: bool = True,
    status: int | None = None,
    request_id: str | None = None,
    cause: str = "",
) -> Attempt:
    """The provider did not answer."""
    error = ModelUnavailable(what)
    return Attempt(error, again_s=again_s, trips=trips, status=status, request_id=request_id, cause=cause)


def malformed(what: str, *, request_id: str | None = None, cause: str = "") -> Attempt:
    """The provider answered with what is no reply."""
    return Attempt(ModelMalformed(what), request_id=request_id, cause=cause)


def refused(what: str, *, request_id: str | None = None, cause: str = "") -> Attempt:
    """The provider declined."""
    return Attempt(ModelRefused(what), request_id=request_id, cause=cause)
