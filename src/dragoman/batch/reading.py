"""What the formats of a batch share: pieces of files, lines with an end to their length, rows with their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, Any, NamedTuple, Protocol

import msgspec

from dragoman.errors import DataError, LimitExceeded
from dragoman.types import Value

LONGEST = 16_000_000  # bytes of one line
KNOWN = 4096  # texts whose answers are kept, should they come again

Reject = Callable[[int, str, str | None], None]
"""Put a row aside: its line, why, and the row as it was, where it is text."""


class Piece(NamedTuple):
    """``start`` up to ``end`` (``None``: to the file's end), the first line's number, a CSV file's header."""

    start: int
    end: int | None
    line: int
    header: tuple[str, ...] | None = None


class Engine(Protocol):
    """What reads a text: the values of the task's columns, or an Arrow batch with the columns added."""

    @property
    def columns(self) -> dict[str, type[Value]]:
        """The columns that are added."""

    def answer(self, text: str) -> tuple[Any, ...]:
        """One value for each column."""

    def add(self, data: Any) -> Any:
        """A ``RecordBatch`` with the columns."""


class Work(NamedTuple):
    """The text column's name, the longest text that is read (characters), and who reads it (``None`` when planning)."""

    text: str
    limit: int
    columns: tuple[str, ...]
    engine: Engine | None = None


def lines(file: IO[bytes], start: int, end: int | None) -> Iterator[tuple[bytes, int]]:
    """Each line from byte ``start`` up to ``end`` with where the next begins; of one that is too long, its beginning
    alone."""
    if start:
        file.seek(start)
    at = start
    while end is None or at < end:
        line = file.readline(LONGEST)
        if not line:
            return
        at += len(line)
        if len(line) == LONGEST:
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = file.readline(LONGEST)
                at += len(rest)
        yield line, at


class Answers:
    """The answers to texts as JSON, ready to be put behind what a row had.

    A text that was read lately is not read again.
    """

    def __init__(self, work: Work) -> None:
        if work.engine is None:
            raise DataError("there is nobody to read the texts", advice="give the work an engine")
        self._answer = work.engine.answer
        self._limit = work.limit
        self._encode = msgspec.json.Encoder().encode
        self._known: dict[str, list[bytes] | str] = {}

    def fault(self, text: Any) -> str | None:
        """Why a row's text is not read, or ``None``."""
        if text is None:
            return None
        if not isinstance(text, str):
            return "the text is no string"
        return f"the text is longer than {self._limit} characters" if len(text) > self._limit else None

    def of(self, text: str | None, columns: int) -> list[bytes] | str:
        """The JSON of each column's value; or why there is none."""
        if text is None:
            return [b"null"] * columns
        found = self._known.get(text)
        if found is None:
            try:
                found = [self._encode(value) for value in self._answer(text)]
            except (DataError, LimitExceeded) as error:
                found = error.what
            if len(self._known) >= KNOWN:
                self._known.clear()
            self._known[text] = found
        return found
