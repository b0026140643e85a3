"""A small project whose taxonomy and catalogue stand in a database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.index import project as small

from dragoman.project import Project, load
from dragoman.protocols import Report
from dragoman.readers.own import own_catalog, own_taxonomy
from dragoman.readers.postgres import table_rows
from dragoman.store_postgres.fill import fill
from dragoman.store_postgres.migrate import migrate

TEXT = "ik heb een zwelvoet en neem zorbalin"


def toml(dsn: str, more: str = "") -> str:
    """The project file: the terminology in a folder, everything of its own in the database."""
    head = small.PROJECT.partition("[taxonomy]")[0]
    return f'{head}[taxonomy]\ndsn = "{dsn}"\n\n[catalog]\ndsn = "{dsn}"\n{more}'


def rows(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What ``tests.index.project`` has in files, as rows of the database."""
    given = small.write(folder)
    report = Report()
    assert given.file.taxonomy is not None
    assert given.file.catalog is not None
    taxonomy = own_taxonomy(given.file.taxonomy, given.at, "", report)
    return table_rows(taxonomy, own_catalog(given.file.catalog, given.at, "", report, inactive=True))


def write(folder: Path, dsn: str, more: str = "") -> Project:
    """The project over ``dsn``, whose tables are made and filled."""
    migrate(dsn)
    fill(dsn, rows(folder / "files"), replace=True)
    (folder / "terms").mkdir()
    (folder / "terms" / "terms.csv").write_text(small.TERMS, "utf-8")
    (folder / "dragoman.toml").write_text(toml(dsn, more), "utf-8")
    return load(folder)


def run(dsn: str, *statements: str) -> None:
    """Statements in one transaction, as an editor's tool would."""
    import psycopg

    with psycopg.connect(dsn) as base:
        for statement in statements:
            base.execute(statement)
