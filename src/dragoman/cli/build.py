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

    from dragoman.index.build_report import BuildReport, Gate
    from dragoman.index.taken import Progress
    from dragoman.protocols import Reject

_SOME = 8  # examples of a kind that a person is shown; --json holds them all
_MEANS = {  # what is listed, in words; the keys are those of --json
    "ambiguous": "names of several",
    "everyday": "everyday words too, which need their capitals",
    "unmapped": "pages whose concept_ids no terminology has: correct them, or add the terminology",
    "unreached": "pages that no term of a terminology leads to: people must use the pages' own words",
    "duplicates": "concepts that carry each other's names",
    "collisions": "names of different drugs that spelling rules make one: each is found as it is written alone",
    "guarded": "short or ordinary words, which count beside a dose, a form or in capitals",
    "same_substance": "known names that the catalogue has in another spelling: left out of the known names",
}


def build(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write here instead of where the project file says.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only find out whether the build would be taken; change nothing.")
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take the new index even if it lacks much of what the current one has.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and build again whenever a source changes.")] = False,
    tenant: Annotated[
        str | None,
        typer.Option(
            "--tenant",
            metavar="NAME",
            help="Build this tenant's index alone; by default the project's, then every tenant's.",
        ),
    ] = None,
    project: Project = PROJECT,
    as_json: AsJson = False,
) -> None:
    r"""Compile the index: progress, rejects as file:line, counts, ambiguity and collisions.

    Exits with 1, the old index in use, where the new one fails the golden questions of \[build] or has lost much.
    """
    from dragoman.errors import ConfigError

    if watch and (as_json or check):
        raise ConfigError("--watch goes on for ever", where="--watch", advice="leave out --json and --check")
    if not watch:
        _once(project, out, tenant, check=check, accept=accept, as_json=as_json)
        return
    from dragoman.cli.output import complain
    from dragoman.cli.watch import changes

    for changed in changes(project):
        if changed:
            complain(f"changed: {changed}")
        _try(project, out, tenant, accept=accept)


def _once(project: str, out: Path | None, tenant: str | None, *, check: bool, accept: bool, as_json: bool) -> None:
    from dragoman.cli.output import console, print_json
    from dragoman.index.build import build as compile_index
    from dragoman.project import load

    loaded = load(project)
    judge: Gate | None = None
    if loaded.file.build.golden or any(table.golden for table in loaded.file.tenants.values()):
        from dragoman.evaluate.gate import gate  # the whole engine, which a small build need not wait for

        judge = gate
    with _progress() as tick:
        report = compile_index(loaded, out=out, progress=tick, gate=judge, accept=accept, check=check, tenant=tenant)
    if as_json:
        print_json(report)
    else:
        _show(report, console())


def _try(project: str, out: Path | None, tenant: str | None, *, accept: bool) -> None:
    """Build; an error is shown, and is over with the next change of a source."""
    from dragoman.cli.output import fail
    from dragoman.errors import DragomanError

    try:
        _once(project, out, tenant, check=False, accept=accept, as_json=False)
    except DragomanError as error:
        fail(error, as_json=False)


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

    rows = table("source", "format", "version", "licence", "rows", "rejected", "left out", "changed")
    for s in report.sources:
        told = (_reasons(s.skipped), _reasons(s.noted))
        counts = (f"{s.rows:,}", f"{sum(s.rejected.values()):,}")
        rows.add_row(*map(Text, (s.name, s.format, s.version or "–", s.licence or "–", *counts, *told)))
    out.print(rows)
    out.print(Text(" · ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in report.counts.items() if count)))
    if report.rejected:
        heading(out, "Rejected", "rows that were not taken; correct them in the source")
        first: dict[str, Reject] = {}
        for reject in report.rejects:
            first.setdefault(reject.reason, reject)
        for reason, count in report.rejected.items():
            out.print(Text(f"{count:,} × {reason}"))
            if reason in first:
                at = first[reason]
                out.print(Text(f"  {at.path}:{at.line}" if at.line else f"  {at.path}", "dim"))
        out.print(Text(f"  all of them: {report.rejects_file}", "dim"))
    if report.doubts:
        heading(out, "In doubt", "rows that were taken, and that nothing will use as they stand")
        for doubt in report.doubts:
            out.print(Text(f"{doubt.count:,} × {doubt.what}", "yellow"))
            out.print(Text(f"  {doubt.path}:{doubt.line}" if doubt.line else f"  {doubt.path}", "dim"))
    for title, part in (("Terms", report.terms), ("Drug names", report.drugs)):
        _notes(title, part, out)
    _changes(report, out)
    out.print()
    done = f"index {report.id} in {report.seconds:.1f} s"
    if report.reused:
        done += f" ({', '.join(report.reused)} as before)"
    out.print(Text(f"{done}: {report.path or 'checked, and not kept'}", "green"))
    for name, tenant in report.tenants.items():
        heading(out, f"Tenant {name}")
        _show(tenant, out)


def _reasons(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in counts.items()) or "–"


def _changes(report: BuildReport, out: Console) -> None:
    """What differs from the index that was in use."""
    from rich.text import Text

    from dragoman.cli.render import heading

    if report.losses:
        heading(out, "Lost", f"against index {report.previous}, and accepted")
        for loss in report.losses:
            out.print(Text(str(loss), "yellow"))
    if report.catalogue:
        heading(out, "Catalogue", f"against index {report.previous}")
        for name in report.catalogue.__struct_fields__:
            items = getattr(report.catalogue, name)
            if items:
                style = "yellow" if name == "confusable" else ""
                shown = "new look-alikes" if name == "confusable" else name.replace("_", " ")
                out.print(Text(f"{shown}: {len(items):,}", style))
                for item in items[:_SOME]:
                    out.print(Text(f"  {_line(item)}", "dim"))
                if len(items) > _SOME:
                    out.print(Text("  more with --json", "dim"))


def _notes(title: str, part: dict[str, Any], out: Console) -> None:
    """What an editor should look at: ambiguous terms, names that fold together."""
    from rich.text import Text

    from dragoman.cli.render import heading

    shown = {name: value for name, value in part.items() if value and name != "counts"}
    if not shown:
        return
    heading(out, title)
    for name, value in shown.items():
        label, means = name.replace("_", " "), f"  {_MEANS[name]}" if name in _MEANS else ""
        if isinstance(value, list | tuple):
            out.print(Text.assemble(f"{label}: {len(value):,}", (means, "dim")))
            for item in value[:_SOME]:
                out.print(Text(f"  {_line(item)}", "dim"))
            if len(value) > _SOME:
                out.print(Text("  more with --json", "dim"))
        elif isinstance(value, dict):
            some = ", ".join(f"{k} {_line(v)}" for k, v in list(value.items())[:_SOME])
            out.print(Text.assemble(f"{label}: {some}", (means, "dim")))
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
