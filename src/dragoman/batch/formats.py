"""The files of a batch: JSON lines, CSV and Parquet, each cut into parts and read a piece at a time.

A format says where a file may be cut and what one part of it becomes. Rows keep all they had and their order; a row
that cannot be read goes to ``reject`` with its line and the reason, and never stops a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from dragoman.batch.csv_file import CsvFile
from dragoman.batch.jsonl_file import JsonlFile
from dragoman.batch.parquet_file import ParquetFile
from dragoman.batch.reading import Piece, Reject, Work
from dragoman.errors import ConfigError

COMPRESSED = (".gz", ".bz2", ".xz")


class Format(Protocol):
    """One kind of file."""

    def pieces(self, file: IO[bytes], rows: int, whole: bool, work: Work) -> Iterator[Piece]:
        """Cut ``file`` into pieces of at least ``rows`` rows each; one piece where it must stay ``whole``.

        Raises ``DataError`` where the file has no such text column, as far as it says so at its beginning.
        """

    def convert(self, file: IO[bytes], piece: Piece, target: Path, work: Work, reject: Reject) -> int:
        """Write what a piece becomes to the local file ``target``; how many rows that are."""


class Kind(NamedTuple):
    """How a format is called, and the ending of its files."""

    name: str
    ending: str
    make: Callable[[], Format]


KINDS = (
    Kind("jsonl", ".jsonl", JsonlFile),
    Kind("csv", ".csv", CsvFile),
    Kind("tsv", ".tsv", lambda: CsvFile("\t")),
    Kind("parquet", ".parquet", ParquetFile),
)
FORMATS = {kind.name: kind for kind in KINDS}
ENDINGS = {kind.ending: kind.name for kind in KINDS} | {".ndjson": "jsonl", ".pq": "parquet"}


def split_name(name: str) -> tuple[str, str | None, bool]:
    """A file's name as ``(stem, format or None, whether compressed)``."""
    compressed = name.endswith(COMPRESSED)
    plain = name.rpartition(".")[0] if compressed else name
    stem, dot, ending = plain.rpartition(".")
    found = ENDINGS.get(f"{dot}{ending}".lower())
    return (stem, found, compressed) if found else (plain, None, compressed)


def format_of(name: str) -> Format:
    """The format ``name``; ``ConfigError`` lists those there are."""
    if name not in FORMATS:
        raise ConfigError(f"there is no format {name!r}", advice=f"use one of {', '.join(FORMATS)}")
    return FORMATS[name].make()


def unknown(where: str, found: Any) -> ConfigError:
    """The error for files whose format cannot be told."""
    what = (
        f"holds files of several formats ({', '.join(sorted(found))})" if found else "holds no file of a known format"
    )
    return ConfigError(what, where=where, advice=f"files end in {', '.join(ENDINGS)}; or give --format")
