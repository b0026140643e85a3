"""Options that commands share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dragoman.project import Project as Projects

Project = Annotated[
    str,
    typer.Option(
        "--project",
        "-p",
        metavar="PATH",
        help="Project file or its folder; [bold]demo-hospital[/] and [bold]demo-formulary[/] are built in.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without", metavar="NAME", help="Switch an enrichment layer or feature off; repeat, or separate by commas."
    ),
]
Text = Annotated[
    str | None, typer.Argument(metavar="TEXT", help="What the person wrote; [bold]-[/] reads it from stdin.")
]
TurnFile = Annotated[
    str | None,
    typer.Option("--turn", metavar="FILE", help="A turn as JSON (text, history, ...) instead; [bold]-[/] is stdin."),
]
LanguageOption = Annotated[
    str | None, typer.Option("--language", "-l", metavar="xx", help="The language of the text, where it is known.")
]
Tenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="As this tenant of the project: its pages, drugs, rules.")
]
PROJECT = "dragoman.toml"
EXIT_CODES = (
    "Exit codes: 0 done; 1 done, but a stated threshold is not met or nothing was found; "
    "2 bad usage, configuration or data; 3 a needed service did not answer."
)


@cache
def _examples() -> tuple[str, ...]:
    text = Path(__file__).with_name("examples.txt").read_text("utf-8")
    return tuple(line for line in text.splitlines() if not line.startswith("#"))


def examples(command: str | tuple[str, ...], most: int = 9) -> str:
    """The examples at the end of a command's help, or ``most`` of each of several commands, one a line; they stand in
    ``examples.txt``."""
    commands = (command,) if isinstance(command, str) else command
    found = [line for one in commands for line in [x for x in _examples() if f"dragoman {one} " in f"{x} "][:most]]
    return "\n\n".join(("[bold]Examples[/]", *(f"  [dim]$[/] {line}" for line in found), EXIT_CODES))


def names(given: list[str] | None) -> tuple[str, ...]:
    """Names from a repeated option whose values may hold several, separated by commas."""
    return tuple(dict.fromkeys(name.strip() for value in given or () for name in value.split(",") if name.strip()))


def known_language(given: str | None, project: Projects) -> None:
    """``ConfigError`` for a language that the project does not have, with those that it has."""
    if given is None:
        return
    from dragoman.steps.language_of import stated

    if stated(given, project.languages) is None:
        from dragoman.errors import ConfigError

        have = ", ".join(pack.code for pack in project.languages)
        raise ConfigError(
            f"the project has no language {given!r}",
            where="--language",
            advice=f"it has {have}; leave the option out to have the language told from the text",
        )


def switched_off(given: list[str] | None) -> tuple[str, ...]:
    """The layers and features that ``--without`` names. ``ConfigError`` for one that there is not, with the nearest."""
    off = names(given)
    if off:
        from dragoman.enrich.layers import LAYERS
        from dragoman.enrich.work import FEATURES
        from dragoman.errors import ConfigError
        from dragoman.meant import did_you_mean

        there = [*(layer.name for layer in LAYERS), *FEATURES]
        for name in off:
            if name not in there:
                advice = did_you_mean(name, there)
                raise ConfigError(f"there is no layer or feature {name!r}", where="--without", advice=advice)
    return off
