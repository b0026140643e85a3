"""``dragoman batch``: plans the parts, has an engine do those that are not done yet, and accounts for all of them.

::

    OUT/
        questions-00000.parquet    the parts, with the folders of IN
        _rejects/...jsonl          rows that were not taken: source, line, why, the row
        _manifest.json             the plan, and at the end the rows and the SHA-256 of each part
        _done/...json              while it runs: a note for each finished part
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import msgspec

from dragoman.batch import local, on_ray, on_spark
from dragoman.batch.job import DONE, MANIFEST, REJECTS, Job, Manifest, Part, Report, encode
from dragoman.batch.plan import look, plan
from dragoman.batch.shipment import pack
from dragoman.engine import Dragoman
from dragoman.errors import ConfigError, WorkFailed
from dragoman.rows import task
from dragoman.storage import Storage
from dragoman.types import Value

PART_ROWS = 20_000

Progress = Callable[[int, int, int], None]
"""Called with the parts that are done, all parts, and the rows that were written."""


class Run(Protocol):
    """An engine: does parts, on ``workers`` workers, in any order, and tells of each when it is done."""

    def __call__(self, job: Job, parts: tuple[Part, ...], workers: int | None) -> Iterator[Report]:
        """The report of each part, as it is done."""


ENGINES: dict[str, Run] = {"local": local.run, "ray": on_ray.run, "spark": on_spark.run}


class Batched(Value, frozen=True, kw_only=True):
    """What was done: ``parts`` of which ``already`` were there, ``rows`` written and ``rejected`` in all of them."""

    target: str
    index: str
    parts: int
    already: int
    rows: int
    rejected: int


def run(
    engine: Dragoman,
    project: str,
    source: str,
    target: str,
    *,
    task_name: str = "enrich",
    text: str = "text",
    language: str | None = None,
    without: Iterable[str] = (),
    format: str | None = None,
    engine_name: str = "local",
    workers: int | None = None,
    part_rows: int = PART_ROWS,
    index_store: str | None = None,
    tenant: str | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Batched:
    """Read the text column of ``source`` (a file or a folder of files) and write its rows with the task's columns to
    the folder ``target``, in the same format.

    ``engine`` is ``project`` (and ``tenant``) opened; workers open it again, by its path or from ``index_store``. A run
    that was stopped is gone on with, unless ``fresh``.

    Raises ``ConfigError`` for options that cannot be meant, and where ``target`` holds anything else; ``DataError`` for
    a file that cannot be read; ``WorkFailed`` and ``StoreUnavailable`` for what the same command may get right later.
    """
    if engine_name not in ENGINES:
        raise ConfigError(f"there is no engine {engine_name!r}", advice=f"use one of {', '.join(ENGINES)}")
    if part_rows < 1:
        raise ConfigError(f"a part of {part_rows} rows cannot be", advice="give at least 1; the default is 20000")
    task(task_name)
    given = look(source, format)
    out = Storage(target)
    _apart(given.storage, out, given.format)
    job = Job(
        source=source,
        target=target,
        format=given.format,
        task=task_name,
        text=text,
        language=language,
        without=tuple(sorted(without)),
        shipment=pack(engine, project, tenant=tenant, store_url=index_store),
    )
    wanted = plan(given, job, part_rows)
    done = _begin(out, wanted, fresh)
    already = len(done)
    left = tuple(part for part in wanted.parts if part.name not in done)
    tick = progress or (lambda finished, parts, rows: None)
    tick(already, len(wanted.parts), sum(r.rows for r in done.values()))
    for report in ENGINES[engine_name](job, left, workers) if left else ():
        done[report.name] = report
        tick(len(done), len(wanted.parts), sum(r.rows for r in done.values()))
    lost = [part.name for part in wanted.parts if part.name not in done]
    if lost:
        raise WorkFailed(f"{len(lost)} parts were not done, the first is {lost[0]}", where=out.shown)
    reports = tuple(done[part.name] for part in wanted.parts)
    out.write(MANIFEST, encode(msgspec.structs.replace(wanted, done=reports, complete=True)))
    out.remove(DONE)
    out.sweep()
    return Batched(
        target=out.shown,
        index=wanted.index,
        parts=len(wanted.parts),
        already=already,
        rows=sum(r.rows for r in reports),
        rejected=sum(r.rejected for r in reports),
    )


def _apart(source: Storage, out: Storage, format: str) -> None:
    inside = f"{out.root}/".startswith(f"{source.root}/") or f"{source.root}/".startswith(f"{out.root}/")
    if inside and type(source.fs) is type(out.fs):
        raise ConfigError(
            "IN and OUT are the same, or one holds the other", where=out.shown, advice="choose another folder"
        )
    if out.is_file():
        raise ConfigError("is a file", where=out.shown, advice="OUT is a folder of parts; name one")


def _begin(out: Storage, wanted: Manifest, fresh: bool) -> dict[str, Report]:
    """Make ``out`` ready for the parts of ``wanted``; those that an earlier run of the same plan has done."""
    raw = out.read(MANIFEST)
    if raw is None:
        if out.files():
            raise ConfigError(
                "holds files that no batch wrote", where=out.shown, advice="choose an empty folder, or a new one"
            )
        out.write(MANIFEST, encode(wanted))
        return {}
    try:
        there = msgspec.json.decode(raw, type=Manifest)
    except msgspec.DecodeError:
        raise ConfigError("holds a damaged manifest", where=out.shown, advice="choose another folder") from None
    if there.plan != wanted.plan and not fresh:
        what = "holds a batch with another input, index or other options"
        raise ConfigError(what, where=out.shown, advice="choose another folder, or give --fresh to write it anew")
    if there.plan != wanted.plan or fresh:
        for part in there.parts:
            out.remove(part.name)
        for name in (DONE, REJECTS):
            out.remove(name)
        out.write(MANIFEST, encode(wanted))
        return {}
    files = {entry.name: entry.bytes for entry in out.files()}
    noted = there.done if there.complete else tuple(_notes(out, files))
    return {report.name: report for report in noted if files.get(report.name) == report.bytes}


def _notes(out: Storage, files: Iterable[str]) -> Iterator[Report]:
    for name in files:
        if name.startswith(f"{DONE}/") and (raw := out.read(name)) is not None:
            yield msgspec.json.decode(raw, type=Report)
