"""``dragoman build``: sources in, one checked generation of the index out, or nothing changed at all."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from dragoman.errors import DataError
from dragoman.index import store
from dragoman.index.arrays import Writer
from dragoman.index.drugs_build import compile_drugs
from dragoman.index.terms_build import compile_terms
from dragoman.project import Project
from dragoman.protocols import Reject, Report, Row, Source
from dragoman.readers import reader_for
from dragoman.readers.catalog import read_catalog
from dragoman.readers.deployment import Catalog, Taxonomy
from dragoman.readers.taxonomy import read_taxonomy

Progress = Callable[[str, int, int | None], None]
"""``(what, done, total or None)``: called now and then on long work, never with a line of the data."""

OWN = "catalogue and taxonomy"
_TICK = 20_000  # rows between two calls of the progress function


class BuildReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a build did: the new index, what it holds, what it could not take, and what an editor should look at."""

    id: str
    path: str
    seconds: float
    counts: dict[str, int]
    sources: tuple[store.SourceInfo, ...]
    rejected: dict[str, int] = {}
    rejects: tuple[Reject, ...] = ()
    terms: dict[str, Any] = {}
    drugs: dict[str, Any] = {}


def build(project: Project, *, out: Path | None = None, progress: Progress | None = None) -> BuildReport:
    """Compile the project's sources into a new generation under ``out`` (default: the project's own index).

    The generation is written beside the others and becomes current only when it is whole. Raises ``DataError`` where
    a source cannot be read or has more rejects than ``[build] max_rejects``, ``IndexUnusable`` where another build is
    at work; in every case the index that was in use stays in use.
    """
    started = time.monotonic()
    tick = progress or (lambda what, done, total: None)
    home = out or project.index
    with store.lock(home):
        fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=home))
        try:
            return _compile(project, home, fresh, started, tick)
        except OSError as error:
            if error.filename is not None and not str(error.filename).startswith(str(home)):
                raise
            raise DataError(
                f"the index cannot be written ({error.strerror})",
                where=str(home),
                advice="free some space or choose another folder with --out; the old index is untouched",
            ) from None
        finally:
            if fresh.exists():
                shutil.rmtree(fresh, ignore_errors=True)


def _compile(project: Project, home: Path, fresh: Path, started: float, tick: Progress) -> BuildReport:
    writer = Writer(fresh)
    reports: list[tuple[Source, Report, list[int]]] = []

    def sources() -> Iterator[tuple[Source, Iterator[Row]]]:
        for source in project.sources:
            report, taken = Report(), [0]
            reports.append((source, report, taken))
            yield source, _counted(source, report, taken, tick)

    own = Report()
    catalog, taxonomy = Catalog(), Taxonomy()
    if table := project.file.catalog:
        catalog = read_catalog(
            drugs=project.at(table.drugs),
            aliases=project.at(table.aliases) if table.aliases else None,
            known=project.at(table.known) if table.known else None,
            confusable=project.at(table.confusable) if table.confusable else None,
            report=own,
        )
    if pages := project.file.taxonomy:
        taxonomy = read_taxonomy(
            entities=project.at(pages.entities),
            relations=project.at(pages.relations) if pages.relations else None,
            report=own,
        )
    terms = compile_terms(sources(), taxonomy, project.packs, writer)
    tick("drug names", 0, None)
    drugs = compile_drugs(catalog, project.packs, writer)
    own_rows = len(catalog.drugs) + len(catalog.aliases) + len(taxonomy.entities) + len(taxonomy.relations)
    if own.files:
        reports.append((Source(name=OWN, format="csv", path=project.base), own, [own_rows]))
    infos = tuple(_info(source, report, taken[0], project.base) for source, report, taken in reports)
    _refuse_rejects(project, [*((s.path, r, t[0]) for s, r, t in reports)])
    counts = {**terms.counts, **drugs.counts}
    manifest = store.make_manifest(
        fresh,
        started=started,
        project=project.name,
        languages=tuple(p.code for p in project.languages),
        sources=infos,
        counts=counts,
    )
    tick("swap", 0, None)
    place = store.adopt(home, fresh, manifest)
    everything = [report for _, report, _ in reports]
    rejected: dict[str, int] = {}
    for report in everything:
        for reason, count in report.rejected.items():
            rejected[reason] = rejected.get(reason, 0) + count
    return BuildReport(
        id=manifest.id,
        path=str(place),
        seconds=manifest.seconds,
        counts=counts,
        sources=manifest.sources,
        rejected=rejected,
        rejects=tuple(example for report in everything for example in report.examples),
        terms=msgspec.to_builtins(terms),
        drugs=msgspec.to_builtins(drugs),
    )


def _counted(source: Source, report: Report, taken: list[int], tick: Progress) -> Iterator[Row]:
    for row in reader_for(source)(source, report):
        taken[0] += 1
        if taken[0] % _TICK == 0:
            tick(source.name, taken[0], None)
        yield row
    tick(source.name, taken[0], taken[0])


def _info(source: Source, report: Report, rows: int, base: Path) -> store.SourceInfo:
    return store.SourceInfo(
        name=source.name,
        format=source.format,
        version=report.version,
        licence=source.licence,
        files={_short(p, base): store.digest_file(p) for p in report.files if p.is_file()},
        rows=rows,
        rejected=dict(report.rejected),
        skipped=dict(report.skipped),
    )


def _short(path: Path, base: Path) -> str:
    """``path`` relative to the project where it lies inside, for a manifest that is the same on every machine."""
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name


def _refuse_rejects(project: Project, reports: list[tuple[Path, Report, int]]) -> None:
    allowed = project.file.build.max_rejects
    for path, report, taken in reports:
        bad = report.rejected.total()
        if bad and bad > allowed * (bad + taken):
            first = report.examples[0]
            raise DataError(
                f"{bad} of {bad + taken} rows were rejected, first: {first.reason}",
                where=f"{first.path}:{first.line}" if first.line else str(path),
                advice=f"correct the source, or raise [build] max_rejects above {allowed:g}",
            )
