"""``mcp``: the tools that agents call."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.options import PROJECT, Project, examples

if TYPE_CHECKING:
    from dragoman.engine import Dragoman

HOST = "127.0.0.1"


def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Listen on this machine's loopback instead of using stdin and stdout.")
    ] = False,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="With --http: the port; 0 takes a free one.")
    ] = 8322,
    project: Project = PROJECT,
) -> None:
    r"""Answer agents over the Model Context Protocol, until stdin ends or the process is told to stop.

    Tools: understand_query, enrich_query, resolve_drugs, lookup_term. None gives medical advice; what they are asked is
    written nowhere. --http listens on this machine alone and asks for no key: for others there is [bold]dragoman
    serve[/], which has the same tools at /mcp.
    """
    from dragoman.engine import Dragoman
    from dragoman.errors import ConfigError

    try:
        import anyio

        from dragoman.serve.mcp import serve_stdio
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{error.name} is not installed", where="mcp", advice='install it: pip install "dragoman[mcp]"'
        ) from None
    engine = Dragoman.open(project)
    try:
        if http:
            _listen(engine, port)
        else:
            anyio.run(serve_stdio, engine)
    finally:
        engine.close()


def _listen(engine: Dragoman, port: int) -> None:
    """Serve on loopback; the address goes to stderr once it answers."""
    import socket

    import uvicorn  # comes with mcp

    from dragoman.errors import ConfigError
    from dragoman.serve.mcp import LOOPBACK, standalone

    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        raise ConfigError(
            f"cannot listen on {HOST}:{port} ({error.strerror})", where="--port", advice="take another, or 0"
        ) from None
    with listening:
        sys.stderr.write(f"listening on http://{HOST}:{listening.getsockname()[1]}/mcp\n")
        sys.stderr.flush()
        config = uvicorn.Config(standalone(engine, LOOPBACK), log_level="error", access_log=False)
        uvicorn.Server(config).run(sockets=[listening])


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("mcp"))(mcp)
