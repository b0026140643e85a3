"""A service on a port of its own, and a visit to its page."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman import Dragoman
from dragoman.gaps import Recorder
from dragoman.project_tables import GapsTable

uvicorn = pytest.importorskip("uvicorn", reason="the extras `serve` and `mcp` are not installed")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# The text is read back (without the words of its explanations), and the search has been answered.
ANSWERED = """text => {
  const read = document.querySelector(".reading");
  const said = [...(read?.childNodes ?? [])].map(n => n.nodeType === 3 ? n.textContent : n.firstChild.textContent);
  const searching = document.querySelector("#searched .empty")?.textContent.startsWith("searching");
  return said.join("") === text && !searching;
}"""
DESKTOP, PHONE = (1280, 900), (360, 740)


def executable() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def with_tables(engine: Dragoman, folder: Path, **serve: Any) -> Dragoman:
    """The engine with gaps and reports in ``folder``, and what else is said for ``[serve]``."""
    file = engine.project.file
    table = msgspec.structs.replace(file.serve, reports=str(folder / "reports"), **serve)
    gaps = GapsTable(path=str(folder / "gaps.sqlite"), keep_after=2)
    changed = msgspec.structs.replace(file, serve=table, gaps=gaps)
    made = Dragoman(msgspec.structs.replace(engine.project, file=changed), engine.vocabularies)
    made.gaps = Recorder(folder / "gaps.sqlite", gaps.keep_after, gaps.keep_days)
    return made


@contextmanager
def served(engine: Dragoman) -> Iterator[str]:
    """The address of a service for ``engine``, answered by a thread."""
    from dragoman.serve.app import create_app

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_app(engine=engine), log_level="error", access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        for _ in range(600):
            if server.started or not thread.is_alive():
                break
            time.sleep(0.05)
        assert server.started
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(30)


class Visit:
    """One page in one browser context; what its console said and what it asked for is kept."""

    def __init__(self, context: Any, address: str) -> None:
        self.context = context
        self.address = address
        self.page = context.new_page()
        self.said: list[str] = []
        self.asked: list[Any] = []
        self.page.on("console", lambda m: self.said.append(f"{m.type}: {m.text}") if m.type != "log" else None)
        self.page.on("pageerror", lambda error: self.said.append(f"thrown: {error}"))
        self.page.on("request", lambda request: self.asked.append(request))

    def open(self, fragment: str = "") -> Any:
        self.page.goto(f"{self.address}/{fragment}")
        self.page.wait_for_selector("#where:not(:empty)")
        return self.page

    def ask(self, text: str) -> Any:
        """Ask, and wait for the answer with its search."""
        self.page.fill("#question", text)
        self.page.press("#question", "Enter")
        self.page.wait_for_function(ANSWERED, arg=text)
        return self.page

    def tab(self, name: str) -> Any:
        self.page.click(f"#tab-{name}")
        return self.page.locator(f"#panel-{name}")
