"""``ask``, ``resolve``, ``enrich``: one turn of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.options import (
    PROJECT,
    AsJson,
    LanguageOption,
    Project,
    Tenant,
    Text,
    TurnFile,
    Without,
    examples,
    known_language,
    switched_off,
)

if TYPE_CHECKING:
    from dragoman.engine import Dragoman


def ask(
    text: Text = None,
    turn: TurnFile = None,
    language: LanguageOption = None,
    project: Project = PROJECT,
    tenant: Tenant = None,
    without: Without = None,
    reply: Annotated[
        str | None,
        typer.Option("--reply", metavar="FILE", help="Read the turn with this raw answer of a model, without a call."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read one turn: scope, mentions, candidates, frame, enrichment, trace."""
    from dragoman.cli.input import read_text, read_turn
    from dragoman.cli.output import complain, console, print_json

    given = read_turn(text, turn, language)
    raw = None if reply is None else read_text(reply)
    engine = _opened(project, tenant, language)
    answer = engine.ask(given, reply=raw, without=switched_off(without))
    if as_json:
        print_json(answer)
    else:
        from dragoman.cli.render import show_answer

        show_answer(answer, console())
    if answer.frame.system_error:
        complain(f"error: the model did not do its part ({answer.frame.system_error}); try `dragoman doctor`")
        raise typer.Exit(3)


def resolve(
    text: Text = None,
    turn: TurnFile = None,
    language: LanguageOption = None,
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """The deterministic part alone: mentions and candidates."""
    from dragoman.cli.input import read_turn
    from dragoman.cli.output import console, print_json

    given = read_turn(text, turn, language)
    engine = _opened(project, tenant, language)
    resolved = engine.resolve(given)
    if as_json:
        print_json(resolved)
    else:
        from dragoman.cli.render import show_resolved

        show_resolved(resolved, console())


def enrich(
    text: Text = None,
    turn: TurnFile = None,
    language: LanguageOption = None,
    project: Project = PROJECT,
    tenant: Tenant = None,
    without: Without = None,
    as_json: AsJson = False,
) -> None:
    """Candidates and enrichment, without an understanding step."""
    from dragoman.cli.input import read_turn
    from dragoman.cli.output import console, print_json

    given = read_turn(text, turn, language)
    engine = _opened(project, tenant, language)
    enrichment = engine.enrich(given, without=switched_off(without))
    if as_json:
        print_json(enrichment)
    else:
        from dragoman.cli.render import show_enrichment

        show_enrichment(enrichment, console())


def _opened(project: str, tenant: str | None, language: str | None) -> Dragoman:
    from dragoman.engine import Dragoman

    engine = Dragoman.open(project, tenant=tenant)
    known_language(language, engine.project)
    return engine


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    app.command(epilog=examples("ask"))(ask)
    app.command(epilog=examples("resolve"))(resolve)
    app.command(epilog=examples("enrich"))(enrich)
