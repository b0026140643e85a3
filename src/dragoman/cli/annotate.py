"""``annotate``: the document side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, Tenant, examples

_EVERY = 500  # pages between two lines of progress


def annotate(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Pages: JSONL or Parquet with id, text, perhaps title.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The same pages with their terms, in the same format.")],
    most: Annotated[int, typer.Option("--most", metavar="N", min=1, help="Terms of a page, at most.")] = 20,
    field: Annotated[str, typer.Option("--field", metavar="NAME", help="The list that is added.")] = "terms",
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew instead of going on with what OUT holds.")] = False,
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Add to each page the terms that people may use for what it is about.

    Index them as a field of their own: at the text's weight where the engine ranks fields as one (BM25F), at about 0.3
    where it adds the fields' scores. JSONL may be stopped and gone on with; a Parquet file appears when it is complete.
    """
    from dragoman.batch.annotate import annotate as run
    from dragoman.cli.output import complain, print_json, progress_line
    from dragoman.engine import Dragoman

    vocabularies = Dragoman.open(project, tenant=tenant).vocabularies
    with progress_line() as tell:
        done = run(
            vocabularies,
            source,
            target,
            field=field,
            most=most,
            fresh=fresh,
            progress=lambda pages: None if pages % _EVERY else tell(f"{pages:,} pages"),
        )
    if as_json:
        print_json(done)
    else:
        there = f", {done.already} were there" if done.already else ""
        complain(f"{done.pages} pages in {target}{there}; {done.with_terms} got terms, {done.terms} in all")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("annotate"))(annotate)
