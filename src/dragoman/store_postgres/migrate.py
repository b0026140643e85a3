"""Migrations up and down: numbered pairs of SQL files, each applied once, in one transaction, under one lock."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.errors import DataError
from dragoman.store_postgres.connect import answering, connect, driver, shown

FOLDER = Path(__file__).parent / "migrations"
_FILE = re.compile(r"(\d{4})_(\w+)\.up\.sql")
_LOCK = 0x64726167  # "drag": whoever migrates holds this advisory lock until the end of the transaction
_BOOK = """
CREATE TABLE IF NOT EXISTS dragoman.migration (
    number integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
)
"""
# What a role needs that builds and serves, and what one needs that counts gaps; readers see no held name and no key.
READS = ("entity", "relation", "drug", "alias", "known_name", "confusable", "migration", "gap_count", "gap_skipped")
COUNTS = ("gap_count", "gap_held", "gap_skipped", "gap_key")


class Migration(NamedTuple):
    """One step of the schema: ``up`` and ``down`` are SQL, ``sha256`` is that of ``up``."""

    number: int
    name: str
    up: str
    down: str
    sha256: str


class Applied(NamedTuple):
    """A step that the database has taken; ``at`` is an ISO time."""

    number: int
    name: str
    sha256: str
    at: str


class Status(NamedTuple):
    """Where a database stands. ``pending``: steps it lacks; ``unknown``: steps of a newer dragoman; ``changed``: steps
    whose SQL is no longer what was applied."""

    database: str
    applied: tuple[Applied, ...]
    pending: tuple[str, ...]
    unknown: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def current(self) -> bool:
        """Whether this version of dragoman has nothing to do there."""
        return not (self.pending or self.changed)


@cache
def migrations(folder: Path = FOLDER) -> tuple[Migration, ...]:
    """All steps, in order."""
    found = []
    for path in sorted(folder.glob("*.up.sql")):
        matched = _FILE.fullmatch(path.name)
        if matched is None:
            raise DataError("is no name of a migration", where=str(path), advice="write NNNN_name.up.sql")
        up, down = path.read_text("utf-8"), path.with_name(path.name.replace(".up.", ".down.")).read_text("utf-8")
        found.append(Migration(int(matched[1]), matched[2], up, down, hashlib.sha256(up.encode()).hexdigest()))
    return tuple(found)


def status(dsn: str) -> Status:
    """What was applied and what is pending. A role that may read the tables may ask."""
    with answering(shown(dsn)), connect(dsn) as base:
        return _status(base, shown(dsn))


def migrate(dsn: str, *, reader: str | None = None, recorder: str | None = None) -> tuple[str, ...]:
    """Apply what is pending, all or nothing; the names of what was applied, none where the database is current.

    ``reader`` is a role that gets what building and serving need, ``recorder`` one that may count gaps as well. Raises
    ``DataError`` where an applied step is not what this version would have applied, ``ConfigError`` where the role
    that connects may not make tables.
    """
    with _locked(dsn) as base:
        if base.execute("SELECT to_regnamespace('dragoman')").fetchone()[0] is None:
            base.execute("CREATE SCHEMA dragoman")
        base.execute(_BOOK)
        before = _status(base, shown(dsn))
        if before.changed:
            raise DataError(
                f"has an earlier form of {', '.join(before.changed)}",
                where=before.database,
                advice="use the dragoman that migrated it to roll back, then migrate with this one",
            )
        done = []
        there = {step.number for step in before.applied}
        for step in migrations():
            if step.number not in there:
                base.execute(step.up)
                base.execute(
                    "INSERT INTO dragoman.migration (number, name, sha256) VALUES (%s, %s, %s)",
                    (step.number, step.name, step.sha256),
                )
                done.append(_label(step))
        _grant(base, reader, "SELECT", READS)
        _grant(base, recorder, "SELECT", READS)
        _grant(base, recorder, "SELECT, INSERT, UPDATE, DELETE", COUNTS)
        return tuple(done)


def rollback(dsn: str, *, to: int | None = None) -> tuple[str, ...]:
    """Undo the last step, or every step after number ``to`` (0: all), all or nothing; the names of what was undone.

    Tables go with what they hold. Raises ``DataError`` for a step of a newer dragoman, which alone knows its way back.
    """
    with _locked(dsn) as base:
        at = _status(base, shown(dsn))
        last = at.applied[-1].number if at.applied else 0
        least = last - 1 if to is None else to
        known = {step.number: step for step in migrations()}
        done = []
        for applied in reversed(at.applied):
            if applied.number <= least:
                break
            step = known.get(applied.number)
            if step is None:
                raise DataError(
                    f"was migrated by a newer dragoman ({_label(applied)})",
                    where=at.database,
                    advice="roll back with that version",
                )
            base.execute(step.down)
            base.execute("DELETE FROM dragoman.migration WHERE number = %s", (step.number,))
            done.append(_label(step))
        if at.applied and len(done) == len(at.applied):
            base.execute("DROP TABLE dragoman.migration")
            if not base.execute("SELECT 1 FROM pg_class WHERE relnamespace = 'dragoman'::regnamespace").fetchone():
                base.execute("DROP SCHEMA dragoman")
        return tuple(done)


@contextmanager
def _locked(dsn: str) -> Iterator[Any]:
    """A transaction in which nobody else migrates."""
    with answering(shown(dsn)), connect(dsn) as base, base.transaction():
        base.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        yield base


def _status(base: Any, database: str) -> Status:
    if base.execute("SELECT to_regclass('dragoman.migration')").fetchone()[0] is None:
        return Status(database, (), tuple(_label(step) for step in migrations()), (), ())
    rows = base.execute("SELECT number, name, sha256, applied_at FROM dragoman.migration ORDER BY number").fetchall()
    applied = tuple(Applied(n, name, sha256, at.isoformat(timespec="seconds")) for n, name, sha256, at in rows)
    ours = {step.number: step for step in migrations()}
    there = {step.number for step in applied}
    return Status(
        database,
        applied,
        tuple(_label(step) for step in ours.values() if step.number not in there),
        tuple(_label(step) for step in applied if step.number not in ours),
        tuple(_label(step) for step in applied if step.number in ours and ours[step.number].sha256 != step.sha256),
    )


def _label(step: Migration | Applied) -> str:
    return f"{step.number:04d}_{step.name}"


def _grant(base: Any, role: str | None, rights: str, tables: tuple[str, ...]) -> None:
    if role is None:
        return
    sql = driver().sql
    name = sql.Identifier(role)
    if base.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
        raise DataError(f"there is no role {role!r}", where="--reader, --recorder", advice="CREATE ROLE it first")
    base.execute(sql.SQL("GRANT USAGE ON SCHEMA dragoman TO {}").format(name))
    listed = sql.SQL(", ").join(sql.Identifier("dragoman", table) for table in tables)
    base.execute(sql.SQL("GRANT {} ON {} TO {}").format(sql.SQL(rights), listed, name))
