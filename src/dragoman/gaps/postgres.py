"""The counts in PostgreSQL: the same rows and the same rules as in SQLite, for programs on several machines.

The key of the hashes stands in a table that readers of the counts need no right to (see ``db migrate --recorder``).
"""

from __future__ import annotations

import secrets
from typing import Any

from dragoman.gaps.observe import Missing
from dragoman.gaps.store import AMBIGUOUS, DRUG, KEY_BYTES, NO_PAGE, Held, Row, hashed
from dragoman.store_postgres.connect import answering, connect, shown

_TABLES = ("gap_count", "gap_held", "gap_skipped")
_COUNT = """
INSERT INTO dragoman.gap_count (tenant, kind, id, day, source, label, listed, count)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (tenant, kind, id, source, day) DO UPDATE
SET count = gap_count.count + excluded.count, label = excluded.label, listed = excluded.listed
"""
_HOLD = """
INSERT INTO dragoman.gap_held (tenant, name, request, day, count) VALUES (%s, %s, %s, %s, 1)
ON CONFLICT (tenant, name, request) DO UPDATE SET count = gap_held.count + 1
"""
_SKIP = """
INSERT INTO dragoman.gap_skipped (tenant, day, count) VALUES (%s, %s, %s)
ON CONFLICT (tenant, day) DO UPDATE SET count = gap_skipped.count + excluded.count
"""
_ROWS = """
SELECT kind, id, source, max(label), bool_or(listed), sum(count)::bigint, max(day)
FROM dragoman.gap_count WHERE tenant = %s AND (%s::date IS NULL OR day >= %s::date)
GROUP BY kind, id, source ORDER BY sum(count) DESC, max(label) COLLATE "C", id COLLATE "C", kind, source COLLATE "C"
"""
_HELD = "FROM dragoman.gap_held WHERE tenant = %s AND name = %s"
_SINCE = "FROM dragoman.{} WHERE tenant = %s AND (%s::date IS NULL OR day >= %s::date)"


class PostgresCounts:
    """One connection to the counts of ``tenant`` (empty: of the project itself). Not for several threads at once.

    Raises ``ServiceError`` where the server does not answer, ``DataError`` where it has no tables, ``ConfigError``
    where the role may not count.
    """

    def __init__(self, dsn: str, tenant: str = "") -> None:
        self._where = shown(dsn)
        self._tenant = tenant
        with answering(self._where):
            self._db: Any = connect(dsn)

    def add(self, day: str, missing: Missing, keep_after: int, *, skipped: int = 0, before: str | None = None) -> None:
        """As ``gaps.store.Store.add``. Several programs may: names are held and kept one program at a time."""
        with answering(self._where), self._db.transaction():
            if before is not None:
                for table in _TABLES:
                    self._db.execute(
                        f"DELETE FROM dragoman.{table} WHERE tenant = %s AND day < %s", (self._tenant, before)
                    )
            rows = [(NO_PAGE, c.id, day, c.source, c.name, True, 1) for c in missing.concepts]
            rows += [(AMBIGUOUS, a.term, day, "|".join(a.concepts), a.term, True, 1) for a in missing.ambiguous]
            rows += [(DRUG, d.key, day, "", d.listed, True, 1) for d in missing.drugs if d.listed is not None]
            unlisted = [drug for drug in missing.drugs if drug.listed is None]
            for row in sorted(rows, key=lambda r: r[:4]):  # in one order everywhere, so that no two wait for each other
                self._db.execute(_COUNT, (self._tenant, *row))
            if unlisted:
                self._db.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"gaps {self._tenant}",))
            for drug in unlisted:
                self._hold(day, drug.key, drug.text, missing.request, keep_after)
            if skipped:
                self._db.execute(_SKIP, (self._tenant, day, skipped))

    def _hold(self, day: str, name: str, text: str, request: str, keep_after: int) -> None:
        db, tenant = self._db, self._tenant
        at = (tenant, DRUG, name)
        kept = db.execute(
            "SELECT label FROM dragoman.gap_count WHERE tenant = %s AND kind = %s AND id = %s LIMIT 1", at
        ).fetchone()
        if kept is not None:
            db.execute(_COUNT, (*at, day, "", kept[0], False, 1))
            return
        key = self._key()
        name_hash = hashed(key, "name", name)
        db.execute(_HOLD, (tenant, name_hash, hashed(key, "request", day, request), day))
        held = (tenant, name_hash)
        if db.execute(f"SELECT count(*) {_HELD}", held).fetchone()[0] < keep_after:
            return
        for on, count in db.execute(
            f"SELECT day, sum(count)::bigint {_HELD} GROUP BY day ORDER BY day", held
        ).fetchall():
            db.execute(_COUNT, (*at, on, "", text, False, count))
        db.execute(f"DELETE {_HELD}", held)

    def _key(self) -> bytes:
        """The key of the hashes, made where there is none."""
        self._db.execute(
            "INSERT INTO dragoman.gap_key (tenant, key) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (self._tenant, secrets.token_bytes(KEY_BYTES)),
        )
        found = self._db.execute("SELECT key FROM dragoman.gap_key WHERE tenant = %s", (self._tenant,)).fetchone()
        return bytes(found[0])

    def rows(self, since: str | None = None) -> list[Row]:
        """As ``gaps.store.Store.rows``."""
        with answering(self._where):
            found = self._db.execute(_ROWS, (self._tenant, since, since)).fetchall()
        return [
            Row(kind=kind, id=id_, source=source, label=label, listed=listed, count=count, last=last.isoformat())
            for kind, id_, source, label, listed, count, last in found
        ]

    def held(self, since: str | None = None) -> Held:
        """As ``gaps.store.Store.held``."""
        names, count = self._one("SELECT count(DISTINCT name), coalesce(sum(count), 0)::bigint", "gap_held", since)
        return Held(names=names, count=count)

    def skipped(self, since: str | None = None) -> int:
        """As ``gaps.store.Store.skipped``."""
        return int(self._one("SELECT coalesce(sum(count), 0)::bigint", "gap_skipped", since)[0])

    def forget(self) -> int:
        """Delete everything, and the key; how many rows there were. The server's own backups and WAL are its own."""
        with answering(self._where), self._db.transaction():
            gone = sum(
                self._db.execute(f"DELETE FROM dragoman.{table} WHERE tenant = %s", (self._tenant,)).rowcount
                for table in _TABLES
            )
            self._db.execute("DELETE FROM dragoman.gap_key WHERE tenant = %s", (self._tenant,))
        return int(gone)

    def close(self) -> None:
        """Let go of the connection."""
        self._db.close()

    def _one(self, select: str, table: str, since: str | None) -> Any:
        with answering(self._where):
            return self._db.execute(f"{select} {_SINCE.format(table)}", (self._tenant, since, since)).fetchone()
