"""Writes ``reference/postgres.md`` from the SQL that runs: ``python docs/make_postgres.py``."""

from __future__ import annotations

from pathlib import Path

from dragoman.retrieve.postgres import statement
from dragoman.store_postgres.connect import query
from dragoman.store_postgres.fill import COLUMNS
from dragoman.store_postgres.listen import CHANNEL
from dragoman.store_postgres.migrate import COUNTS, READS, migrations

PAGE = Path(__file__).parent / "reference" / "postgres.md"
HEAD = """\
# PostgreSQL

The SQL that runs, as it runs. How to use it: [keep taxonomy, catalogue and gaps in PostgreSQL](../how-to/postgres.md).
"""
SEARCH = {
    "words_tables": "The tables of `PostgresRetriever`, made where they are missing.",
    "words_count": "After pages were added.",
    "words_search": "The search for words.",
    "vectors_table": "The table of `PostgresVectors`.",
    "vectors_index": "`PostgresVectors.approximate`.",
    "vectors_search": "The search by meaning. With an HNSW index `hnsw.ef_search` is set for the transaction.",
}


def page() -> str:
    """The page, the same for the same code."""
    lines = [
        HEAD,
        "## Migrations",
        "",
        "`dragoman db migrate` applies them, each once; `rollback` runs the second part.",
    ]
    for step in migrations():
        lines += ["", f"### {step.number:04d}_{step.name}", "", _sql(step.up), "", _sql(step.down)]
    lines += ["", "## Reading", "", "What `dragoman build` asks, all of a part in one snapshot (`REPEATABLE READ`)."]
    for table in COLUMNS:
        lines += ["", _sql(query(table))]
    lines += ["", "## Changes", "", f"A program that watches runs `LISTEN {CHANNEL}`; the payload is a table's name."]
    lines += [
        "",
        "## Rights",
        "",
        f"`--reader` may `SELECT` from {_names(READS)}. `--recorder` may do that, and write ",
    ]
    lines[-1] += f"{_names(COUNTS)}."
    lines += ["", "## Search", "", "Names in braces are those of your tables; `%(name)s` are values."]
    for name, says in SEARCH.items():
        lines += ["", says, "", _sql(statement(name).replace("%%", "%"))]
    lines += ["", "`PostgresHybrid` runs both searches and fuses them by reciprocal ranks."]
    lines += ["", "This page is written by `docs/make_postgres.py`."]
    return "\n".join(lines) + "\n"


def _sql(text: str) -> str:
    return f"```sql\n{text.strip()}\n```"


def _names(tables: tuple[str, ...]) -> str:
    return ", ".join(f"`{table}`" for table in tables)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
