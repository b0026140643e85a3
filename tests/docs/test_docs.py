"""The documentation holds: what it shows is run, what it links to is there, what is generated is current.

A comment before a fenced block says what becomes of it:

- ``<!-- run -->``: ``console`` lines that begin with ``$`` are commands, and the lines below one must come in its
  output, in this order (space is not compared); ``# exit 1`` behind a command is the exit code it must have. A
  ``python`` block must end without an error.
- ``<!-- file: NAME -->``, ``<!-- append: NAME -->``: the block is the content, or the end, of that file.
- ``<!-- not run: WHY -->``: the block is only read.

The blocks of a page share a folder and run in order. A page with ``<!-- private package -->`` gets a copy of the
package and of ``bench/`` in that folder, which it may change. A page with ``<!-- needs: postgres -->`` gets an empty
database of its own, by libpq's variables and as ``DRAGOMAN_DSN``.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", *DOCS.rglob("*.md")])
# Pages whose commands are not run, and whose links and spelling hold all the same.
BESIDE = sorted([*ROOT.glob("*.md"), *(ROOT / "examples").rglob("*.md")])
STRICT = [p for p in PAGES if p.parent.name in ("tutorial", "how-to")]  # where every block says what becomes of it

_BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n\n?)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


class Block(NamedTuple):
    line: int
    kind: str
    mark: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start("kind")) + 1
        yield Block(line, found["kind"], found["mark"] or "", found["text"])


def runnable(page: Path) -> bool:
    return any(block.mark == "run" for block in blocks(page))


class Place:
    """The folder that the blocks of one page share."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.cwd, self.root = page, folder, folder
        self.env = dict(os.environ, NO_COLOR="1", COLUMNS="160", PYTHONIOENCODING="utf-8")
        self.env["XDG_CACHE_HOME"] = str(folder / ".cache")  # the demos' index: a shared one may be locked
        self.env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{self.env['PATH']}"
        self.env |= {"HAYSTACK_TELEMETRY_ENABLED": "False", "LANGSMITH_TRACING": "false"}
        if "<!-- private package -->" in page.read_text("utf-8"):
            leave = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / "src" / "dragoman", folder / "src" / "dragoman", ignore=leave)
            shutil.copytree(ROOT / "bench", folder / "bench", ignore=leave)
            self.env["PYTHONPATH"] = str(folder / "src")

    def do(self, block: Block) -> None:
        action, _, name = block.mark.partition(": ")
        if action == "run":
            assert block.kind in ("console", "python"), f"{self.page}:{block.line}: {block.kind} cannot be run"
            self.console(block) if block.kind == "console" else self.python(block)
        elif action in ("file", "append"):
            path = self.cwd / name
            assert path.is_file() or action == "file", f"{self.page}:{block.line}: there is no {name} to append to"
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a" if action == "append" else "w", encoding="utf-8") as file:
                file.write(block.text)

    def python(self, block: Block) -> None:
        self._run([sys.executable, "-c", block.text], block.line, 0)

    def console(self, block: Block) -> None:
        out = ""
        for number, line in enumerate(block.text.splitlines(), block.line + 1):
            if line.startswith("$ "):
                out = self._command(line[2:], number)
            elif line.strip() not in ("", "..."):
                wanted = " ".join(line.split())
                at = out.find(wanted)
                assert at >= 0, f"{self.page}:{number}: {wanted!r} is not in what was (still) printed:\n{out}"
                out = out[at + len(wanted) :]

    def _command(self, line: str, number: int) -> str:
        command, _, comment = line.partition("  #")
        command = command.strip().replace(".venv/bin/", "")
        if command.startswith("cd "):
            self.cwd = (self.cwd / command[3:]).resolve()
            assert self.cwd.is_relative_to(self.root.resolve())
            return ""
        code = re.search(r"exit (\d)", comment)
        return self._run(["/bin/sh", "-c", command], number, int(code[1]) if code else 0)

    def _run(self, command: list[str], number: int, code: int) -> str:
        ran = subprocess.run(command, cwd=self.cwd, env=self.env, capture_output=True, text=True, timeout=300)
        shown = f"{ran.stdout}\n{ran.stderr}"
        assert ran.returncode == code, f"{self.page}:{number}: exit {ran.returncode}, not {code}:\n{shown}"
        return " ".join(shown.split())


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [p for p in PAGES if runnable(p)], ids=_name)
def test_what_a_page_shows_is_what_happens(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    place = Place(page, tmp_path)
    if "<!-- needs: postgres -->" in page.read_text("utf-8"):
        place.env |= _database(request.getfixturevalue("database"))
    for block in blocks(page):
        place.do(block)


def _database(dsn: str) -> dict[str, str]:
    from psycopg.conninfo import conninfo_to_dict

    parts = {f"PG{'DATABASE' if k == 'dbname' else k.upper()}": str(v) for k, v in conninfo_to_dict(dsn).items()}
    return parts | {"DRAGOMAN_DSN": dsn}


@pytest.mark.parametrize("page", STRICT, ids=_name)
def test_every_block_says_whether_it_is_run(page: Path) -> None:
    silent = [
        f"{page}:{block.line}" for block in blocks(page) if block.kind in ("console", "python") and not block.mark
    ]
    assert not silent, "run it, or say why not: " + ", ".join(silent)


@pytest.mark.parametrize("page", sorted({*PAGES, *BESIDE}), ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    for link in _LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            # nothing is fetched by a test; but what is written must be a whole address, and not in the clear
            assert re.fullmatch(r"https://[\w.-]+\.[a-z]{2,}(/\S*)?|mailto:\S+@\S+", link), f"{page}: {link}"
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page}: {link}"
        if anchor:
            assert anchor in _anchors(target), f"{page}: {link}"


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), flags=re.M)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", head.lower()).strip()) for head in heads}


def test_generated_pages_are_current() -> None:
    script = runpy.run_path(str(DOCS / "make_reference.py"))
    for path, text in script["pages"]().items():
        assert path.read_text("utf-8") == text, f"{path.name}: run: python docs/make_reference.py"


def test_words_are_spelt_right() -> None:
    pytest.importorskip("codespell_lib", reason="codespell is not installed: run `make setup`")
    code = [*(ROOT / "src").rglob("*.py"), *(ROOT / "scripts").glob("*.py"), *(ROOT / "src").rglob("prompt.md")]
    command = [sys.executable, "-m", "codespell_lib", *map(str, (*PAGES, *BESIDE, *code))]  # settings: pyproject.toml
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_page_is_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2]
    named = set(re.findall(r": ([\w/-]+\.md)$", nav, flags=re.M))
    assert named == {p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")}


def test_the_tests_that_the_hazards_name_are_there() -> None:
    named = _TEST.findall((DOCS / "hazards.md").read_text("utf-8"))
    assert named
    for file, test in named:
        path = ROOT / file
        assert path.is_file(), file
        assert re.search(rf"^(async )?def {test}\(", path.read_text("utf-8"), re.M), f"{file}::{test}"


def test_a_wrong_output_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- run -->\n```console\n$ echo one; echo two\ntwo\none\n```\n", "utf-8")
    with pytest.raises(AssertionError, match="'one' is not in what was"):
        Place(page, tmp_path).do(next(blocks(page)))
