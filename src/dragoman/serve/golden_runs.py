"""Runs of the golden questions, as files: those that ``dragoman eval --json`` wrote, and those made from the page."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from tomllib import loads

import msgspec

from dragoman._version import __version__
from dragoman.engine import Dragoman
from dragoman.errors import DataError
from dragoman.evaluate import cases, golden
from dragoman.evaluate.compare import Comparison, compare
from dragoman.evaluate.golden import Rate
from dragoman.types import Value

SHOWN = 50  # of the newest runs
LARGEST = 20_000_000  # bytes of a file that is read


class Row(Value, frozen=True, kw_only=True):
    """One question of a run."""

    id: str
    category: str = ""
    language: str = ""
    passed: bool = False
    skipped: bool = False
    why: str | None = None


class Counted(Value, frozen=True, kw_only=True):
    """Rates of all questions, and by category and language."""

    all: Rate
    categories: dict[str, Rate] = msgspec.field(default_factory=dict)
    languages: dict[str, Rate] = msgspec.field(default_factory=dict)


class Run(Value, frozen=True, kw_only=True):
    """One run. ``at`` is when (ISO 8601, UTC); ``missed`` are the stated thresholds that it misses.

    ``index`` and ``version`` are empty where the file does not say; ``kept``: it is a file by now.
    """

    name: str = ""
    at: str = ""
    index: str = ""
    version: str = ""
    rates: Counted
    missed: tuple[str, ...] = ()
    safety: tuple[str, ...] = ()
    cases: tuple[Row, ...] = ()
    kept: bool = True


class Summary(Value, frozen=True, kw_only=True):
    """A run in the list. ``fault`` says why a file there is none that can be read."""

    name: str
    at: str
    index: str = ""
    rate: Rate | None = None
    fault: str | None = None


def folder(engine: Dragoman) -> Path:
    """Where the runs are: ``[serve] reports``, else beside the index."""
    named = engine.project.file.serve.reports
    home = engine.vocabularies.place.parent
    return engine.project.at(named) if named else home.with_name(f"{home.name}-reports")


def golden_file(engine: Dragoman) -> Path | None:
    """The project's golden questions: those that a build must pass, else ``golden.jsonl`` beside the project file.

    Of a tenant only those that it names: the others are the project's own.
    """
    named = engine.project.file.build.golden
    if named is None and engine.project.of is not None:
        return None
    path = engine.project.at(named or "golden.jsonl")
    return path if path.is_file() else None


def listed(engine: Dragoman) -> tuple[Summary, ...]:
    """The newest runs, newest first."""
    place = folder(engine)
    found = sorted(place.glob("*.json"), key=lambda p: (p.stat().st_mtime, p.name), reverse=True)[:SHOWN]
    return tuple(_summary(path) for path in found)


def read(engine: Dragoman, name: str) -> Run | None:
    """The run of this name; ``None`` where none is listed. ``DataError`` for a file that is no run."""
    path = next((p for p in folder(engine).glob("*.json") if p.stem == name), None)
    return None if path is None else _read(path)


def compared(before: Run, after: Run) -> Comparison:
    """The questions that ran both times."""
    return compare(*({c.id: c.passed for c in run.cases if not c.skipped} for run in (before, after)))


class Runner:
    """Runs the golden questions on a thread of its own, one run at a time, each state of them and of the index once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "golden")
        self._last: tuple[object, Future[Run]] | None = None

    def run(self, engine: Dragoman, file: Path, wait_s: float | None = None) -> Run:
        """The run of ``file`` by the index that answers now; kept as a file where the folder can be written.

        Raises ``TimeoutError`` where it is not done after ``wait_s`` seconds. It goes on: who asks again waits for the
        same run.
        """
        state = (file, file.stat().st_mtime_ns, engine.vocabularies.place, folder(engine))
        with self._lock:
            if self._last is None or self._last[0] != state or _failed(self._last[1]):
                self._last = (state, self._thread.submit(_run, engine, file))
            last = self._last[1]
        return last.result(wait_s)


def _failed(run: Future[Run]) -> bool:
    return run.done() and run.exception() is not None


def _run(engine: Dragoman, file: Path) -> Run:
    quiet = Dragoman(engine.project, engine.vocabularies)  # what golden questions lack is nobody's gap
    results = golden.run(quiet, cases.load(file))
    safety = frozenset(loads(files("dragoman.evaluate").joinpath("safety.toml").read_text("utf-8"))["categories"])
    counted = golden.rates(results)
    now = datetime.now(UTC)
    run = Run(
        name=now.strftime("%Y%m%dT%H%M%S%fZ"),
        at=now.isoformat(timespec="seconds"),
        index=engine.info.id,
        version=__version__,
        rates=Counted(all=counted.all, categories=counted.categories, languages=counted.languages),
        missed=tuple(golden.shortfalls(results, least=None, safety=safety)),
        safety=tuple(sorted(safety)),
        cases=tuple(msgspec.convert(r.row(), Row) for r in results),
    )
    try:
        place = folder(engine)
        place.mkdir(parents=True, exist_ok=True)
        # Reasons of failure quote the questions: the file is its owner's alone.
        with os.fdopen(os.open(place / f"{run.name}.json", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(msgspec.json.encode(run))
    except OSError:  # a read-only machine: the run is shown, and `kept` says that it is not there to compare with
        return msgspec.structs.replace(run, kept=False)
    return run


def _summary(path: Path) -> Summary:
    try:
        run = _read(path)
    except DataError as error:
        return Summary(name=path.stem, at=_changed(path), fault=error.what)
    return Summary(name=run.name, at=run.at, index=run.index, rate=run.rates.all)


def _read(path: Path) -> Run:
    advice = "make one with `dragoman eval --json`"
    try:
        if path.stat().st_size > LARGEST:
            raise DataError("is too large to be a run", where=path.name, advice=advice)
        run = msgspec.json.decode(path.read_bytes(), type=Run)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError("is no run of golden questions", where=path.name, advice=advice) from None
    return msgspec.structs.replace(run, name=path.stem, at=run.at or _changed(path))


def _changed(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
