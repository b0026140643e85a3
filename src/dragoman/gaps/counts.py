"""Where the counts stand, SQLite or PostgreSQL, and what either must do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from dragoman.errors import ConfigError
from dragoman.gaps import store
from dragoman.gaps.observe import Missing
from dragoman.gaps.recorder import Recorder
from dragoman.gaps.store import Held, Row
from dragoman.project import Project
from dragoman.project_tables import GapsTable

if TYPE_CHECKING:
    from dragoman.gaps.queued import QueuedRecorder


class Counts(Protocol):
    """The counts, open for reading and writing; ``gaps.store.Store`` says what each method does."""

    def add(self, day: str, missing: Missing, keep_after: int, *, skipped: int = 0, before: str | None = None) -> None:
        """Count what a turn lacks; all or nothing."""
        ...

    def rows(self, since: str | None = None) -> list[Row]:
        """What was counted, the most frequent first."""
        ...

    def held(self, since: str | None = None) -> Held:
        """The names that are not stored yet."""
        ...

    def skipped(self, since: str | None = None) -> int:
        """Turns that could not be counted."""
        ...

    def forget(self) -> int:
        """Delete everything."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


def recorder(project: Project) -> Recorder | QueuedRecorder | None:
    """What counts the turns of a project, or of a tenant; ``None`` where its file has no ``[gaps]``.

    A file is written at once, a database from a thread, for it may be far away or gone. Raises ``ConfigError`` for a
    connection string that cannot be meant.
    """
    table = project.file.gaps
    if table is None:
        return None
    if not table.stored:
        return Recorder(project.at(table.path), table.keep_after, table.keep_days)
    from dragoman.gaps.postgres import PostgresCounts
    from dragoman.gaps.queued import QueuedRecorder

    dsn, tenant = _dsn(project, table), project.of or ""
    return QueuedRecorder(lambda: PostgresCounts(dsn, tenant), table.keep_after, table.keep_days)


@contextmanager
def opened(project: Project) -> Iterator[Counts]:
    """The counts of a project for a person to read.

    Raises ``ConfigError`` where it does not count, ``DataError`` where the file is locked or damaged, ``ServiceError``
    where the database does not answer.
    """
    table = _table(project)
    if not table.stored:
        with store.opened(project.at(table.path)) as counts:
            yield counts
        return
    from dragoman.gaps.postgres import PostgresCounts

    kept = PostgresCounts(_dsn(project, table), project.of or "")
    try:
        yield kept
    finally:
        kept.close()


def place(project: Project) -> str:
    """Where the counts stand, for messages. Raises ``ConfigError`` where the project does not count."""
    table = _table(project)
    if not table.stored:
        return str(project.at(table.path))
    from dragoman.store_postgres.connect import shown

    return shown(_dsn(project, table))


def begun(project: Project) -> bool:
    """Whether anything may have been counted yet: a file is made with the first turn that lacks something."""
    table = _table(project)
    return table.stored or project.at(table.path).exists()


def _table(project: Project) -> GapsTable:
    if project.file.gaps is None:
        raise ConfigError(
            "the project does not count gaps",
            where=str(project.path),
            advice="add a [gaps] table to its file, or give --from FILE",
        )
    return project.file.gaps


def _dsn(project: Project, table: GapsTable) -> str:
    from dragoman.store_postgres.connect import conninfo

    return conninfo(table.dsn, table.dsn_env, f"{project.path}: [gaps]")
