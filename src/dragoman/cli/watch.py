"""Waits for a project's sources to change: looks at files now and then, listens to databases."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dragoman.store_postgres.listen import Listener

EVERY_S = 0.5
Look = dict[Path, tuple[int, int]]


def changes(project: str, every_s: float = EVERY_S) -> Iterator[str]:
    """Yield once at the start (an empty name), then the name of a changed file after each change has come to rest, or
    of a changed table."""
    seen = look(project)
    with closing(_Ear(project)) as ear:
        yield ""
        while True:
            heard = ear.wait(every_s)
            now = look(project)
            if now != seen:
                while (later := _after(project, every_s)) != now:  # somebody is still writing
                    now = later
                changed = sorted(path for path in {*seen, *now} if seen.get(path) != now.get(path))
                seen = now
                ear.connect()  # the project file may name another database
                yield changed[0].name if changed else ""
            elif heard:
                yield heard


class _Ear:
    """Hears of changes in the project's databases, where it has any. A server that goes away is told once, and taken
    for changed when it is back."""

    def __init__(self, project: str) -> None:
        self._project = project
        self._listeners: list[Listener] = []
        self._lost = False
        self.connect()

    def connect(self) -> bool:
        """Listen to the databases that the project names now; whether all of them answer."""
        from dragoman.cli.output import complain
        from dragoman.errors import ConfigError, ServiceError
        from dragoman.project import load

        self.close()
        try:
            loaded = load(self._project)
            if not loaded.databases and not loaded.tenants:
                self._lost = False
                return True
            from dragoman.store_postgres.listen import Listener
            from dragoman.watcher import databases

            self._listeners += (Listener(dsn) for dsn in databases(loaded))
        except ConfigError:  # the build says what is wrong
            self._lost = False
        except ServiceError as error:
            if not self._lost:
                complain(f"{error.where}: {error.what}; the last index stays in use until it does")
            self._lost = True
            self.close()
            return False
        else:
            self._lost = False
        return True

    def wait(self, seconds: float) -> str:
        """What changed within ``seconds``, if anything did."""
        from dragoman.errors import ServiceError

        if self._lost:
            time.sleep(seconds)
            return "the database answers again" if self.connect() else ""
        try:
            for listener in self._listeners:
                if heard := listener.wait(seconds / len(self._listeners)):
                    return ", ".join(f"dragoman.{table}" for table in heard)
        except ServiceError:
            return "the database answers again" if self.connect() else ""
        if not self._listeners:
            time.sleep(seconds)
        return ""

    def close(self) -> None:
        """Stop listening."""
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()


def look(project: str) -> Look:
    """Every file that a build of the project reads, with its time of change (ns) and size (bytes).

    A project file that is wrong is a file like any other: the build says what is wrong with it.
    """
    from dragoman.errors import ConfigError
    from dragoman.project import load, locate

    roots = [locate(project)]
    try:
        loaded = load(project)
    except ConfigError:
        return _stats(roots)
    roots += [source.path for source in loaded.sources]
    roots += [path for _, path in loaded.own_files]
    if loaded.file.build.golden:
        roots.append(loaded.at(loaded.file.build.golden))
    return _stats(roots)


def _stats(roots: list[Path]) -> Look:
    found: Look = {}
    for root in roots:
        for path in root.rglob("*") if root.is_dir() else (root,):
            try:
                status = path.stat()
            except OSError:  # not there, or no longer: that is a change, too
                continue
            found[path] = (status.st_mtime_ns, status.st_size)
    return found


def _after(project: str, seconds: float) -> Look:
    time.sleep(seconds)
    return look(project)
