"""``eval``: golden questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, Tenant, Without, examples, names, switched_off

if TYPE_CHECKING:
    from rich.console import Console

    from dragoman.engine import Dragoman
    from dragoman.evaluate.compare import Comparison
    from dragoman.evaluate.golden import Rate, Rates, Result

_SHOWN = 25  # failing cases on a terminal; the report and --json hold them all


def evaluate(
    golden: Annotated[
        Path | None,
        typer.Argument(metavar="GOLDEN", help="Golden questions (JSONL); by default the project's golden.jsonl."),
    ] = None,
    project: Project = PROJECT,
    tenant: Tenant = None,
    without: Without = None,
    least: Annotated[
        float | None, typer.Option("--min", metavar="RATE", help="Exit with 1 if fewer pass; from 0 to 1.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Write the evaluation as one HTML file.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="EARLIER.json", help="Compare with an earlier eval --json.")
    ] = None,
    safety: Annotated[
        list[str] | None,
        typer.Option(
            "--safety", metavar="NAME", help="The categories in which any failure fails the run; 'none' for none."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask golden questions: pass rates with intervals, ablations, paired comparison.

    With --without the printed results are those with all the named layers off; beside them stands what switching
    off each one alone changes. Exits with 1 if --min is not met, a question of a safety category fails, or a known
    failure holds.
    """
    from dragoman.cli.output import console, print_json
    from dragoman.engine import Dragoman
    from dragoman.errors import ConfigError
    from dragoman.evaluate import cases, compare
    from dragoman.evaluate.golden import rates, shortfalls

    if least is not None and not 0 <= least <= 1:
        raise ConfigError(f"--min {least:g} is no rate", advice="give a number from 0 to 1, such as 0.95")
    engine = Dragoman.open(project, record=False, tenant=tenant)
    path = golden or engine.project.base / "golden.jsonl"
    loaded = cases.load(path)
    earlier = compare.load_earlier(against) if against else None
    off = switched_off(without)
    results = _run(engine, loaded, off)
    ablations: dict[str, Comparison] = {}
    if off:
        base = _run(engine, loaded, ())
        ablations = compare.ablate(base, off, lambda name: results if off == (name,) else _run(engine, loaded, (name,)))
    paired = compare.compare(earlier, compare.outcome(results)) if earlier is not None else None
    guarded = _safety(safety)
    missed = shortfalls(results, least=least, safety=guarded)
    if report:
        _write_report(report, engine, path, results, guarded, missed, off, ablations, against, paired)
    counted = rates(results)
    if as_json:
        document: dict[str, Any] = {"cases": [r.row() for r in results], "rates": counted, "missed": missed}
        if off:
            document |= {"without": off, "ablations": ablations}
        if paired:
            document["against"] = paired
        print_json(document)
    else:
        _show(results, counted, guarded, missed, ablations, paired, console())
    if missed:
        raise typer.Exit(1)


def _run(engine: Dragoman, loaded: list[Any], off: tuple[str, ...]) -> list[Result]:
    from dragoman.cli.output import counter
    from dragoman.evaluate.golden import run

    what = f"without {', '.join(off)}" if off else "asking"
    with counter(what, len(loaded)) as tick:
        return run(engine, loaded, without=off, has_model=engine.project.file.llm is not None, tick=tick)


def _safety(given: list[str] | None) -> frozenset[str]:
    """The categories that are counted, never averaged: those named, else those of ``evaluate/safety.toml``."""
    from dragoman.evaluate.gate import safety

    return frozenset(names(given)) - {"none"} if given else safety()


