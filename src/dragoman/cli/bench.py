"""``bench``: what this machine needs for the work."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dragoman.cli.options import AsJson, examples


def bench(
    size: Annotated[
        int,
        typer.Option("--size", metavar="N", min=1000, help="Terms of the synthetic terminology; SNOMED CT has 529000."),
    ] = 50_000,
    as_json: AsJson = False,
) -> None:
    """Measure resolver, enrichment, build, opening and start-up on synthetic data of a fixed seed."""
    from dragoman.bench.run import run
    from dragoman.cli.output import complain, console, print_json

    found = run(size, complain)
    if as_json:
        print_json(found)
        return
    from rich.text import Text

    from dragoman.cli.render import table

    rows = table("what", "figure")
    for name, value in _flat(found):
        rows.add_row(Text(name), Text("not measured" if value is None else f"{value:,}", justify="right"))
    console().print(rows)


def _flat(figures: dict[str, Any], inside: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for name, value in figures.items():
        flat.extend(_flat(value, f"{inside}{name}.") if isinstance(value, dict) else [(inside + name, value)])
    return flat


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("bench"))(bench)
