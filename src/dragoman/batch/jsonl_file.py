"""JSON lines: an object a line. What stands in a line stays as it was written; the new columns are put behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from dragoman.batch.reading import LONGEST, Answers, Piece, Reject, Work, lines

_BOM = b"\xef\xbb\xbf"


class JsonlFile:
    """The format ``jsonl``."""

    def pieces(self, file: IO[bytes], rows: int, whole: bool, work: Work) -> Iterator[Piece]:
        """Cuts behind every ``rows``-th line."""
        if whole:
            yield Piece(0, None, 1)
            return
        start, first, at = 0, 1, 0
        for number, (_, at) in enumerate(lines(file, 0, None), 1):
            if number % rows == 0:
                yield Piece(start, at, first)
                start, first = at, number + 1
        if at > start or not at:
            yield Piece(start, at, first)

    def convert(self, file: IO[bytes], piece: Piece, target: Path, work: Work, reject: Reject) -> int:
        """A line for each line that holds an object with a text."""
        answers = Answers(work)
        heads = [b"," + msgspec.json.encode(name) + b":" for name in work.columns]
        count = 0
        with target.open("wb") as out:
            for number, (line, _) in enumerate(lines(file, piece.start, piece.end), piece.line):
                raw = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
                if not raw:
                    continue
                row = _object(raw)
                why = row if isinstance(row, str) else self._fault(row, work, answers)
                found = why or answers.of(row[work.text], len(heads))  # type: ignore[index]  # without a fault it is a dict
                if isinstance(found, str):
                    reject(number, found, raw.decode("utf-8", "backslashreplace"))
                    continue
                more = b"".join(head + value for head, value in zip(heads, found, strict=True))
                out.write(raw[:-1] + more + b"}\n")
                count += 1
        return count

    def _fault(self, row: dict[str, Any], work: Work, answers: Answers) -> str | None:
        if work.text not in row:
            return f"there is no {work.text!r}"
        taken = next((name for name in work.columns if name in row), None)
        return f"there is a {taken!r} already" if taken else answers.fault(row[work.text])


def _object(raw: bytes) -> dict[str, Any] | str:
    if len(raw) >= LONGEST:
        return f"is longer than {LONGEST:,} bytes"
    try:
        row = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return "is not JSON"
    return row if isinstance(row, dict) else "is no object"
