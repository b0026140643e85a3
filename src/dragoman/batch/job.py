"""The values of a batch: what is to be done, in which parts, and what became of each."""

from __future__ import annotations

from typing import Any

import msgspec

from dragoman.types import Value

DONE = "_done"
"""Folder in OUT with a note for each finished part; what begins with ``_`` is passed over by readers of folders."""
REJECTS = "_rejects"
"""Folder in OUT with the rows that were not taken, a file for each part that has any."""
MANIFEST = "_manifest.json"


class Shipment(Value, frozen=True, kw_only=True):
    """Where a worker finds the project and the one generation of its index that this batch is read with.

    ``files`` are the project file and the folders of its own that it names, ``(path, content)``; empty where
    ``project`` is built in. The generation ``index`` stands in the folder ``home``, which every worker must reach; or
    ``store`` is where each node fetches it from, once.
    """

    project: str
    files: tuple[tuple[str, bytes], ...] = ()
    tenant: str | None = None
    index: str
    home: str | None = None
    store: str | None = None


class Job(Value, frozen=True, kw_only=True):
    """Everything that a worker needs beside the part itself."""

    source: str
    target: str
    format: str
    task: str
    text: str
    language: str | None = None
    without: tuple[str, ...] = ()
    shipment: Shipment


class Part(Value, frozen=True, kw_only=True):
    """A stretch of one file that becomes one file of OUT.

    ``start`` up to ``end`` are bytes, or row groups of a Parquet file; ``end`` is ``None`` where a file cannot be cut.
    ``line`` is the number of its first line (row, in Parquet), from 1. ``header`` are the columns of a CSV file.
    """

    name: str
    source: str
    start: int = 0
    end: int | None = None
    line: int = 1
    header: tuple[str, ...] | None = None


class Report(Value, frozen=True, kw_only=True):
    """What became of a part: ``rows`` written, ``rejected`` ones, and the size and SHA-256 of its file."""

    name: str
    rows: int
    rejected: int
    bytes: int
    sha256: str


class Manifest(Value, frozen=True, kw_only=True):
    """``_manifest.json``: the plan of a batch, and at its end the reports of its parts.

    ``plan`` is a digest of all that the output hangs on; a run with another one does not go on with these parts.
    """

    plan: str
    dragoman: str
    index: str
    source: str
    format: str
    task: str
    text: str
    language: str | None
    without: tuple[str, ...]
    files: tuple[tuple[str, int, str], ...]
    parts: tuple[Part, ...]
    done: tuple[Report, ...] = ()
    complete: bool = False


def encode(value: Any) -> bytes:
    """A value as JSON that people can read."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
