"""One part of a batch, wherever it is done: read, answered, written, and noted as done.

Every engine does this and nothing else. A part's file has a name of its own and appears whole, so a part that is done
twice (its worker died, or an engine was impatient) is there once.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from dragoman.batch.formats import format_of, split_name
from dragoman.batch.job import DONE, REJECTS, Job, Part, Report, encode
from dragoman.batch.reading import Piece, Work
from dragoman.batch.shipment import Reader, unpack
from dragoman.errors import DragomanError
from dragoman.storage import Storage

REJECTS_AT_HAND = 1 << 20  # bytes of rejected rows that are held in memory before they go to the disk


def do_part(job: Job, part: Part) -> Report:
    """Do one part. Raises ``DragomanError`` for what no second attempt would mend."""
    engine = unpack(job.shipment)
    reader = Reader(engine, job.task, job.text, job.language, job.without)
    work = Work(job.text, engine.project.file.limits.text, tuple(reader.columns), reader)
    source, target = Storage(job.source), Storage(job.target)
    piece = Piece(part.start, part.end, part.line, part.header)
    rejected = 0
    with ExitStack() as stack:
        aside = stack.enter_context(tempfile.SpooledTemporaryFile(REJECTS_AT_HAND))  # of the owner alone

        def reject(line: int, why: str, row: str | None) -> None:
            nonlocal rejected
            rejected += 1
            told = {"source": part.source, "line": line, "why": why, "row": row}
            aside.write(json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")

        beside = stack.enter_context(target.writing(part.name))
        # An address of a file is that file; else the part's source is a name below it.
        name = part.source if not source.is_file() else ""
        compressed = split_name(part.source)[2]
        file = stack.enter_context(source.open(name, "infer" if compressed else None))
        try:
            rows = format_of(job.format).convert(file, piece, beside, work, reject)
        except DragomanError as error:
            raise type(error)(error.what, where=error.where or part.source, advice=error.advice) from None
        digest, size = _digest(beside)
        if rejected:
            aside.seek(0)
            with target.writing(f"{REJECTS}/{part.name}.jsonl") as told, told.open("wb") as out:
                shutil.copyfileobj(aside, out)
    report = Report(name=part.name, rows=rows, rejected=rejected, bytes=size, sha256=digest)
    target.write(f"{DONE}/{part.name}.json", encode(report))
    return report


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size
