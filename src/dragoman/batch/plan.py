"""What a batch will do: the files of IN, cut into parts, and a digest of everything that the output hangs on."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import msgspec

from dragoman._version import __version__
from dragoman.batch.formats import FORMATS, format_of, split_name, unknown
from dragoman.batch.job import Job, Manifest, Part
from dragoman.batch.reading import Work
from dragoman.errors import ConfigError, DataError, DragomanError
from dragoman.rows import task
from dragoman.storage import Entry, Storage


class Input(NamedTuple):
    """The files of IN, all of one ``format``; ``single`` where IN is a file."""

    storage: Storage
    files: tuple[Entry, ...]
    format: str
    single: bool


def look(source: str, format: str | None) -> Input:
    """The files of IN: itself, or every file of the format below it. Files and folders that begin with ``_`` or ``.``
    are passed over.

    Raises ``DataError`` where there is nothing, ``ConfigError`` where the format cannot be told or is unknown.
    """
    if format is not None:
        format_of(format)
    storage = Storage(source)
    if storage.is_file():
        entry = storage.entry()
        kind = format or split_name(entry.name)[1]
        if kind is None:
            raise unknown(storage.shown, ())
        return Input(storage, (entry,), kind, True)
    found = [e for e in storage.files() if not any(step.startswith(("_", ".")) for step in e.name.split("/"))]
    if not found:
        raise DataError(
            "there is no such file or folder", where=storage.shown, advice="name a file, or a folder of files"
        )
    kinds = {kind for e in found if (kind := split_name(e.name)[1])}
    if format is None and len(kinds) != 1:
        raise unknown(storage.shown, kinds)
    kind = format or kinds.pop()
    files = tuple(e for e in found if split_name(e.name)[1] == kind)
    if not files:
        raise unknown(storage.shown, ())
    return Input(storage, files, kind, False)


def plan(given: Input, job: Job, part_rows: int) -> Manifest:
    """Cut the files into parts of about ``part_rows`` rows. Reads JSONL and CSV once from end to end.

    A part is called as its file, with its number: ``region=north/log.jsonl`` becomes ``region=north/log-00000.jsonl``
    and on. Raises ``DataError`` with the file for one that cannot be read, or has no such text column.
    """
    work = Work(job.text, 0, tuple(task(job.task).columns))
    ending = FORMATS[given.format].ending
    parts: list[Part] = []
    for entry in given.files:
        stem, _, compressed = split_name(entry.name)
        whole = compressed and given.format != "parquet"
        with given.storage.open("" if given.single else entry.name, "infer" if compressed else None) as file:
            try:
                pieces = list(format_of(given.format).pieces(file, part_rows, whole, work))
            except DragomanError as error:
                raise type(error)(error.what, where=entry.name, advice=error.advice) from None
        parts += (
            Part(
                name=f"{stem}-{number:05d}{ending}",
                source=entry.name,
                start=piece.start,
                end=piece.end,
                line=piece.line,
                header=piece.header,
            )
            for number, piece in enumerate(pieces)
        )
    names = [part.name for part in parts]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice:
        raise ConfigError(f"two files would become {twice!r}", where=given.storage.shown, advice="rename one of them")
    made = Manifest(
        plan="",
        dragoman=__version__,
        index=job.shipment.index,
        source=given.storage.shown,
        format=given.format,
        task=job.task,
        text=job.text,
        language=job.language,
        without=job.without,
        files=tuple((e.name, e.bytes, e.version) for e in given.files),
        parts=tuple(parts),
    )
    return msgspec.structs.replace(made, plan=hashlib.sha256(msgspec.json.encode(made)).hexdigest()[:16])
