"""``llm export`` and ``llm import``: a file of turns to a provider's batch API, and its answers back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, examples

if TYPE_CHECKING:
    from dragoman.batch.llm import Problem

_SOME = 20  # problems that a person is shown; --json holds them all
_EVERY = 1000  # turns between two lines of progress

app = typer.Typer(
    name="llm",
    help="Turns to a provider's batch API and back: half the price, within a day.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Turns = Annotated[
    Path, typer.Argument(metavar="IN", help="Turns as JSONL: Turn objects, golden questions, or plain strings.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Begin anew instead of going on with what OUT holds.")]


@app.command("export", epilog=examples("llm export"))
def export(
    source: Turns,
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The requests, a line each.")],
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="[bold]openai[/] or [bold]anthropic[/]; else by the project."),
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="Else the one of \\[llm].")] = None,
    fresh: Fresh = False,
    project: Project = PROJECT,
    as_json: AsJson = False,
) -> None:
    """Write the provider requests of a file of turns; may be stopped and gone on with."""
    from dragoman.batch import llm
    from dragoman.cli.output import complain, print_json
    from dragoman.engine import Dragoman

    engine = Dragoman.open(project, record=False)
    with _progress() as tick:
        done = llm.export(engine, source, target, format=format, model=model, fresh=fresh, progress=tick)
    _tell(done.problems)
    if as_json:
        print_json(done)
    else:
        complain(
            f"{done.turns} turns: {done.written} requests written to {target}, {done.already} were there, "
            f"{done.no_call} need no model"
        )
    if done.problems:
        raise typer.Exit(1)


@app.command("import", epilog=examples("llm import"))
def import_(
    source: Turns,
    answers: Annotated[Path, typer.Argument(metavar="ANSWERS", help="What the provider sent back, in any order.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A line a turn, as `ask --json` prints it.")],
    fresh: Fresh = False,
    project: Project = PROJECT,
    as_json: AsJson = False,
) -> None:
    """Make frames of a file of answers; exits with 1 where a turn has none, or a line was not taken."""
    from dragoman.batch import llm
    from dragoman.cli.output import complain, print_json
    from dragoman.engine import Dragoman

    engine = Dragoman.open(project, record=False)
    with _progress() as tick:
        done = llm.import_answers(engine, source, answers, target, fresh=fresh, progress=tick)
    _tell(done.problems)
    if as_json:
        print_json(done)
    else:
        complain(
            f"{done.turns} turns: {done.written} frames written to {target}, {done.errors} with a system error; "
            f"{done.already} were there, {done.missing} have no answer"
        )
    if done.problems:
        raise typer.Exit(1)


def _tell(problems: tuple[Problem, ...]) -> None:
    from dragoman.cli.output import complain

    for problem in problems[:_SOME]:
        complain(f"{problem.file}:{problem.line}: {problem.what}")
    if len(problems) > _SOME:
        complain(f"... and {len(problems) - _SOME} more; --json lists them")


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """A line on stderr now and then; a terminal shows it in place."""
    from dragoman.cli.output import progress_line

    with progress_line() as tell:
        yield lambda turns: None if turns % _EVERY else tell(f"{turns:,} turns")


def register(root: typer.Typer) -> None:
    """Add the commands."""
    root.add_typer(app)
