"""The counts in SQLite: a row a day and thing, safe for several processes.

A name that no list has is not stored before ``keep_after`` distinct requests have brought it. Until then there are two
keyed hashes, of the name and of the request; the key is the database's own, made with it. They keep the words from
whoever reads the file, not from one who has the file and guesses: the file is its owner's alone (mode 0600).
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from dragoman.errors import DataError
from dragoman.gaps.observe import Missing
from dragoman.types import Value

VERSION = 1
KEY_BYTES = 32
HASH_BYTES = 16

NO_PAGE, DRUG, AMBIGUOUS = "no_page", "drug", "ambiguous"

_SCHEMA = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE counts (
  kind TEXT NOT NULL, id TEXT NOT NULL, day TEXT NOT NULL, source TEXT NOT NULL, label TEXT NOT NULL,
  listed INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (kind, id, source, day)
) WITHOUT ROWID;
CREATE TABLE held (
  name BLOB NOT NULL, request BLOB NOT NULL, day TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (name, request)
) WITHOUT ROWID;
CREATE TABLE skipped (day TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
PRAGMA user_version = {VERSION};
"""
_TABLES = ("counts", "held", "skipped")
_COUNT = (
    "INSERT INTO counts VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET count = count + excluded.count, label = excluded.label, listed = excluded.listed"
)


class Row(Value, frozen=True, kw_only=True):
    """One thing that was asked for: how often, and on which day last (ISO date)."""

    kind: str
    id: str
    source: str
    label: str
    listed: bool
    count: int
    last: str


class Held(Value, frozen=True, kw_only=True):
    """Names that too few requests have brought to be stored: how many names, how often in all."""

    names: int = 0
    count: int = 0


class OtherVersion(sqlite3.DatabaseError):
    """The database is not one that this version writes."""


