"""``serve``: the HTTP service with the page, its keys, and the turns that it was allowed to keep."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, examples

if TYPE_CHECKING:
    from dragoman.project import Project as Loaded

app = typer.Typer(name="serve", invoke_without_command=True, subcommand_metavar="[COMMAND]")
key = typer.Typer(name="key", help="Keys that open the service.", no_args_is_help=True)


@app.callback(epilog=examples("serve"))
def serve(
    context: typer.Context,
    project: Project = PROJECT,
    host: Annotated[
        str | None, typer.Option("--host", metavar="ADDRESS", help="The address to listen on; \\[serve] host.")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", min=0, max=65535, help="The port to listen on; \\[serve] port.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", min=1, help="Processes that answer; \\[serve] workers.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Let anybody in, from other machines too, without a key.")
    ] = False,
) -> None:
    """The HTTP service, with the page at /.

    Beyond this machine it listens only with a key (dragoman serve key new). It ends at SIGTERM, when the open requests
    have been answered.
    """
    if context.invoked_subcommand is not None:
        return
    loaded = _served(project)
    from dragoman.serve.run import run

    run(project, loaded, host=host, port=port, workers=workers, insecure=insecure)


@key.command(epilog=examples("serve key new"))
def new(
    project: Project = PROJECT,
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="Whose key it is.")] = "",
    tenant: Annotated[
        list[str] | None, typer.Option("--tenant", metavar="NAME", help="Only for this tenant; repeat for several.")
    ] = None,
    admin: Annotated[bool, typer.Option("--admin", help="It may switch layers and the model.")] = False,
    as_json: AsJson = False,
) -> None:
    r"""Make a key: it is printed once, and only a digest of it is kept.

    The digest goes into the key file that \[serve] key_file names; where there is none, it is printed as a table for
    the project file.
    """
    from dragoman.cli.output import complain, print_json
    from dragoman.errors import ConfigError
    from dragoman.serve import keys

    loaded = _served(project)
    if tenant and admin:
        raise ConfigError(
            "switches hold for all tenants, so a tenant's key cannot put them",
            where="--admin",
            advice="leave one of --tenant and --admin out",
        )
    for one in tenant or ():
        if one not in loaded.tenants:
            raise ConfigError(
                f"there is no tenant {one!r}",
                where="--tenant",
                advice=f"there are: {', '.join(loaded.tenants) or 'none'}",
            )
    made = keys.make(name, tuple(tenant or ()), admin)
    file = loaded.file.serve.key_file
    if file is not None:
        keys.append(loaded.at(file), made.table)
    if as_json:
        print_json({"key": made.text, "table": made.table, "path": str(loaded.at(file)) if file else None})
        return
    sys.stdout.write(made.text + "\n")
    if file is not None:
        complain(f"kept as a digest in {loaded.at(file)}; the key itself is shown only here")
    else:
        complain(f"add this to {loaded.path}; the key itself is shown only here:\n\n{keys.toml(made.table)}")


@app.command(epilog=examples("serve forget"))
def forget(
    project: Project = PROJECT,
    request: Annotated[
        str | None, typer.Option("--request", metavar="ID", help="Only the turn of this request id.")
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", metavar="DAY", help="Only days before this one, as 2026-01-31.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
    as_json: AsJson = False,
) -> None:
    r"""Delete the turns that the service was allowed to keep (\[privacy] keep_text): all, a request's, or old ones."""
    from datetime import date

    from dragoman.cli.output import console, print_json
    from dragoman.errors import ConfigError
    from dragoman.project import load
    from dragoman.serve import kept

    if request is not None and before is not None:
        raise ConfigError("there are both --request and --before", advice="say one of them")
    try:
        day = date.max if before is None else date.fromisoformat(before)
    except ValueError:
        raise ConfigError(f"{before!r} is no day", where="--before", advice="write it as 2026-01-31") from None
    loaded = load(project)
    folder = loaded.at(loaded.file.privacy.path)
    if request is None and not yes and any(one < day for one, _ in kept.files(folder)):
        if as_json or not sys.stdin.isatty():
            raise ConfigError("nobody is there to ask", where="forget", advice="say --yes")
        typer.confirm(f"Delete the turns kept in {folder}?", abort=True)
    gone = kept.forget(folder, request) if request is not None else kept.prune(folder, day)
    what = "turns" if request is not None else "days"
    if as_json:
        print_json({"path": str(folder), "deleted": gone, "what": what})
    else:
        console().print(f"{gone} {what} deleted from {folder}" if gone else f"nothing to delete in {Path(folder)}")


def _served(project: str) -> Loaded:
    """The project, where the service is installed. Raises ``ConfigError``."""
    from importlib.util import find_spec

    from dragoman.errors import ConfigError
    from dragoman.project import load

    if any(find_spec(name) is None for name in ("litestar", "granian", "prometheus_client")):
        raise ConfigError("the service is not installed", advice="pip install 'dragoman[serve]'")
    return load(project)


app.add_typer(key)


def register(root: typer.Typer) -> None:
    """Add the commands."""
    root.add_typer(app)
