"""Serve the application with granian."""

from __future__ import annotations

import os
from pathlib import Path

from granian.constants import Interfaces, Loops
from granian.server import Server
from litestar import Litestar

from dragoman.serve.app import create_app

PROJECT_VARIABLE = "DRAGOMAN_SERVE_PROJECT"  # how the processes that answer are told what to open


def factory() -> Litestar:
    """What each worker process runs."""
    return create_app(os.environ[PROJECT_VARIABLE])


def run(project: str | Path, *, host: str, port: int, workers: int = 1) -> None:
    """Serve until told to stop."""
    os.environ[PROJECT_VARIABLE] = str(project)
    Server(
        "dragoman.serve.run:factory",
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        workers=workers,
        factory=True,
        loop=Loops.asyncio,
        websockets=False,
        log_access=False,
    ).serve()
