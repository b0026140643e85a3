"""One event loop, in a thread of its own, that every model call of a process runs on.

Why not an event loop a call: the provider's connections, the concurrency limit and the circuit breaker belong to one
loop; ``asyncio.run`` a call would open a connection a call, and a limit that each caller has for itself limits nothing.
Why not the caller's loop for ``aask``: ``ask`` and ``aask`` would then have two pools and two breakers, and a service
that uses both (a request handler and a thread pool) would see twice the limit. So the call is written once, async, and
lives here; a thread waits for it (``run``), a coroutine awaits it (``arun``). Cancelling the awaiting task cancels the
call. The thread starts with the first call, and anew in a child process, where a fork leaves it behind.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """A daemon thread that runs one event loop. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = 0

    @property
    def pid(self) -> int:
        """The process that the loop runs in; what was made on the loop of another is lost."""
        return self._pid

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait in this thread until the loop has done ``work``."""
        return asyncio.run_coroutine_threadsafe(work, self._running()).result()

    async def arun(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait in the caller's loop until this one has done ``work``; cancelling the caller cancels the work."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._running()))

    def close(self) -> None:
        """Stop the loop and its thread. The next call starts them anew."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None or self._pid != os.getpid():
            return
        loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                ready = threading.Event()
                loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_serve, args=(loop, ready), name="dragoman-models", daemon=True)
                thread.start()
                ready.wait()
                self._loop, self._thread, self._pid = loop, thread, os.getpid()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop, ready: threading.Event) -> None:
    asyncio.set_event_loop(loop)
    loop.call_soon(ready.set)
    try:
        loop.run_forever()
    finally:
        pending = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
