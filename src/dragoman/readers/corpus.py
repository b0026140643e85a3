"""The corpus itself, ``[enrich] corpus``: pages as JSONL, ``id`` and ``text``, if there is one ``title``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from dragoman.errors import DataError
from dragoman.protocols import Report


class _Page(msgspec.Struct):
    text: str
    title: str = ""


def read_corpus(path: Path, report: Report) -> Iterator[str]:
    """Title and text of each page. ``DataError`` with its line for what is no page, or for a file that is not there."""
    report.read(path)
    decoder = msgspec.json.Decoder(_Page)
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    try:
                        page = decoder.decode(line)
                    except (msgspec.DecodeError, UnicodeDecodeError) as error:
                        raise DataError(
                            f"is no page ({error})", where=f"{path}:{number}", advice="write id and text as JSON"
                        ) from None
                    yield f"{page.title}\n{page.text}"
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror})", where=str(path), advice="correct [enrich] corpus"
        ) from None
