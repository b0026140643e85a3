"""Brings rows into the database, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.errors import DataError
from dragoman.store_postgres.connect import answering, connect, driver, shown

COLUMNS: dict[str, tuple[str, ...]] = {
    "entity": ("entity_id", "type", "name", "language", "status", "concept_ids", "synonyms", "url"),
    "relation": ("source_id", "relation", "target_id", "status"),
    "drug": ("drug_id", "name", "ingredients", "atc", "status"),
    "alias": ("drug_id", "alias", "kind", "language", "display_rank"),
    "known_name": ("name",),
    "confusable": ("a", "b"),
}
"""The tables in the order in which they are filled, with the columns that are written."""
KEYS = {"relation": 3, "confusable": 2}  # leading columns that must differ, where the readers of files allow twins

Rows = Mapping[str, Sequence[Sequence[Any]]]
"""Table → rows, a value for each of its ``COLUMNS``."""


def fill(dsn: str, rows: Rows, *, replace: bool = False) -> dict[str, int]:
    """Write the tables that ``rows`` names; how many rows each has now. Who listens hears of it once.

    ``replace``: what stood there goes. Without it tables that hold anything are refused (``DataError``), so that no
    editor's work is lost. Rows that stand twice are written once.
    """
    sql = driver().sql
    given = {table: _once(rows[table], KEYS.get(table)) for table in COLUMNS if table in rows}
    database = shown(dsn)
    with answering(database), connect(dsn) as base, base.transaction():
        for table in given:
            at = sql.Identifier("dragoman", table)
            if not replace and base.execute(sql.SQL("SELECT EXISTS (SELECT FROM {})").format(at)).fetchone()[0]:
                raise DataError(
                    f"the table dragoman.{table} is not empty", where=database, advice="--replace deletes what it holds"
                )
        for table in reversed(given):
            base.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier("dragoman", table)))
        for table, values in given.items():
            columns = sql.SQL(", ").join(map(sql.Identifier, COLUMNS[table]))
            into = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier("dragoman", table), columns)
            with base.cursor() as cursor, cursor.copy(into) as copy:
                for row in values:
                    copy.write_row(row)
    return {table: len(values) for table, values in given.items()}


def _once(rows: Sequence[Sequence[Any]], key: int | None) -> list[Sequence[Any]]:
    """The rows, without those that agree with an earlier one in their first ``key`` values."""
    if key is None:
        return list(rows)
    found: dict[tuple[Any, ...], Sequence[Any]] = {}
    for row in rows:
        found.setdefault(tuple(row[:key]), row)
    return list(found.values())
