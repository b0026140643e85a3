"""The turns that ``[privacy] keep_text`` allows to keep: masked, in a file a day, for a while, away with one command.

The masking is that of ``text.redact``: a seat belt, no anonymisation. Writing happens on a thread of its own and never
holds up or fails an answer; what could not be written is counted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec

from dragoman.project import Project
from dragoman.text.redact import masker
from dragoman.types import Answer, Turn

_NAME = re.compile(r"kept-(\d{4}-\d{2}-\d{2})\.jsonl")
WAITING = 1000  # turns that may wait to be written; more are dropped, and counted


class KeptTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One line: the person's text with obvious identifiers masked, and what became of it."""

    id: str
    at: str
    endpoint: str
    tenant: str
    text: str
    language: str | None = None
    turn_type: str | None = None
    understood_by: str | None = None
    system_error: str | None = None


class Keeper:
    """Writes turns into ``folder``; ``told`` hears ``written``, ``dropped`` or ``failed`` of each."""

    def __init__(self, project: Project, told: Callable[[str], None]) -> None:
        self.folder = project.at(project.file.privacy.path)
        self._days = project.file.privacy.keep_days
        self._mask = masker(project.packs)
        self._told = told
        self._thread = ThreadPoolExecutor(1, "dragoman-kept")
        self._waiting = 0
        self._pruned = ""

    def keep(self, request_id: str, endpoint: str, tenant: str, turn: Turn, answer: Answer | None) -> None:
        """Write a turn soon."""
        if self._waiting >= WAITING:
            self._told("dropped")
            return
        self._waiting += 1
        frame = answer.frame if answer else None
        self._thread.submit(
            self._write,
            KeptTurn(
                id=request_id,
                at=datetime.now(UTC).isoformat(timespec="seconds"),
                endpoint=endpoint,
                tenant=tenant,
                text=turn.text,
                language=answer.turn.language if answer else turn.language,
                turn_type=frame.turn_type if frame else None,
                understood_by=frame.understood_by if frame else None,
                system_error=frame.system_error if frame else None,
            ),
        )

    def close(self) -> None:
        """Write what waits."""
        self._thread.shutdown(wait=True)

    def _write(self, turn: KeptTurn) -> None:
        try:
            today = turn.at[:10]
            if today != self._pruned:
                prune(self.folder, date.fromisoformat(today) - timedelta(days=self._days))
                self._pruned = today
            line = msgspec.json.encode(msgspec.structs.replace(turn, text=self._mask(turn.text))) + b"\n"
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.folder / f"kept-{today}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.fchmod(descriptor, 0o600)
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
            self._told("written")
        except OSError:
            self._told("failed")
        finally:
            self._waiting -= 1


def files(folder: Path) -> list[tuple[date, Path]]:
    """The files of kept turns with their days, the oldest first."""
    found = []
    for path in sorted(folder.glob("kept-*.jsonl")) if folder.is_dir() else ():
        named = _NAME.fullmatch(path.name)
        if named:
            found.append((date.fromisoformat(named[1]), path))
    return found


def prune(folder: Path, before: date) -> int:
    """Delete the days before ``before``; how many files that were."""
    old = [path for day, path in files(folder) if day < before]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def forget(folder: Path, request_id: str) -> int:
    """Delete the turns of one request; how many there were. What is being written meanwhile may be missed."""
    gone = 0
    for _, path in files(folder):
        lines = path.read_bytes().splitlines(keepends=True)
        left = [line for line in lines if msgspec.json.decode(line, type=KeptTurn).id != request_id]
        if len(left) == len(lines):
            continue
        gone += len(lines) - len(left)
        fresh = path.with_suffix(".new")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.writelines(left)
        fresh.replace(path)
    return gone
