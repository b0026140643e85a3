"""A small project to serve: a formulary with two tenants, keys, and what else a test asks for."""

from __future__ import annotations

import contextlib
import io
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
from litestar.testing import TestClient

from dragoman.engine import Dragoman
from dragoman.index.build import build
from dragoman.project import load
from dragoman.serve import keys, logs
from dragoman.serve.app import create_app
from dragoman.serve.service import Service

PROJECT = """
[project]
profile = "formulary"
languages = ["en", "nl", "vi"]
[[terminology]]
name = "conditions"
format = "csv"
path = "conditions/"
licence = "restricted"
[catalog]
drugs = "drugs.csv"
aliases = "aliases.csv"
"""
TENANTS = """
[tenants.north.catalog]
drugs = "north.csv"
[tenants.south.catalog]
drugs = "south.csv"
"""
FILES = {
    "drugs.csv": "drug_id,name\nparacetamol,Paracetamol\nibuprofen,Ibuprofen\nwarfarin,Warfarin\n",
    "aliases.csv": "drug_id,alias,kind\nparacetamol,Panadol,brand\nwarfarin,Coumadin,brand\n",
    "north.csv": "drug_id,name\nomeprazole,Omeprazole\n",
    "south.csv": "drug_id,name\nmetformin,Metformin\n",
    "conditions/terms.csv": "concept_id,term,language,type,active\n"
    "D1,dengue,en,preferred,1\nD1,dengue fever,en,synonym,1\nD2,gout,en,preferred,1\n",
}
SECRET = "zzbímậtzz"  # stands in a text, and must stand nowhere else
TEXT = f"how much Panadol for dengue, my name is Jan {SECRET}?"


def project(folder: Path, more: str = "", *, tenants: bool = False, name: str = "dragoman.toml") -> Path:
    """Write and build a project; ``more`` is appended to its file."""
    for file, text in FILES.items():
        place = folder / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    path = folder / name
    path.write_text(PROJECT + (TENANTS if tenants else "") + more, "utf-8")
    build(load(path))
    return path


def key(more: str = "", **kwargs: Any) -> tuple[str, str]:
    """A key, and its table for a project file."""
    made = keys.make(**kwargs)
    return made.text, keys.toml(made.table) + more


class Served:
    """A service in this process: ``client`` asks it, ``log`` is what it has logged."""

    def __init__(self, path: Path, *, insecure: bool = False) -> None:
        self.stream = io.StringIO()
        self.keys: dict[str, str] = {}
        self.service = Service(Dragoman.open(path), given=path, log=logs.Log(self.stream), insecure=insecure)
        self.app = create_app(service=self.service)
        self.client = TestClient(self.app, base_url="http://127.0.0.1")

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines of the log."""
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def run(self, call: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """Run something in the service's own event loop."""
        with self.client.portal() as portal:
            return portal.call(call, *arguments)

    def __enter__(self) -> Served:
        self.client.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.client.__exit__(*error)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextlib.contextmanager
def process(
    path: Path | str, log: Path, *arguments: str, **environment: str
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """``dragoman serve`` in a process of its own, and its address; its output goes to ``log``."""
    port = free_port()
    command = [sys.executable, "-m", "dragoman", "serve", "--project", str(path), "--port", str(port), *arguments]
    with log.open("wb") as file:
        running = subprocess.Popen(
            command, stdout=file, stderr=file, env=dict(os.environ, **environment), start_new_session=True
        )
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(1200):
            if running.poll() is not None:
                raise RuntimeError(log.read_text("utf-8", "replace"))
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{address}/readyz", timeout=5).status_code == 200:
                    break
            time.sleep(0.1)
        else:
            raise RuntimeError("the service did not come up: " + log.read_text("utf-8", "replace"))
        yield running, address
    finally:
        if running.poll() is None:
            running.terminate()
            try:
                running.wait(60)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