def _write_report(
    to: Path,
    engine: Dragoman,
    golden: Path,
    results: list[Result],
    safety: frozenset[str],
    missed: list[str],
    off: tuple[str, ...],
    ablations: dict[str, Comparison],
    against: Path | None,
    paired: Comparison | None,
) -> None:
    from dragoman._version import __version__
    from dragoman.cli.output import complain
    from dragoman.errors import DataError
    from dragoman.evaluate.report import Report, render

    page = render(
        Report(
            title=f"Golden questions: {engine.project.name}",
            golden=golden.name,
            project=engine.project.name,
            index=engine.info.id,
            version=__version__,
            results=results,
            safety=safety,
            missed=missed,
            without=off,
            ablations=ablations,
            against=(against.name, paired) if against and paired else None,
        )
    )
    try:
        to.write_text(page, "utf-8")
    except OSError as error:
        raise DataError(f"cannot be written ({error.strerror})", where=str(to), advice="choose another file") from None
    complain(f"report: {to}")


def _show(
    results: list[Result],
    counted: Rates,
    safety: frozenset[str],
    missed: list[str],
    ablations: dict[str, Comparison],
    paired: Comparison | None,
    out: Console,
) -> None:
    from rich.text import Text

    from dragoman.cli.render import heading, table

    if paired:
        _show_paired(paired, out)
    _show_failures([r for r in results if r.failed and not r.known], out)
    rows = table("category", "passed", "rate", "95% interval", "skipped", "known failures")
    for name, rate in counted.categories.items():
        _rate_row(rows, name + (" !" if name in safety else ""), rate)
    rows.add_section()
    for name, rate in counted.languages.items():
        _rate_row(rows, f"language {name}", rate)
    rows.add_section()
    _rate_row(rows, "all", counted.all)
    out.print(rows)
    if safety & counted.categories.keys():
        out.print(Text("! a safety category: one failure is one too many", "dim"))
    if ablations:
        heading(out, "Switched off, each alone")
        lost = table("name", "with", "without", "change", "p", "lost")
        for name, c in ablations.items():
            cells = (name, str(c.before), str(c.after), f"{c.after - c.before:+d}", f"{c.p:.3g}", _ids(c.lost))
            lost.add_row(*map(Text, cells))
        out.print(lost)
    for sentence in missed:
        out.print(Text(sentence, "red"))


def _rate_row(rows: Any, name: str, rate: Rate) -> None:
    from rich.text import Text

    share = "–" if rate.rate is None else f"{rate.rate:.1%}"
    interval = "–" if rate.rate is None else f"{rate.low:.1%} – {rate.high:.1%}"
    cells = (name, f"{rate.passed}/{rate.total}", share, interval, str(rate.skipped or ""), str(rate.known or ""))
    rows.add_row(*map(Text, cells))


def _show_paired(found: Comparison, out: Console) -> None:
    from rich.text import Text

    from dragoman.cli.render import heading

    heading(out, "Against the earlier run", f"{found.paired} questions ran both times")
    if found.lost:
        out.print(Text(f"newly failing: {', '.join(found.lost)}", "red"))
    if found.won:
        out.print(Text(f"newly passing: {', '.join(found.won)}", "green"))
    out.print(Text(f"{found.before} passed before, {found.after} now; McNemar's exact test: p = {found.p:.3g}"))
    if found.new or found.gone:
        out.print(Text(f"only now: {len(found.new)}; only then: {len(found.gone)}", "dim"))


def _show_failures(failed: list[Result], out: Console) -> None:
    from rich.text import Text

    for result in failed[:_SHOWN]:
        case = result.case
        out.print(Text.assemble((case.id, "bold red"), f"  {case.turn.text}", (f"  {case.category}", "dim")))
        for why in result.why:
            out.print(Text(f"    {why}"))
        if result.answer:
            steps = " · ".join(f"{t.step} {t.outcome} {t.count}" for t in result.answer.trace)
            out.print(Text(f"    {steps}", "dim"))
    if len(failed) > _SHOWN:
        out.print(Text(f"and {len(failed) - _SHOWN} more: see --report or --json", "dim"))


def _ids(ids: tuple[str, ...], most: int = 6) -> str:
    return ", ".join(ids[:most]) + (f" and {len(ids) - most} more" if len(ids) > most else "") or "–"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "eval",
        epilog=examples("eval"),
    )(evaluate)
