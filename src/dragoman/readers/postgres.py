"""The organisation's own taxonomy and formulary from PostgreSQL, by the same rules as from files.

What is read, and how, is in ``store_postgres/queries``; a role that may SELECT is enough. All tables of one call are
read in one snapshot.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from typing import Any

from dragoman.protocols import Report
from dragoman.readers.catalog import catalog_of
from dragoman.readers.deployment import Catalog, Taxonomy
from dragoman.readers.taxonomy import taxonomy_of
from dragoman.store_postgres.connect import answering, connect, query, shown

_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class QueryRows:
    """The rows of one statement of ``store_postgres/queries``, with the interface of ``tables.Table``."""

    def __init__(self, base: Any, table: str, database: str, report: Report) -> None:
        self.name = f"{database}: dragoman.{table}"
        cursor = base.execute(query(table))
        self.columns = tuple(column.name for column in cursor.description)
        self._rows: list[tuple[str, ...]] = cursor.fetchall()
        report.digest(f"postgresql:dragoman.{table}", _digest(self._rows))

    def places(self, *names: str) -> tuple[int, ...]:
        """The positions of columns."""
        return tuple(self.columns.index(name) for name in names)

    def place(self, name: str) -> int:
        """The position of a column, −1 where there is none."""
        return self.columns.index(name) if name in self.columns else -1

    def rows(self, report: Report) -> Iterator[tuple[int, list[str]]]:
        """``(number, values)``; rows are numbered from 1 in the order in which they were written."""
        for number, row in enumerate(self._rows, 1):
            yield number, list(row)


def read_taxonomy(dsn: str, report: Report, languages: Collection[str] = ()) -> Taxonomy:
    """The tables ``entity`` and ``relation``.

    Raises ``ServiceError`` where the server does not answer, ``DataError`` where it has no such tables, ``ConfigError``
    where the role may not read them.
    """
    database = shown(dsn)
    with answering(database), connect(dsn) as base:
        base.execute(_SNAPSHOT)
        entities, relations = (QueryRows(base, table, database, report) for table in ("entity", "relation"))
    return taxonomy_of(entities, relations, report, languages)


def read_catalog(dsn: str, report: Report, languages: Collection[str] = ()) -> Catalog:
    """The tables ``drug``, ``alias``, ``known_name`` and ``confusable``; raises as ``read_taxonomy``, and ``DataError``
    where no drug is active."""
    database = shown(dsn)
    with answering(database), connect(dsn) as base:
        base.execute(_SNAPSHOT)
        drugs, aliases, known, confusable = (
            QueryRows(base, table, database, report) for table in ("drug", "alias", "known_name", "confusable")
        )
    names = ((known.name, number, row[0]) for number, row in known.rows(report))
    return catalog_of(
        drugs=drugs, aliases=aliases, known=names, confusable=confusable, report=report, languages=languages
    )


def table_rows(taxonomy: Taxonomy | None, catalog: Catalog | None) -> dict[str, list[tuple[Any, ...]]]:
    """What was read from files as rows of the database's tables (see ``store_postgres.fill``)."""
    rows: dict[str, list[tuple[Any, ...]]] = {}
    if taxonomy is not None:
        rows["entity"] = [
            (e.entity_id, e.type, e.name, e.language, e.status, list(e.concept_ids), list(e.synonyms), e.url)
            for e in taxonomy.entities
        ]
        rows["relation"] = [(r.source_id, r.relation, r.target_id, r.status) for r in taxonomy.relations]
    if catalog is not None:
        rows["drug"] = [(d.drug_id, d.name, list(d.ingredients), d.atc, d.status) for d in catalog.drugs]
        rows["alias"] = [(a.drug_id, a.alias, a.kind, a.language, a.display_rank) for a in catalog.aliases]
        rows["known_name"] = [(name,) for name in catalog.known]
        rows["confusable"] = list(catalog.confusable)
    return rows


def _digest(rows: list[tuple[str, ...]]) -> str:
    """SHA-256 of all values, in order."""
    made = hashlib.sha256()
    for row in rows:
        for value in row:
            data = value.encode()
            made.update(len(data).to_bytes(4, "big") + data)
    return made.hexdigest()
