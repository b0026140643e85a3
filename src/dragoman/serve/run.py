"""Serve the application with granian: as many processes as asked for, each with an event loop of its own."""

from __future__ import annotations

import multiprocessing
import os
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from dragoman.errors import ConfigError
from dragoman.project import BUILT_IN, Project
from dragoman.serve import keys, logs
from dragoman.serve.switches import STATE_VARIABLE

if TYPE_CHECKING:
    from litestar import Litestar

PROJECT_VARIABLE = "DRAGOMAN_SERVE_PROJECT"  # how the processes that answer are told what to open
MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"  # where the Prometheus client sums the counts of several processes
INSECURE_VARIABLE = "DRAGOMAN_SERVE_INSECURE"
HEADERS_MS = 10_000  # for a request's headers to arrive
CONNECTIONS = 1024  # open at once, for each process; more wait in the kernel's queue


def factory() -> Litestar:
    """What each worker process runs."""
    from dragoman.serve.app import create_app  # not before the processes are apart

    return create_app(os.environ[PROJECT_VARIABLE], insecure=bool(os.environ.get(INSECURE_VARIABLE)))


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine alone."""
    return host in ("localhost", "::1", "[::1]") or host.startswith("127.")


def check(project: Project, host: str, insecure: bool) -> None:
    """Raise ``ConfigError`` where the service would listen beyond this machine and let anybody in."""
    if not keys.ring(project) and not is_loopback(host) and not insecure:
        raise ConfigError(
            f"{host} can be reached from other machines, and no key is asked for",
            where=str(project.path),
            advice="make a key with `dragoman serve key new`, or say --insecure",
        )


def address(host: str, port: int) -> str:
    """The address that ``host`` means; IPv4 where it has both. Raises ``ConfigError`` where one cannot listen.

    The server shares its port with whoever lets it: a second service would take every other question of the first.
    """
    try:
        ways = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
        family, kind, _, _, at = min(ways, key=lambda way: way[0] != socket.AF_INET)
        with socket.socket(family, kind) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(at)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "this is no host's name"
        advice = "take another with --host and --port, or in [serve]"
        raise ConfigError(f"cannot listen there ({why})", where=f"{host}:{port}", advice=advice) from None
    return str(at[0])


def run(
    given: str, project: Project, *, host: str | None, port: int | None, workers: int | None, insecure: bool
) -> None:
    """Serve until told to stop; open requests may then end. What is ``None`` is as the project file says.

    Raises ``ConfigError`` before anything listens.
    """
    table = project.file.serve
    host = host or table.host
    check(project, host, insecure)
    port = table.port if port is None else port
    listen = address(host, port)
    tls = tuple(project.at(name) if name else None for name in (table.tls_cert, table.tls_key))
    with tempfile.TemporaryDirectory(prefix="dragoman-") as state:
        os.environ[PROJECT_VARIABLE] = given if given in BUILT_IN else str(project.path)
        os.environ[STATE_VARIABLE] = state
        os.environ[INSECURE_VARIABLE] = "1" if insecure else ""
        several = workers or table.workers
        if several > 1:
            counts = Path(state) / "metrics"
            counts.mkdir()
            os.environ[MULTIPROCESS] = str(counts)
        # A fork would carry the metrics of this process, which are not shared, into those that answer.
        multiprocessing.set_start_method("spawn", force=True)
        Server(
            f"{__name__}:factory",
            address=listen,
            port=port,
            interface=Interfaces.ASGI,
            workers=several,
            factory=True,
            loop=Loops.asyncio,
            # With both versions allowed, a connection that has not said yet which it speaks has no deadline, and so
            # many as may be open would shut everybody out.
            http=HTTPModes.http1,
            websockets=False,
            backlog=CONNECTIONS,
            backpressure=CONNECTIONS,
            http1_settings=HTTP1Settings(header_read_timeout=HEADERS_MS),
            log_access=False,
            log_level=LogLevels.info,
            log_dictconfig=logs.libraries(),
            respawn_failed_workers=True,
            workers_kill_timeout=table.shutdown_s,
            ssl_cert=tls[0],
            ssl_key=tls[1],
        ).serve()
