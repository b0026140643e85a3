"""CSV with a header, comma or tab separated: the new columns are put behind the others, each as JSON."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from dragoman.batch.reading import Answers, Piece, Reject, Work, lines
from dragoman.errors import DataError


class _Records:
    """The records of a stretch of a file, with their first line and where the next one begins.

    A record may go over several lines, and only the parser of CSV knows where it ends: both the cutting and the reading
    go through here, so they agree.
    """

    def __init__(self, file: IO[bytes], start: int, end: int | None, line: int, separator: str) -> None:
        self.at = start
        self.line = line  # the current record's first line
        self.raw: list[str] = []
        self.next = line  # the line that is read next
        self._lines = lines(file, start, end)
        self._parser = csv.reader(self._decoded(), delimiter=separator)

    def _decoded(self) -> Iterator[str]:
        for line, after in self._lines:
            self.at = after
            self.next += 1
            text = line.decode("utf-8", "surrogateescape")
            if self.next == 2:  # the first line of the file
                text = text.removeprefix("\ufeff")
            self.raw.append(text)
            yield text

    def __iter__(self) -> Iterator[list[str] | str]:
        """The fields of each record; of one that cannot be read, why. Empty lines are passed over."""
        while True:
            self.line = self.next
            self.raw.clear()
            try:
                fields = next(self._parser)
            except StopIteration:
                return
            except csv.Error:
                yield "is not CSV (a quote may be missing)"
                continue
            if fields:
                yield fields


class CsvFile:
    """The formats ``csv`` and, with a tab, ``tsv``."""

    def __init__(self, separator: str = ",") -> None:
        self._separator = separator

    def pieces(self, file: IO[bytes], rows: int, whole: bool, work: Work) -> Iterator[Piece]:
        """Cuts behind every ``rows``-th record."""
        records = _Records(file, 0, None, 1, self._separator)
        header = next(iter(records), None)
        if not isinstance(header, list):
            raise DataError("there is no header", advice="the first line names the columns")
        self._check(header, work)
        names = tuple(header)
        start, first, count = records.at, records.next, 0
        if whole:
            yield Piece(start, None, first, names)
            return
        for _ in records:
            count += 1
            if count % rows == 0:
                yield Piece(start, records.at, first, names)
                start, first = records.at, records.next
        if records.at > start or not count:
            yield Piece(start, records.at, first, names)

    def convert(self, file: IO[bytes], piece: Piece, target: Path, work: Work, reject: Reject) -> int:
        """A record for each record with as many fields as the header has."""
        answers = Answers(work)
        header = piece.header or ()
        place = header.index(work.text)
        start = piece.start
        if piece.end is None:  # a compressed file has no places to go to
            for _ in range(piece.line - 1):
                file.readline()
            start = 0
        records = _Records(file, start, piece.end, piece.line, self._separator)
        count = 0
        with target.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, delimiter=self._separator, lineterminator="\n")
            writer.writerow([*header, *work.columns])
            for fields in records:
                found = self._fault(fields, len(header)) or self._answers(fields, place, answers, work)
                if isinstance(found, str):
                    raw = "".join(records.raw).rstrip("\r\n")
                    reject(
                        records.line, found, raw.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
                    )
                    continue
                writer.writerow([*fields, *found])
                count += 1
        return count

    def _check(self, header: list[str], work: Work) -> None:
        if header.count(work.text) != 1:
            has = "are several columns" if work.text in header else "is no column"
            advice = f"name the text column; there are: {', '.join(header)}"
            raise DataError(f"there {has} {work.text!r}", advice=advice)
        taken = next((name for name in work.columns if name in header), None)
        if taken:
            raise DataError(f"there is a column {taken!r} already", advice="rename it, or leave it out")

    def _fault(self, fields: list[str] | str, columns: int) -> str | None:
        if isinstance(fields, str):
            return fields
        if len(fields) != columns:
            return f"has {len(fields)} fields, the header {columns}"
        return "is not UTF-8" if any("\udc80" <= c <= "\udcff" for field in fields for c in field) else None

    def _answers(self, fields: list[str] | str, place: int, answers: Answers, work: Work) -> list[str] | str:
        text = fields[place]
        found = answers.fault(text) or answers.of(text, len(work.columns))
        return found if isinstance(found, str) else [value.decode() for value in found]
