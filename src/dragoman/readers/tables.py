"""Text tables, read in one place: headers, line ends, blank and comment lines, quotes, and rows of the wrong width.

A row is always one line. Terms hold no line breaks, and a reader that lets a quoted value run on would swallow half a
file at the first unbalanced quote.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple, Protocol

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.sources import Entry, empty, lines

SHORT = "fewer values than the header has columns"
LONG = "more values than the header has columns (a separator inside a value?)"
NUL = "NUL character in the row"
QUOTES = "quotes do not match"


class Dialect(NamedTuple):
    """How a table is written.

    ``quotes``: ``none`` (a quote is a character like any other, as in RF2), ``csv`` (RFC 4180), or ``whole`` (only a
    value that is quoted from end to end is unquoted, as spreadsheets write tab-separated text).
    ``comments``: a line that begins so is no row.
    """

    separator: str
    quotes: Literal["none", "csv", "whole"] = "none"
    comments: str = "#"


PLAIN_TABS = Dialect("\t")
TABS = Dialect("\t", "whole")
COMMAS = Dialect(",", "csv")
_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}  # what people separate columns with


def by_ending(entry: Entry) -> Dialect:
    """Tabs for ``.tsv`` (and ``.tab``), commas for everything else."""
    return TABS if entry.name.lower().endswith((".tsv", ".tab")) else COMMAS


class Rows(Protocol):
    """A table, wherever it stands."""

    @property
    def name(self) -> str:
        """What rejects call it: a path, or a table of a database."""
        ...

    def places(self, *names: str) -> tuple[int, ...]:
        """The positions of columns that must be there."""
        ...

    def place(self, name: str) -> int:
        """The position of a column that may be absent: −1 then."""
        ...

    def rows(self, report: Report) -> Iterator[tuple[int, list[str]]]:
        """``(line, values)`` of each row, a value for each column."""
        ...


class Table:
    """One table with a header. Column names are compared without case and without surrounding space.

    Raises ``DataError`` on opening where the file is missing, empty or not UTF-8.
    """

    def __init__(self, entry: Entry, dialect: Dialect) -> None:
        self.entry = entry
        self.name = str(entry)
        self.dialect = dialect
        self.line, header = self._header()
        self.columns = tuple(name.strip().casefold() for name in header)
        self._found = ", ".join(name.strip() for name in header)

    def _header(self) -> tuple[int, list[str]]:
        for number, line in enumerate(lines(self.entry), 1):
            row = line.rstrip("\r\n")
            if row.strip() and not row.startswith(self.dialect.comments):
                return number, _split(row, self.dialect) or [row]
        raise empty(self.entry)

    def __contains__(self, column: str) -> bool:
        return column.casefold() in self.columns

    def places(self, *names: str) -> tuple[int, ...]:
        """The positions of columns that must be there; ``DataError`` names those that are missing and those found."""
        missing = [name for name in names if name not in self]
        if missing:
            raise DataError(
                f"missing column{'s' if len(missing) > 1 else ''} {', '.join(missing)}; found: {_shown(self._found)}",
                where=f"{self.entry}:{self.line}",
                advice=self._advice(),
            )
        return tuple(self.columns.index(name.casefold()) for name in names)

    def _advice(self) -> str:
        """What to do about a header in which columns are missing: most often the table is separated otherwise."""
        want = _NAMES[self.dialect.separator]
        if "\r" in self._found:
            return "its lines end as on old Macs: save it with line feeds"
        for other, name in _NAMES.items():
            if len(self.columns) == 1 and other != self.dialect.separator and other in self._found:
                ending = "; or call it .tsv" if name == "tabs" and want == "commas" else ""
                return f"it is separated by {name}: save it with {want}{ending}"
        return "the first line must name the columns"

    def place(self, name: str) -> int:
        """The position of a column that may be absent: −1 then."""
        return self.columns.index(name.casefold()) if name in self else -1

    def rows(self, report: Report) -> Iterator[tuple[int, list[str]]]:
        """``(line, values)`` of each row with as many values as the header; others go to ``report.reject``."""
        return self.split(islice(lines(self.entry), self.line, None), self.line + 1, report)

    def split(self, lines: Iterable[str], first: int, report: Report) -> Iterator[tuple[int, list[str]]]:
        """``rows`` of these lines, of which the first has the number ``first``."""
        separator, quotes, comments = self.dialect
        width, source, plain = len(self.columns), self.name, quotes == "none"
        for number, line in enumerate(lines, first):
            row = line.rstrip("\r\n")
            values = row.split(separator) if plain or '"' not in row else _split(row, self.dialect)
            if values is not None and len(values) == width and "\0" not in row and not row.startswith(comments):
                yield number, values
            elif row.strip() and not row.startswith(comments):
                report.reject(source, number, _fault(row, values, width))


def _shown(header: str, most: int = 200) -> str:
    """A header for an error: what is no text is left out, for it would reach a terminal."""
    return "".join(c for c in header[:most] if c.isprintable() or c == "\t")


def _fault(row: str, values: list[str] | None, width: int) -> str:
    if "\0" in row:
        return NUL
    if values is None:
        return QUOTES
    return SHORT if len(values) < width else LONG


def _split(row: str, dialect: Dialect) -> list[str] | None:
    """The values of one row, or None where its quotes do not match."""
    if dialect.quotes == "none" or '"' not in row:
        return row.split(dialect.separator)
    if dialect.quotes == "whole":
        return [_unquote(value) for value in row.split(dialect.separator)]
    try:
        return next(csv.reader([row], delimiter=dialect.separator, strict=True), None)
    except csv.Error:
        return None


def _unquote(value: str) -> str:
    inner = value[1:-1].replace('""', "\0")
    if len(value) < 2 or value[0] != '"' or value[-1] != '"' or '"' in inner:
        return value
    return inner.replace("\0", '"')
