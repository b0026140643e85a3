"""The commands, put together. The families' modules are light: each command imports what it needs when it runs."""

from __future__ import annotations

import os
import sys

import typer

from dragoman.cli import (
    annotate,
    ask,
    batch,
    bench,
    build,
    db,
    demo,
    doctor,
    evaluate,
    gaps,
    index,
    init,
    llm,
    lookup,
    mcp,
    retrieval,
    safety,
    serve,
)
from dragoman.cli.options import examples
from dragoman.errors import ConfigError

typer_app = typer.Typer(
    name="dragoman",
    help="Reads a medical question: what is asked, about what, and in which words the corpus says it.",
    epilog=examples(("demo", "init", "ask"), 1) + "\n\nEvery command has --help with examples.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        from dragoman._version import __version__

        sys.stdout.write(f"dragoman {__version__}\n")
        raise typer.Exit


@typer_app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", callback=_version, is_eager=True
    ),
) -> None: ...


for _family in (
    demo,
    init,
    build,
    ask,
    lookup,
    annotate,
    batch,
    llm,
    evaluate,
    retrieval,
    safety,
    gaps,
    db,
    index,
    serve,
    mcp,
    bench,
    doctor,
):
    _family.register(typer_app)


def app(arguments: list[str]) -> int:
    """Run one command; returns its exit code. Dragoman's own errors and a broken pipe are left to the caller."""
    command = typer.main.get_command(typer_app)
    if "_DRAGOMAN_COMPLETE" in os.environ:  # the shell asks for completions
        command.main(arguments, prog_name="dragoman")
    try:
        with command.make_context("dragoman", arguments) as context:
            command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except typer.Abort:
        return 130
    except typer.TyperException as wrong:
        if type(wrong).__name__ == "NoArgsIsHelpError":  # the help has been printed
            return 2
        at = getattr(wrong, "ctx", None)
        command_path = at.command_path if at else "dragoman"
        raise ConfigError(wrong.format_message().rstrip("."), advice=f"see `{command_path} --help`") from None
    return 0
