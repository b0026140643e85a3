"""The organisation's own catalogue and taxonomy, from wherever the project keeps them: files, or PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from dragoman.project_tables import CatalogTable, TaxonomyTable
from dragoman.protocols import Report
from dragoman.readers.catalog import read_catalog
from dragoman.readers.deployment import Catalog, Taxonomy
from dragoman.readers.taxonomy import read_taxonomy

At = Callable[[str], Path]
"""A path of the project file → the absolute path."""


def own_catalog(
    table: CatalogTable,
    at: At,
    where: str,
    report: Report,
    *,
    inactive: bool = False,
    languages: Collection[str] = (),
) -> Catalog:
    """The drugs of ``[catalog]``; ``where`` is the project file's path, for complaints, and
    ``languages`` the project's, by which a misspelt one is told.

    ``inactive``: of files, keep the drugs that are not active as well. Raises ``DataError`` for data that cannot be
    used, ``ServiceError`` where a database does not answer.
    """
    if table.stored:
        from dragoman.readers import postgres  # only a project with a database needs its driver
        from dragoman.store_postgres.connect import conninfo

        return postgres.read_catalog(conninfo(table.dsn, table.dsn_env, f"{where}: [catalog]"), report, languages)
    return read_catalog(
        drugs=at(table.drugs or ""),
        aliases=at(table.aliases) if table.aliases else None,
        known=at(table.known) if table.known else None,
        confusable=at(table.confusable) if table.confusable else None,
        report=report,
        inactive=inactive,
        languages=languages,
    )


def own_taxonomy(
    table: TaxonomyTable, at: At, where: str, report: Report, *, languages: Collection[str] = ()
) -> Taxonomy:
    """The entities and relations of ``[taxonomy]``; as ``own_catalog``."""
    if table.stored:
        from dragoman.readers import postgres
        from dragoman.store_postgres.connect import conninfo

        return postgres.read_taxonomy(conninfo(table.dsn, table.dsn_env, f"{where}: [taxonomy]"), report, languages)
    return read_taxonomy(
        entities=at(table.entities or ""),
        relations=at(table.relations) if table.relations else None,
        report=report,
        languages=languages,
    )
