"""``build``: sources in, one checked index out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, examples

if TYPE_CHECKING:
    from rich.console import Console

    from dragoman.index.build import BuildReport, Progress

_SOME = 8  # examples of a kind that a person is shown; --json holds them all


def build(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write here instead of where the project file says.")
    ] = None,
    project: Project = PROJECT,
    as_json: AsJson = False,
) -> None:
    """Compile the index: progress, rejects as file:line, counts, ambiguity and collisions."""
    from dragoman.cli.output import console, print_json
    from dragoman.index.build import build as compile_index
    from dragoman.project import load

    loaded = load(project)
    with _progress() as tick:
        report = compile_index(loaded, out=out, progress=tick)
    if as_json:
        print_json(report)
    else:
        _show(report, console())


@contextmanager
def _progress() -> Iterator[Progress]:
    """Progress on stderr: bars on a terminal, a line for each step where it is piped."""
    import sys

    from dragoman.cli.output import complain, console

    if not sys.stderr.isatty():
        seen: set[str] = set()

        def line(what: str, done: int, total: int | None) -> None:
            if total is not None and done == total and done:
                complain(f"{what}: {done:,} rows")
            elif what not in seen and not done:
                complain(f"{what} ...")
            seen.add(what)

        yield line
        return

    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[rows]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def bar(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                for earlier in tasks.values():
                    bars.update(earlier, total=1, completed=1)
                tasks[what] = bars.add_task(what, total=total, rows="")
            bars.update(tasks[what], completed=done, total=total, rows=f"{done:,} rows" if done else "")

        yield bar


def _show(report: BuildReport, out: Console) -> None:
    from rich.text import Text

    from dragoman.cli.render import heading, table

    rows = table("source", "format", "version", "rows", "rejected", "left out")
    for s in report.sources:
        left_out = ", ".join(f"{n:,} {reason}" for reason, n in s.skipped.items())
        cells = (s.name, s.format, s.version or "–", f"{s.rows:,}", f"{sum(s.rejected.values()):,}", left_out or "–")
        rows.add_row(*map(Text, cells))
    out.print(rows)
    out.print(Text(" · ".join(f"{name} {count:,}" for name, count in report.counts.items())))
    if report.rejected:
        heading(out, "Rejected", "rows that were not taken; correct them in the source")
        for reason, count in report.rejected.items():
            out.print(Text(f"{count:,} × {reason}"))
        for reject in report.rejects[:_SOME]:
            place = f"{reject.path}:{reject.line}" if reject.line else reject.path
            out.print(Text(f"  {place}: {reject.reason}", "dim"))
        if len(report.rejects) > _SOME:
            out.print(Text("  more with --json", "dim"))
    for title, part in (("Terms", report.terms), ("Drug names", report.drugs)):
        _notes(title, part, out)
    out.print()
    out.print(Text(f"index {report.id} in {report.seconds:.1f} s: {report.path}", "green"))


def _notes(title: str, part: dict[str, Any], out: Console) -> None:
    """What an editor should look at: ambiguous terms, names that fold together."""
    from rich.text import Text

    from dragoman.cli.render import heading

    shown = {name: value for name, value in part.items() if value and name != "counts"}
    if not shown:
        return
    heading(out, title)
    for name, value in shown.items():
        label = name.replace("_", " ")
        if isinstance(value, list | tuple):
            out.print(Text(f"{label}: {len(value):,}"))
            for item in value[:_SOME]:
                out.print(Text(f"  {_line(item)}", "dim"))
            if len(value) > _SOME:
                out.print(Text("  more with --json", "dim"))
        elif isinstance(value, dict):
            out.print(Text(f"{label}: " + ", ".join(f"{k} {_line(v)}" for k, v in list(value.items())[:_SOME])))
        else:
            out.print(Text(f"{label}: {value:,}" if isinstance(value, int) else f"{label}: {value}"))


def _line(item: Any) -> str:
    if isinstance(item, dict):
        return " ".join(_line(v) for v in item.values())
    if isinstance(item, list | tuple):
        return " · ".join(_line(v) for v in item)
    return str(item)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("build"))(build)
