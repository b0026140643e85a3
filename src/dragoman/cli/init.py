"""``init``: a project to start from."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from dragoman.cli.options import AsJson, examples

SPARE = "en"  # whose example data a language without its own gets


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write; made if it is not there.")] = Path(),
    profile: Annotated[
        str,
        typer.Option("--profile", metavar="NAME", help="What the project is: [bold]hospital[/] or [bold]formulary[/]."),
    ] = "hospital",
    language: Annotated[str, typer.Option("--language", "-l", metavar="xx", help="The language of your pages.")] = "en",
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a commented dragoman.toml and example data."""
    from dragoman import folder as data
    from dragoman.cli.output import complain, print_json
    from dragoman.errors import ConfigError, DataError

    templates = data.PACKAGE / "templates"
    kinds = sorted(p.name for p in templates.iterdir() if p.is_dir())
    if profile not in kinds:
        raise ConfigError(f"there is no profile {profile!r} to start from", advice=f"use one of {', '.join(kinds)}")
    code = data.spoken(language).code
    chosen = templates / profile
    example = chosen / code if (chosen / code).is_dir() else chosen / SPARE
    called = json.dumps(folder.resolve().name or profile, ensure_ascii=False)  # a JSON string is a TOML string
    text = Template((chosen / "dragoman.toml").read_text("utf-8")).substitute(
        name=called, language=code, languages=_list(dict.fromkeys((code, example.name)))
    )
    files = {Path("dragoman.toml"): text} | {
        path.relative_to(example): path.read_text("utf-8") for path in sorted(example.rglob("*")) if path.is_file()
    }
    there = [name for name in files if (folder / name).exists()]
    if there and not force:
        raise ConfigError(
            f"there is {there[0]} already", where=str(folder), advice="choose another folder, or add --force"
        )
    try:
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, "utf-8")
    except OSError as error:
        raise DataError(f"cannot be written ({error.strerror})", where=str(folder), advice="choose another") from None
    if as_json:
        print_json({"folder": str(folder), "files": [str(name) for name in files]})
        return
    import sys

    sys.stdout.write("".join(f"{folder / name}\n" for name in files))
    if example.name != code:
        complain(f"there is no example data for {code!r}: it is in {example.name!r}")
    at = "" if folder == Path() else f" --project {folder}"
    complain(f"next: dragoman build{at}, then dragoman eval{at}")


def _list(codes: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{code}"' for code in codes) + "]"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("init"))(init)
