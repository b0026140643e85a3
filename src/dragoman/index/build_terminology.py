"""The terminologies of a build: found as they were compiled before, or compiled now."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from dragoman import folder
from dragoman.index import pack_tables, shared, store
from dragoman.index.arrays import Part, Writer
from dragoman.index.drugs_build import write_dictionary
from dragoman.index.manifest import make_manifest, seal
from dragoman.index.taken import Progress, Reading, Taken
from dragoman.index.terms_build import compile_terms
from dragoman.index.terms_report import TermReport
from dragoman.project import Project
from dragoman.protocols import Row, Source


class Terminology(msgspec.Struct, frozen=True, kw_only=True):
    """The compiled terminologies of a project. ``reused``: whether they were there already."""

    place: Path
    part: Part
    report: TermReport
    taken: tuple[Taken, ...]
    reused: bool


class Refused(Exception):
    """Carries what was read before ``cause`` stopped the reading."""

    def __init__(self, taken: tuple[Taken, ...], cause: Exception) -> None:
        super().__init__(str(cause))
        self.taken = taken
        self.cause = cause


def terminology(project: Project, tick: Progress, scratch: Path | None) -> Terminology:
    """The compiled terminologies of ``project`` under its index; with ``scratch`` made there, and not kept.

    The lock of the index must be held, but for ``scratch``. Raises ``Refused`` around what a reader raises.
    """
    rules, without = folder.digest(project.packs), project.file.build.without
    key = shared.key(project.sources, rules, without)
    there = shared.find(project.index, key, project.sources)
    if there is not None:
        place, told = there
        tick("terminologies, unchanged", 0, None)
        pack_tables.lend(place, project.packs)
        paths = (str(source.path) for source in project.sources)
        taken = tuple(
            Taken(info=info, rejects=rejects, path=path, doubts=doubts)
            for info, rejects, path, doubts in zip(told.sources, told.rejects, paths, told.doubts, strict=True)
        )
        return Terminology(place=place, part=shared.opened(place), report=told.report, taken=taken, reused=True)
    parent = scratch
    if parent is None:
        parent = project.index / store.SHARED
        parent.mkdir(exist_ok=True)
    fresh = store.fresh(parent)
    try:
        return _compile(project, tick, fresh, key, keep=scratch is None)
    finally:
        if scratch is None:
            shutil.rmtree(fresh, ignore_errors=True)


def _compile(project: Project, tick: Progress, fresh: Path, key: str, *, keep: bool) -> Terminology:
    started = time.monotonic()
    readings: list[Reading] = []

    def sources() -> Iterator[tuple[Source, Iterator[Row]]]:
        for source in project.sources:
            readings.append(Reading(source, tick))
            yield source, iter(readings[-1])

    try:
        writer = Writer(fresh)
        report = compile_terms(sources(), project.packs, writer, frozenset(project.file.build.without))
        write_dictionary(writer, project.packs)
        pack_tables.write(fresh, project.packs)
    except Exception as error:
        raise Refused(tuple(r.taken(project.base) for r in readings), error) from error
    digests = [reading.digests() for reading in readings]
    taken = tuple(r.taken(project.base, read) for r, read in zip(readings, digests, strict=True))
    manifest = make_manifest(
        fresh,
        started=started,
        project="",
        languages=tuple(p.code for p in project.languages),
        sources=tuple(one.info for one in taken),
        counts=report.counts,
        rules=folder.digest(project.packs),
        without=project.file.build.without,
    )
    if not keep:
        seal(fresh, manifest)
        return Terminology(place=fresh, part=Part(fresh), report=report, taken=taken, reused=False)
    files = [shared.made_from(r.source, read) for r, read in zip(readings, digests, strict=True)]
    told = shared.Told(
        key=key,
        files=None if None in files else tuple(f for f in files if f is not None),
        report=report,
        sources=manifest.sources,
        rejects=tuple(one.rejects for one in taken),
        doubts=tuple(one.doubts for one in taken),
    )
    place = shared.adopt(project.index, fresh, manifest, told)
    return Terminology(place=place, part=shared.opened(place), report=report, taken=taken, reused=False)
