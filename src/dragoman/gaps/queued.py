"""Counts what turns lack where writing may take long: a short queue, and a thread that empties it."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from datetime import date, timedelta
from time import monotonic, perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple

from dragoman.errors import DragomanError
from dragoman.gaps.observe import Missing
from dragoman.gaps.recorder import STEP
from dragoman.types import TraceRow

if TYPE_CHECKING:
    from dragoman.gaps.counts import Counts

MOST = 1000  # turns that wait; more are skipped, and counted as such when the database is back
RETRY_S = (0.5, 15.0)
LINGER_S = 2.0  # how long ``close`` waits for what is queued


class _Turn(NamedTuple):
    day: date
    missing: Missing


class QueuedRecorder:
    """Counts into a database that ``open_`` opens. Safe to share between threads and to carry through a fork.

    A turn is never held up: it is queued, and while the database does not answer, the queue waits in memory. ``fault``
    says why it does. ``skipped`` counts the turns that found the queue full, or were still in it at the end.
    """

    def __init__(
        self,
        open_: Callable[[], Counts],
        keep_after: int,
        keep_days: int,
        *,
        today: Callable[[], date] = date.today,
        most: int = MOST,
        retry_s: tuple[float, float] = RETRY_S,
    ) -> None:
        self.keep_after = keep_after
        self.keep_days = keep_days
        self.skipped = 0
        self.fault: str | None = None
        self._owed = 0
        self._open = open_
        self._today = today
        self._most = most
        self._retry_s = retry_s
        self._pruned: date | None = None
        self._begin()
        atexit.register(_end, weakref.ref(self))  # a command that reads one turn ends before its thread has written

    def _begin(self) -> None:
        """In a process of its own: after a fork the thread is the parent's, and so are the turns in its queue."""
        self._pid = os.getpid()
        self._queue: deque[_Turn] = deque()
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closing = False

    def record(self, missing: Missing) -> TraceRow:
        """Queue what a turn lacks; the trace row of it. A turn that lacks nothing is not queued."""
        begun = perf_counter_ns()
        if not missing.size:
            return TraceRow(step=STEP, outcome="miss")
        if self._pid != os.getpid():
            self._begin()
        with self._change:
            full = len(self._queue) >= self._most
            if full:
                self.skipped += 1
                self._owed += 1
            else:
                self._queue.append(_Turn(self._today(), missing))
                self._change.notify_all()
            if self._thread is None:
                self._closing = False
                self._thread = threading.Thread(target=self._run, name="dragoman-gaps", daemon=True)
                self._thread.start()
            fault = self.fault
        us = (perf_counter_ns() - begun) // 1000
        if full:
            return TraceRow(step=STEP, outcome="skipped", count=missing.size, us=us, note="not counted: too many wait")
        note = None if fault is None else f"to be counted later: {fault}"
        return TraceRow(step=STEP, outcome="hit", count=missing.size, us=us, note=note)

    def close(self, linger_s: float = LINGER_S) -> None:
        """Write what is queued, for at most ``linger_s`` seconds, and let go of the database; a later ``record`` opens
        it again."""
        if self._pid != os.getpid():
            self._begin()
        thread = self._thread
        if thread is None:
            return
        end = monotonic() + linger_s
        with self._change:
            while self._queue and self.fault is None and (left := end - monotonic()) > 0:
                self._change.wait(left)
            self._closing = True
            self.skipped += len(self._queue)
            self._owed += len(self._queue)
            self._queue.clear()
            self._thread = None
            self._change.notify_all()
        thread.join(linger_s)

    def _run(self) -> None:
        counts: Counts | None = None
        wait = self._retry_s[0]
        me = threading.current_thread()
        while True:
            with self._change:
                while not self._queue and not self._closing:
                    self._change.wait()
                if self._closing or self._thread is not me:
                    break
                turn, owed = self._queue[0], self._owed
            try:
                if counts is None:
                    counts = self._open()
                self._add(counts, turn, owed)
            except DragomanError as error:
                if counts is not None:
                    counts.close()
                    counts = None
                with self._change:
                    self.fault = error.what
                    self._change.notify_all()
                    self._change.wait_for(lambda: self._closing, wait)
                wait = min(2 * wait, self._retry_s[1])
                continue
            wait = self._retry_s[0]
            with self._change:
                self.fault = None
                self._owed -= owed
                if self._queue and self._queue[0] is turn:
                    self._queue.popleft()
                self._change.notify_all()
        if counts is not None:
            counts.close()

    def _add(self, counts: Counts, turn: _Turn, owed: int) -> None:
        before = None if turn.day == self._pruned else (turn.day - timedelta(days=self.keep_days)).isoformat()
        counts.add(turn.day.isoformat(), turn.missing, self.keep_after, skipped=owed, before=before)
        self._pruned = turn.day


def _end(recorder: weakref.ref[QueuedRecorder]) -> None:
    if (kept := recorder()) is not None:
        kept.close()
