"""``lookup``: what the vocabularies hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, Tenant, examples

if TYPE_CHECKING:
    from rich.console import Console

    from dragoman.engine import Lookup


def lookup(
    term: Annotated[
        str, typer.Argument(metavar="TERM_OR_ID", help="A term in any spelling that folds to it, or an id.")
    ],
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """What the vocabularies hold for a term or an id: terms, parents, mapped entities.

    Exits with 1 where they hold nothing of it.
    """
    from dragoman.cli.output import complain, console, print_json
    from dragoman.engine import Dragoman

    found = Dragoman.open(project, tenant=tenant).lookup(term)
    if as_json:
        print_json(found)
    else:
        _show(found, console())
    if not (found.drugs or found.concepts or found.entities):
        complain(f"nothing is known of {term!r}; `dragoman resolve` shows what is made of a text, word by word")
        raise typer.Exit(1)


def _show(found: Lookup, out: Console) -> None:
    groups = (("Drugs", found.drugs), ("Concepts", found.concepts), ("Pages", found.entities))
    for title, items in groups:
        for item in items:
            _item(title, item, out)


def _item(title: str, item: dict[str, Any], out: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    from dragoman.cli.render import heading

    heading(out, str(item.get("name") or item.get("id") or title), title.lower().removesuffix("s"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan")
    grid.add_column(overflow="fold")
    for key, value in item.items():
        if value not in (None, "", [], {}, ()):
            grid.add_row(key, Text(_text(value)))
    out.print(grid)


def _text(value: Any) -> str:
    """A field as words: lists by commas, objects by their values, and lists by name under their names."""
    if isinstance(value, dict):
        if any(isinstance(v, list | tuple) for v in value.values()):
            return "; ".join(f"{name}: {_text(v)}" for name, v in value.items())
        return " ".join(_text(v) for v in value.values() if v not in (None, ""))
    if isinstance(value, list | tuple):
        return ", ".join(_text(v) for v in value)
    return str(value)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("lookup"))(lookup)
