"""Counts what turns lack, beside the answers: it may miss a turn, and says so; it never fails or delays one."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from time import perf_counter_ns

from dragoman.gaps.observe import Missing
from dragoman.gaps.store import Store, locked
from dragoman.types import StepOutcome, TraceRow

STEP = "gaps"
WAIT_MS = 25  # for another process that writes; not at all while the last turn could not be counted


class Recorder:
    """Counts into one database. Safe to share between threads and to carry through a fork.

    ``skipped`` counts the turns that were not recorded since the recorder was made; what it could not write it adds to
    the database's own count as soon as that can be written again.
    """

    def __init__(self, path: Path, keep_after: int, keep_days: int, today: Callable[[], date] = date.today) -> None:
        self.path = path
        self.keep_after = keep_after
        self.keep_days = keep_days
        self.skipped = 0
        self._owed = 0
        self._today = today
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._pid = 0
        self._pruned = ""
        self._parents: list[Store] = []  # of the process before a fork: closing one here would disturb it

    def record(self, missing: Missing) -> TraceRow:
        """Count what a turn lacks; the trace row of it. A turn that lacks nothing touches no file."""
        begun = perf_counter_ns()
        if not missing.size:
            return TraceRow(step=STEP, outcome="miss")
        outcome: StepOutcome = "hit"
        note: str | None = None
        if not self._lock.acquire(timeout=WAIT_MS / 1000):
            outcome, note = "skipped", "not counted: busy"
            self.skipped += 1
            self._owed += 1
        else:
            try:
                self._add(missing)
            except (sqlite3.Error, OSError) as error:
                self.skipped += 1
                self._owed += 1
                if locked(error):
                    outcome, note = "skipped", "not counted: the database is locked"
                else:
                    outcome, note = "error", f"not counted: {type(error).__name__}"
                    self._drop()
            finally:
                self._lock.release()
        return TraceRow(
            step=STEP, outcome=outcome, count=missing.size, us=(perf_counter_ns() - begun) // 1000, note=note
        )

    def _add(self, missing: Missing) -> None:
        store = self._opened()
        store.wait(0 if self._owed else WAIT_MS)
        today = self._today()
        day = today.isoformat()
        before = None if day == self._pruned else (today - timedelta(days=self.keep_days)).isoformat()
        owed = self._owed
        store.add(day, missing, self.keep_after, skipped=owed, before=before)
        self._owed -= owed
        self._pruned = day

    def _opened(self) -> Store:
        if self._store is not None and self._pid != os.getpid():
            self._parents.append(self._store)
            self._store = None
        if self._store is None:
            self._store, self._pid = Store(self.path, WAIT_MS / 1000), os.getpid()
        return self._store

    def _drop(self) -> None:
        """Begin anew with the next turn: the file may have been replaced."""
        if self._store is not None and self._pid == os.getpid():
            self._store.close()
        self._store = None

    def close(self) -> None:
        """Let go of the database; a later ``record`` opens it again."""
        with self._lock:
            self._drop()
