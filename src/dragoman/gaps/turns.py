"""A file of turns, or of lines of text, to look for gaps in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from dragoman.errors import DataError
from dragoman.types import Turn


def read(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, Turn]]:
    """``(line, turn)`` of each line that is not blank; ``name`` is the file's, for complaints.

    In a file whose name ends in ``.jsonl`` or ``.ndjson`` a line is a turn as JSON, a golden question, or a string;
    elsewhere a line that begins with ``{`` is the former, any other is the text itself. Raises ``DataError`` with
    ``file:line``, never with what stands there.
    """
    strict = name.endswith((".jsonl", ".ndjson"))
    for number, raw in enumerate(lines, 1):
        try:
            line = raw.decode("utf-8-sig").strip()
        except UnicodeDecodeError:
            raise DataError("is not UTF-8", where=f"{name}:{number}", advice="save it as UTF-8") from None
        if not line:
            continue
        if not strict and not line.startswith("{"):
            yield number, Turn(line)
            continue
        try:
            turn = _turn(json.loads(line))
        except (ValueError, RecursionError, msgspec.ValidationError):  # msgspec's complaint may quote the text
            raise DataError(
                "is no turn", where=f"{name}:{number}", advice='write {"text": "..."}, or a line of text in a .txt file'
            ) from None
        yield number, turn


def _turn(data: Any) -> Turn:
    if isinstance(data, str):
        return Turn(data)
    if not isinstance(data, dict):
        raise ValueError("no turn")
    inner = data.get("turn", data)
    if not isinstance(inner, dict):
        raise ValueError("no turn")
    # Exports bring columns of their own; only a turn's are read.
    return msgspec.convert({k: v for k, v in inner.items() if k in Turn.__struct_fields__}, Turn)