class Store:
    """One connection. Not for several threads at once; see ``Recorder``.

    Every method raises ``sqlite3.Error`` where the database is locked, damaged or not to be written.
    """

    def __init__(self, path: Path | None, wait_s: float = 5.0) -> None:
        if path is None:
            self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            self._close_when_dropped()
            _make(self._db)
            return
        if not path.exists():
            _create(path)
        self._db = sqlite3.connect(path, timeout=wait_s, isolation_level=None, check_same_thread=False)
        self._close_when_dropped()
        try:
            self._db.execute("PRAGMA synchronous = NORMAL")  # in WAL mode whole after a crash, without a wait each time
            self._db.execute("PRAGMA secure_delete = ON")
            if self._db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                raise OtherVersion("another version")
        except sqlite3.Error:
            self._db.close()
            raise

    def _close_when_dropped(self) -> None:
        """Not at exit: a forked process must leave its parent's connection alone."""
        weakref.finalize(self, self._db.close).atexit = False

    def wait(self, milliseconds: int) -> None:
        """How long to wait for another process that writes."""
        self._db.execute(f"PRAGMA busy_timeout = {int(milliseconds)}")

    def add(self, day: str, missing: Missing, keep_after: int, *, skipped: int = 0, before: str | None = None) -> None:
        """Count what a turn lacks under ``day``; all or nothing.

        ``keep_after`` distinct requests must bring a name that no list has before it is stored. ``skipped``: turns that
        could not be counted before. ``before``: what is older than this day is deleted.
        """
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            if before is not None:
                for table in _TABLES:
                    db.execute(f"DELETE FROM {table} WHERE day < ?", (before,))
            rows = [(NO_PAGE, c.id, day, c.source, c.name, 1, 1) for c in missing.concepts]
            rows += [(AMBIGUOUS, a.term, day, "|".join(a.concepts), a.term, 1, 1) for a in missing.ambiguous]
            rows += [(DRUG, d.key, day, "", d.listed, 1, 1) for d in missing.drugs if d.listed is not None]
            db.executemany(_COUNT, rows)
            for drug in missing.drugs:
                if drug.listed is None:
                    self._hold(day, drug.key, drug.text, missing.request, keep_after)
            if skipped:
                db.execute(
                    "INSERT INTO skipped VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
                    (day, skipped),
                )
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def _hold(self, day: str, name: str, text: str, request: str, keep_after: int) -> None:
        db = self._db
        kept = db.execute("SELECT label FROM counts WHERE kind = ? AND id = ? LIMIT 1", (DRUG, name)).fetchone()
        if kept is not None:
            db.execute(_COUNT, (DRUG, name, day, "", kept[0], 0, 1))
            return
        key = db.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()[0]
        name_hash = hashed(key, "name", name)
        db.execute(
            "INSERT INTO held VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
            (name_hash, hashed(key, "request", day, request), day),
        )
        if db.execute("SELECT count(*) FROM held WHERE name = ?", (name_hash,)).fetchone()[0] < keep_after:
            return
        days = db.execute("SELECT day, sum(count) FROM held WHERE name = ? GROUP BY day", (name_hash,)).fetchall()
        db.executemany(_COUNT, [(DRUG, name, on, "", text, 0, count) for on, count in days])
        db.execute("DELETE FROM held WHERE name = ?", (name_hash,))

    def rows(self, since: str | None = None) -> list[Row]:
        """What was counted from the day ``since`` on: the most frequent first, then by name."""
        found = self._db.execute(
            "SELECT kind, id, source, max(label), max(listed), sum(count), max(day) FROM counts WHERE day >= ? "
            "GROUP BY kind, id, source ORDER BY sum(count) DESC, max(label), id, kind, source",
            (since or "",),
        )
        return [
            Row(kind=kind, id=id_, source=source, label=label, listed=bool(listed), count=count, last=last)
            for kind, id_, source, label, listed, count, last in found
        ]

    def held(self, since: str | None = None) -> Held:
        """The names that are not stored yet."""
        names, count = self._db.execute(
            "SELECT count(DISTINCT name), coalesce(sum(count), 0) FROM held WHERE day >= ?", (since or "",)
        ).fetchone()
        return Held(names=names, count=count)

    def skipped(self, since: str | None = None) -> int:
        """Turns that were not counted because the database was locked or could not be written."""
        found = self._db.execute("SELECT coalesce(sum(count), 0) FROM skipped WHERE day >= ?", (since or "",))
        return int(found.fetchone()[0])

    def forget(self) -> int:
        """Delete everything, from the file as well, and take another key; how many rows there were."""
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        gone = sum(db.execute(f"DELETE FROM {table}").rowcount for table in _TABLES)
        db.execute("UPDATE meta SET value = ? WHERE name = 'key'", (secrets.token_bytes(KEY_BYTES),))
        db.execute("COMMIT")
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    """The counts at ``path`` for a person to read, empty ones where nothing was counted yet.

    Raises ``DataError`` where the file is locked, damaged, or of another version, whenever that shows.
    """
    counts = None
    try:
        counts = Store(path if path.exists() else None)
        yield counts
    except sqlite3.Error as error:
        if locked(error):
            raise DataError("another process is writing to it", where=str(path), advice="try again") from None
        raise DataError(
            f"is not a database of gaps that this version reads ({error})",
            where=str(path),
            advice="move it away; a new one is made with the next turn",
        ) from None
    finally:
        if counts is not None:
            counts.close()


def locked(error: BaseException) -> bool:
    """Whether the database was merely in use by another."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _create(path: Path) -> None:
    """Make an empty database whole and then give it its name, so that no other process sees half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        db = sqlite3.connect(new, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            _make(db)
        finally:
            db.close()
        try:
            os.link(new, path)
        except FileExistsError:
            return  # another process was faster
    finally:
        new.unlink(missing_ok=True)


def _make(db: sqlite3.Connection) -> None:
    db.executescript(_SCHEMA)
    db.execute("INSERT INTO meta VALUES ('key', ?)", (secrets.token_bytes(KEY_BYTES),))


def hashed(key: bytes, *parts: str) -> bytes:
    """A keyed hash of the parts, by which a name or a request is told from another without being kept."""
    data = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(data, key=key, digest_size=HASH_BYTES).digest()
