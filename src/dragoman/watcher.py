"""Keeps a running program's index in step with the database: notice of a change → build → reload, in its own thread.

An outage of the database changes nothing for whoever asks: the last index goes on answering. ``Watcher.status`` says so
for ``readyz`` and the metrics, and when the server is back, the index is built once, for nobody knows what was missed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import filelock
import msgspec

from dragoman.errors import ConfigError, DragomanError, IndexBusy, ServiceError
from dragoman.project import Project
from dragoman.rebuild import Apart
from dragoman.store_postgres.connect import conninfo
from dragoman.store_postgres.listen import Listener

State = Literal["new", "watching", "building", "disconnected", "stopped"]
Rebuild = Callable[[Project], str]
"""Builds the project's index (and its tenants') and gives its id; raises a ``DragomanError`` where it is refused."""

SETTLE_S = 0.05  # editors' tools write several tables in several transactions
IDLE_S = 10.0  # between two questions whether a silent server is still there
RETRY_S = (0.5, 15.0)  # the first and the longest wait after an error that may pass
LOCK, RESULT = ".watch.lock", ".watch.json"  # in the index's folder: who builds, and what came of it


class WatchStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How the watching goes. Times are seconds since 1970, durations seconds.

    ``connected``: the database answers; ``since`` is when that last changed. ``state``: ``disconnected`` means that
    the last index answers, as old as ``built`` says. ``error``: what went wrong last, until it goes right again; it
    never holds data. ``outages`` counts losses of the connection, ``builds`` and ``failed`` count builds, ``seconds``
    is how long it took from the last notice to the index being in use.
    """

    state: State = "new"
    connected: bool = False
    since: float = 0.0
    index: str | None = None
    built: float | None = None
    seconds: float | None = None
    error: str | None = None
    outages: int = 0
    builds: int = 0
    failed: int = 0


