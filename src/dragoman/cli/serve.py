"""``serve``: the HTTP service with the page."""

from __future__ import annotations

from typing import Annotated

import typer

from dragoman.cli.options import PROJECT, Project, examples


def serve(
    project: Project = PROJECT,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", help="The port to listen on.")] = 8080,
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Processes that answer.")] = 1,
) -> None:
    """The HTTP service, with the page at /."""
    from dragoman.serve.run import run

    run(project, host=host, port=port, workers=workers)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("serve"))(serve)
