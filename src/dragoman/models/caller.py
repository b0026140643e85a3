"""The model of one project: connected with the first call, and asked from threads and event loops alike."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Callable

from dragoman.errors import ConfigError
from dragoman.models.guard import Breaker, Call, Guarded, Transport
from dragoman.models.loop import LoopThread
from dragoman.project import Project
from dragoman.protocols import Answered, Request


def transport(project: Project) -> Transport:
    """Connect to what ``[llm]`` names. Nothing is sent yet.

    Raises ``ConfigError`` for whatever is missing: the table, a model, a package, a key, a file.
    """
    llm = project.file.llm
    if llm is None:
        raise ConfigError("there is no [llm]", where=str(project.path), advice="name a provider and a model")
    limit = project.file.limits.reply
    if not llm.model:
        raise ConfigError(
            "[llm] names no model", where=str(project.path), advice="set model to one that your provider serves"
        )
    if llm.provider == "local":
        from dragoman.models.local import Local

        context = llm.max_input_tokens + llm.max_output_tokens
        return Local(project.at(llm.model), context=context, reply_limit=limit)
    from dragoman.models import remote

    return remote.connect(llm, limit, keep_text=project.file.privacy.keep_text)


class Caller:
    """Asks the project's model, from any thread (``ask``) or event loop (``aask``).

    All calls run on one event loop of their own (see ``models.loop``), so that they share connections, the limit of
    ``max_concurrent`` and the circuit breaker. ``observe`` is told of every call, on that loop's thread; it must
    neither block nor raise.
    """

    def __init__(
        self,
        project: Project,
        *,
        connect: Callable[[Project], Transport] = transport,
        breaker: Callable[[], Breaker] = Breaker,
        observe: Callable[[Call], None] | None = None,
    ) -> None:
        self.project = project
        self.observe = observe
        self._connect = connect
        self._breaker = breaker
        self._lock = threading.Lock()
        self._guarded: Guarded | None = None
        self._pid = os.getpid()
        self._loop = LoopThread()
        self._finalizer = weakref.finalize(self, LoopThread.close, self._loop)

    @property
    def host(self) -> str:
        """Where the person's words go. Connects, if nobody has yet."""
        return self.connect().host

    def connect(self) -> Guarded:
        """Be ready to ask; a service does this before its first request, for the import takes a second or two.

        Raises ``ConfigError`` where there is nobody to ask.
        """
        with self._lock:
            if self._guarded is None or self._pid != os.getpid():  # connections do not survive a fork
                llm = self.project.file.llm
                self._guarded = Guarded(
                    self._connect(self.project),
                    max_concurrent=llm.max_concurrent if llm else 1,
                    breaker=self._breaker(),
                    observe=self._observed,
                )
                self._pid = os.getpid()
            return self._guarded

    def ask(self, request: Request) -> Answered:
        """Ask and wait. Errors as ``protocols.Model.call``, and ``ConfigError`` where there is nobody to ask."""
        return self._loop.run(self.connect().call(request, self._deadline_s))

    async def aask(self, request: Request) -> Answered:
        """As ``ask``, for an event loop; cancelling it cancels the call."""
        guarded = self._guarded if self._pid == os.getpid() else None
        if guarded is None:
            guarded = await asyncio.to_thread(self.connect)
        return await self._loop.arun(guarded.call(request, self._deadline_s))

    def close(self) -> None:
        """Close connections and stop the loop's thread. The next call starts both anew."""
        with self._lock:
            guarded, self._guarded = self._guarded, None
        if guarded is not None and self._pid == os.getpid():
            self._loop.run(guarded.aclose())
        self._loop.close()

    @property
    def _deadline_s(self) -> float:
        llm = self.project.file.llm
        return llm.timeout_s if llm else 0.0

    def _observed(self, call: Call) -> None:
        if self.observe is not None:
            self.observe(call)