class Watcher:
    """Watches the databases of a project (its tenants' as well) from ``start`` to ``stop``.

    ``reload`` is called after each build that succeeded, ``Dragoman.reload`` for instance. ``rebuild`` builds;
    by default in a process of its own, so that turns that are being read meanwhile lose no time. Of several processes
    that watch for one index folder one builds, and the others take up what came of it. Never raises into the program
    that holds it: what goes wrong stands in ``status``.
    """

    def __init__(
        self,
        project: Project,
        reload: Callable[[], object] | None = None,
        *,
        rebuild: Rebuild | None = None,
        retry_s: tuple[float, float] = RETRY_S,
        idle_s: float = IDLE_S,
    ) -> None:
        self.project = project
        self.status = WatchStatus()  # replaced as a whole: who reads it takes it once
        self._reload = reload
        self._apart = Apart()
        self._rebuild = rebuild or self._apart
        self._retry_s = retry_s
        self._idle_s = idle_s
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @staticmethod
    def wanted(project: Project) -> bool:
        """Whether the project has anything to watch: a taxonomy or a catalogue in a database."""
        return any(name != "gaps" for one in _all(project) for name, _, _ in one.databases)

    def start(self) -> None:
        """Begin, once. Raises ``ConfigError`` where a connection string is wrong or the driver is missing; a server
        that does not answer is no error."""
        if self._thread is not None:
            return
        strings = databases(self.project)
        if not strings:
            raise ConfigError(
                "the project has nothing to watch", where=str(self.project.path), advice="give [taxonomy] a dsn"
            )
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, args=(strings,), name="dragoman-watcher", daemon=True)
        self._thread.start()

    def stop(self, wait_s: float = 10.0) -> None:
        """End, after a build that is under way; waits for that at most ``wait_s``."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(wait_s)
            self._thread = None

    def _run(self, strings: tuple[str, ...]) -> None:
        try:
            self._watch(strings)
        finally:
            self._apart.close()
            self._tell(state="stopped", connected=False)

    def _watch(self, strings: tuple[str, ...]) -> None:
        wait = self._retry_s[0]
        while not self._stop.is_set():
            listeners: list[Listener] = []
            try:
                listeners += (Listener(dsn) for dsn in strings)
                self._tell(connected=True)
                self._take_up(time.time())  # whatever changed while nobody listened
                wait = self._retry_s[0]
                self._listen(listeners)
            except ServiceError as error:
                lost = self.status.connected
                self._tell(state="disconnected", connected=False, error=str(error), outages=self.status.outages + lost)
                self._stop.wait(wait)
                wait = min(2 * wait, self._retry_s[1])
            finally:
                for listener in listeners:
                    listener.close()

    def _listen(self, listeners: list[Listener]) -> None:
        """Build after each change, until the end or an outage."""
        turn = 0.25 if len(listeners) > 1 else 1.0
        asked = time.monotonic()
        while not self._stop.is_set():
            for listener in listeners:
                if listener.wait(turn):
                    heard = time.time()
                    while any(other.wait(SETTLE_S) for other in listeners):  # until all are silent
                        if time.time() - heard > 1.0:  # somebody writes without end
                            break
                    self._take_up(heard)
            if time.monotonic() - asked > self._idle_s:
                asked = time.monotonic()
                for listener in listeners:
                    listener.check()

    def _take_up(self, heard: float) -> None:
        """Build and reload; again while that may pass, and once only where the data are at fault."""
        wait = self._retry_s[0]
        while not self._stop.is_set():
            self._tell(state="building")
            try:
                index = self._built(heard)
                if index is None:
                    return
                if self._reload is not None:
                    self._reload()
            except ServiceError:
                raise  # the database went away: begin anew when it is back
            except DragomanError as error:
                self._tell(state="watching", error=str(error), failed=self.status.failed + 1)
                if not error.retry:
                    return
                self._stop.wait(wait)
                wait = min(2 * wait, self._retry_s[1])
            else:
                now = time.time()
                self._tell(
                    state="watching",
                    index=index,
                    built=now,
                    seconds=round(now - heard, 3),
                    error=None,
                    builds=self.status.builds + 1,
                )
                return

    def _built(self, heard: float) -> str | None:
        """The id of an index that was begun after ``heard``, by this process or another one; ``None`` at the end."""
        home = self.project.index
        try:
            home.mkdir(parents=True, exist_ok=True)
            lock = filelock.FileLock(home / LOCK)
            while not self._stop.is_set():
                try:
                    lock.acquire(timeout=0.2)
                except filelock.Timeout:
                    continue
                try:
                    return self._build(home / RESULT, heard)
                finally:
                    lock.release()
        except OSError as error:
            raise IndexBusy(f"the index cannot be written ({error.strerror})", where=str(home)) from None
        return None

    def _build(self, result: Path, heard: float) -> str:
        theirs = _read(result)
        if theirs.begun > heard:
            if theirs.index is None:
                raise DragomanError(theirs.error)
            return theirs.index
        begun = time.time()
        try:
            index = self._rebuild(self.project)
        except DragomanError as error:
            if not error.retry:
                _write(result, _Result(begun=begun, error=str(error)))
            raise
        _write(result, _Result(begun=begun, index=index))
        return index

    def _tell(self, **changes: Any) -> None:
        before = self.status
        if changes.get("connected", before.connected) != before.connected or not before.since:
            changes["since"] = time.time()
        self.status = msgspec.structs.replace(before, **changes)


class _Result(msgspec.Struct):
    """What came of the last build for this folder; ``begun`` is seconds since 1970."""

    begun: float = 0.0
    index: str | None = None
    error: str = ""


def _read(path: Path) -> _Result:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Result)
    except (OSError, msgspec.DecodeError):  # nobody has built yet, or was stopped while writing: build
        return _Result()


def _write(path: Path, result: _Result) -> None:
    path.write_bytes(msgspec.json.encode(result))


def databases(project: Project) -> tuple[str, ...]:
    """The connection strings of the databases that the index (and those of tenants) is built from, each once.

    Raises ``ConfigError`` as ``store_postgres.connect.conninfo`` does.
    """
    found = (
        conninfo(dsn, env, f"{one.path}: [{name}]")
        for one in _all(project)
        for name, dsn, env in one.databases
        if name != "gaps"
    )
    return tuple(dict.fromkeys(found))


def _all(project: Project) -> tuple[Project, ...]:
    return (project, *map(project.tenant, project.tenants))
