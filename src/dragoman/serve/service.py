"""What the endpoints share: the open project and its tenants, its keys, what is switched off, and who is told.

A service looks on a timer whether there is a newer index, project file or key file. Whatever is wrong with a new one is
logged and counted, and the old one stays in use.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import msgspec

from dragoman.engine import Dragoman
from dragoman.errors import ConfigError, DragomanError
from dragoman.project import Project
from dragoman.serve import keys, logs, tracing
from dragoman.serve.kept import Keeper
from dragoman.serve.metrics import Metrics
from dragoman.serve.problems import ProblemError
from dragoman.serve.switches import NAMES, STATE_VARIABLE, Switches
from dragoman.watcher import Watcher

if TYPE_CHECKING:
    from dragoman.models.guard import Call

LOOK_S = 1.0  # how often the switches are looked at


class Service:
    """One service. ``engine`` answers for the project; a reload of the project file puts another in its place."""

    def __init__(
        self,
        engine: Dragoman,
        *,
        given: str | Path | None = None,
        insecure: bool = False,
        log: logs.Log | None = None,
    ) -> None:
        self.engine = engine
        self.insecure = insecure
        self._given = given or engine.project.path
        self.keys = keys.ring(engine.project)
        state = os.environ.get(STATE_VARIABLE)
        self.switches = Switches(Path(state) if state else None)
        self.metrics = Metrics()
        self.log = log or logs.Log()
        self.tracing: tracing.Tracing | None = None
        self.provider = "unknown" if engine.project.file.llm else "none"
        self.keeper = self._keeper(engine.project)
        self.draining = False
        self.watcher: Watcher | None = None  # of the database that the index is built from, where there is one
        self._away = False
        self._failed = 0  # builds of the watcher that were told of
        self._digest = self._said()
        self._refused: tuple[str, str] | None = None  # which state of the files was told to be wrong, and how
        self._without_model: WeakKeyDictionary[Dragoman, Dragoman] = WeakKeyDictionary()
        self._tasks: set[asyncio.Task[None]] = set()
        self._old: list[tuple[Dragoman, Keeper | None]] = []

    @property
    def project(self) -> Project:
        """The project file in use."""
        return self.engine.project

    def of(self, tenant: str) -> Dragoman:
        """Who answers for a tenant; for the project itself where ``tenant`` is empty. Raises ``ProblemError``."""
        if not tenant:
            return self.engine
        if tenant not in self.engine.tenants:
            raise ProblemError("tenant", "there is no tenant of that name")
        return self.engine.tenant(tenant)

    def engines(self) -> Iterator[tuple[str, Dragoman]]:
        """The project and its tenants, each with its name, the project's being empty."""
        yield "", self.engine
        for name in self.engine.tenants:
            yield name, self.engine.tenant(name)

    def asking(self, engine: Dragoman) -> Dragoman:
        """``engine``, or where an administrator has switched the model off, one like it that asks nobody."""
        if self.switches.now.model or engine.project.file.llm is None:
            return engine
        quiet = self._without_model.get(engine)
        if quiet is None or quiet.vocabularies is not engine.vocabularies:
            quiet = self._without_model[engine] = self._quiet(engine)
            quiet.gaps = engine.gaps
        return quiet

    def measure(self) -> None:
        """Set what is not counted but looked at: the indexes' ages, and what is switched off."""
        self.metrics.ages(self.engines())
        if self.watcher is not None:
            self.metrics.database_up.labels("index").set(self.watcher.status.connected)
        now = self.switches.now
        for name in NAMES:
            self.metrics.switched_off.labels(name).set(name in now.without)
        self.metrics.switched_off.labels("model").set(not now.model)

    def _quiet(self, engine: Dragoman) -> Dragoman:
        """One like ``engine`` that asks no model and counts nothing."""
        file = msgspec.structs.replace(engine.project.file, llm=None)
        return Dragoman(msgspec.structs.replace(engine.project, file=file), engine.vocabularies)

    async def start(self) -> None:
        """Before the first request: connect to the model, open the tenants, begin to look for what is new."""
        self.tracing = tracing.connect()
        self.switches.look()  # a process that takes the place of another begins with what is switched off
        await asyncio.to_thread(self._connect, self.engine)
        self.watcher = self._watching(self.engine)
        self._tasks.add(asyncio.create_task(self._look()))

    async def stop(self) -> None:
        """After the last request: let go of everything."""
        self.draining = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.watcher is not None:
            await asyncio.to_thread(self.watcher.stop)
        if self.keeper is not None:
            await asyncio.to_thread(self.keeper.close)
        await asyncio.to_thread(self.engine.close)
        if self.tracing is not None:
            await asyncio.to_thread(self.tracing.close)

    @property
    def database(self) -> str:
        """``none``, or whether the database that the index is built from answers: ``ok``, ``away``."""
        if self.watcher is None:
            return "none"
        return "ok" if self.watcher.status.connected else "away"

    def _watching(self, engine: Dragoman) -> Watcher | None:
        """Listens for changes of pages and drugs from now on, where they stand in a database."""
        if not Watcher.wanted(engine.project):
            return None
        watcher = Watcher(engine.project, self._changed)
        watcher.start()
        return watcher

    def _changed(self) -> None:
        """A build for a change in the database has ended well."""
        if self.engine.reload():
            self.metrics.reloads.labels("index", "taken").inc()
            self.log.info("taken up", what="index", index=self.engine.info.id)

    def _hear(self) -> None:
        """Say once that the database went away, once that it is back, and once that a change was refused."""
        if self.watcher is None or self.watcher.status.state == "new":
            return
        status = self.watcher.status
        if status.failed > self._failed:
            self.metrics.reloads.labels("index", "refused").inc()
            self.log.error("not taken up", what="index", why=status.error, index=self.engine.info.id)
        self._failed = status.failed
        away = not status.connected
        if away != self._away:
            self._away = away
            if away:
                self.log.error("database away", why=status.error, index=self.engine.info.id)
            else:
                self.log.info("database back")

    def _connect(self, engine: Dragoman) -> None:
        for one in (engine, *map(engine.tenant, engine.tenants)):
            self._quiet(one).ask("-")  # rules, cues and encoders are read with the first turn: not with a person's
        if engine.project.file.llm is None:
            self.provider = "none"
            return
        caller = engine.understanding.caller
        caller.observe = self._called
        caller.connect()  # a bad configuration shows now, and not with the first question
        self.provider = "unknown"

    def _called(self, call: Call) -> None:
        self.metrics.called(call)
        self.provider = "ok" if call.outcome == "answered" else call.outcome

    def _keeper(self, project: Project) -> Keeper | None:
        if not project.file.privacy.keep_text:
            return None
        return Keeper(project, lambda outcome: self.metrics.kept.labels(outcome).inc())

    # --- what is new -----------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                self.switches.look()
            except (OSError, msgspec.DecodeError, msgspec.ValidationError) as error:
                self.log.error("switches cannot be read", **logs.places(error))
            self._hear()
            if time.monotonic() - last < self.project.file.serve.reload_s:
                continue
            last = time.monotonic()
            await self.look()

    async def look(self) -> None:
        """Take up a newer index, project file or key file."""
        await self._try("index", self._new_index)
        await self._try("project", self._new_project)
        while self._old:
            task = asyncio.create_task(self._retire(*self._old.pop()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _try(self, what: str, look: Callable[[], bool]) -> None:
        try:
            changed = await asyncio.to_thread(look)
        except DragomanError as error:
            self.metrics.reloads.labels(what, "refused").inc()
            self.log.error("not taken up", what=what, where=error.where, why=error.what, advice=error.advice)
        except Exception as error:  # noqa: BLE001 - logged and counted; the service goes on with what it has
            self.metrics.reloads.labels(what, "failed").inc()
            self.log.error("not taken up", what=what, **logs.places(error))
        else:
            if changed:
                self.metrics.reloads.labels(what, "taken").inc()
                self.log.info("taken up", what=what, index=self.engine.info.id)

    def _new_index(self) -> bool:
        return self.engine.reload()

    def _new_project(self) -> bool:
        """Runs on a thread of its own; what it replaces is replaced by one assignment each."""
        said = self._said()
        if said == self._digest:
            self._refused = None
            return False
        try:
            fresh, fresh_keys = self._opened()
        except Exception as error:
            # Tried again with every look, for a build may mend it; complained of once.
            told = (said, f"{type(error).__name__}: {error}")
            if told == self._refused:
                return False
            self._refused = told
            raise
        self._digest, self._refused = said, None
        watcher = self._watching(fresh)
        if self.watcher is not None:
            self.watcher.stop(0)
        self.watcher = watcher
        self._old.append((self.engine, self.keeper))
        self.engine, self.keys, self.keeper = fresh, fresh_keys, self._keeper(fresh.project)
        return True

    def _opened(self) -> tuple[Dragoman, keys.KeyRing]:
        """The project as its files say it now, ready to answer."""
        fresh = Dragoman.open(self._given)
        try:
            fresh_keys = keys.ring(fresh.project)
            if self.keys and not fresh_keys:
                raise ConfigError("the last key is gone", where=str(fresh.project.path), advice="restart the service")
            self._connect(fresh)
        except BaseException:
            fresh.close()
            raise
        return fresh, fresh_keys

    async def _retire(self, engine: Dragoman, keeper: Keeper | None) -> None:
        """Let go of what a reload has replaced, when the requests that began with it have ended."""
        try:
            await asyncio.sleep(engine.project.file.serve.request_timeout_s)
        finally:
            await asyncio.to_thread(engine.close)
            if keeper is not None:
                await asyncio.to_thread(keeper.close)

    def _said(self) -> str:
        """A digest of what the project file and the key file say now."""
        table = self.project.file.serve
        told = hashlib.sha256()
        for path in (self.project.path, *((self.project.at(table.key_file),) if table.key_file else ())):
            try:
                told.update(path.read_bytes())
            except OSError as error:  # it will be complained of where it is opened
                told.update(str(error.errno).encode())
        return told.hexdigest()
