"""``dragoman build``: sources in, one checked generation of the index out, or nothing changed at all."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from dragoman import folder
from dragoman.errors import BuildRefused, ConfigError, DataError, DragomanError, IndexUnusable
from dragoman.index import store
from dragoman.index.arrays import Part, Writer
from dragoman.index.changes import CatalogueChanges, Loss, catalogue_changes, losses
from dragoman.index.drugs import DrugIndex
from dragoman.index.drugs_build import compile_drugs
from dragoman.index.terms_build import compile_terms
from dragoman.project import Project
from dragoman.protocols import Reject, Report, Row, Source
from dragoman.readers import reader_for
from dragoman.readers.deployment import Catalog, Taxonomy
from dragoman.readers.overrides import read_overrides
from dragoman.readers.own import own_catalog, own_taxonomy

Progress = Callable[[str, int, int | None], None]
"""``(what, done, total or None)``: called now and then on long work, never with a line of the data."""

OWN = "catalogue and taxonomy"
REPORT = "report.json"
REJECTS = "rejects.tsv"
_TICK = 20_000  # rows between two calls of the progress function
_KEPT = 1_000  # rejects of each source and reason that the report file lists
_SHOWN = 20  # and that the build report itself holds


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the golden questions say of a new index.

    ``missed``: each stated threshold that it fails, one sentence each. ``rates``: shares from 0 to 1 (passed; answers
    with an expansion of each layer), kept in the manifest and compared with the next build's.
    """

    missed: tuple[str, ...] = ()
    rates: dict[str, float] = {}


Gate = Callable[[Project, Path], Verdict]
"""Asks the golden questions of the finished, not yet current generation at a path."""


class BuildReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a build did: the new index, what it holds, what it could not take, and what an editor should look at.

    ``path`` is the new generation; ``None`` where it was only checked. ``previous`` is the id of the index that was in
    use, ``losses`` what fell against it by more than ``[build] max_loss`` and was accepted, ``catalogue`` how the drugs
    differ. ``rejects`` are the first of each source and reason; ``rejects_file`` lists many more. ``tenants``: the same
    of each tenant's index.
    """

    id: str
    path: str | None
    seconds: float
    counts: dict[str, int]
    sources: tuple[store.SourceInfo, ...]
    rejected: dict[str, int] = {}
    rejects: tuple[Reject, ...] = ()
    rejects_file: str | None = None
    terms: dict[str, Any] = {}
    drugs: dict[str, Any] = {}
    previous: str | None = None
    losses: tuple[Loss, ...] = ()
    catalogue: CatalogueChanges = CatalogueChanges()
    rates: dict[str, float] = {}
    tenants: dict[str, BuildReport] = {}


class _Taken(msgspec.Struct):
    """One source of this build: what its reader says, and the rows taken."""

    source: Source
    report: Report
    rows: int = 0


def build(
    project: Project,
    *,
    out: Path | None = None,
    progress: Progress | None = None,
    gate: Gate | None = None,
    accept: bool = False,
    check: bool = False,
    tenant: str | None = None,
) -> BuildReport:
    """Compile the project's sources into a new generation under ``out`` (default: the project's own index), and those
    of its tenants each into one below it; with ``tenant`` that tenant's alone.

    The generation is written beside the others and becomes current only when it is whole, passes the golden questions
    of ``[build] golden`` (asked by ``gate``), and has lost no more than ``[build] max_loss`` against the current one,
    unless ``accept``. With ``check`` everything is done but nothing is kept.

    Raises ``DataError`` where a source cannot be read, has too many rejects, or the disk is full; ``IndexUnusable``
    where another build is at work; ``BuildRefused`` where the new index is not good enough; ``ConfigError`` where there
    are golden questions and no ``gate``. In every case the index that was in use stays in use. Where one of several is
    refused, the others are built all the same, and then the first refusal is raised.
    """
    whole = project if out is None else msgspec.structs.replace(project, index=out)
    if tenant is not None:
        return _build(whole.tenant(tenant), progress, gate, accept, check)
    reports: dict[str, BuildReport] = {}
    refused: DragomanError | None = None
    for one in (whole, *map(whole.tenant, whole.tenants)):
        try:
            reports[one.of or ""] = _build(one, progress, gate, accept, check)
        except (BuildRefused, DataError) as error:
            refused = refused or error
    if refused is not None:
        raise refused
    return msgspec.structs.replace(reports.pop(""), tenants=reports)


def _build(project: Project, progress: Progress | None, gate: Gate | None, accept: bool, check: bool) -> BuildReport:
    """Build one index, of a project or of a tenant."""
    if project.file.build.golden is not None and gate is None:
        raise ConfigError(
            "golden questions must be asked, and there is nothing to ask them with",
            where=f"{project.path}: [build] golden",
            advice="give `gate`: dragoman.evaluate.gate.gate, as `dragoman build` does",
        )
    started = time.monotonic()
    tick = progress or (lambda what, done, total: None)
    home = project.index
    if check:
        with tempfile.TemporaryDirectory(prefix="dragoman-check-") as fresh:
            return _Build(project, home, Path(fresh), tick, started).run(gate, accept, keep=False)
    try:
        with store.lock(home):
            fresh = tempfile.mkdtemp(prefix=store.FRESH, dir=home)
            try:
                return _Build(project, home, Path(fresh), tick, started).run(gate, accept, keep=True)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        if error.filename is not None and not Path(str(error.filename)).is_relative_to(home):
            raise
        raise DataError(
            f"the index cannot be written ({error.strerror})",
            where=str(home),
            advice="free some space or choose another folder with --out; the old index is untouched",
        ) from None


class _Build:
    """One build into the folder ``fresh``."""

    def __init__(self, project: Project, home: Path, fresh: Path, tick: Progress, started: float) -> None:
        self.project = project
        self.home = home
        self.fresh = fresh
        self.tick = tick
        self.started = started
        self.taken: list[_Taken] = []

    def run(self, gate: Gate | None, accept: bool, *, keep: bool) -> BuildReport:
        """Compile, judge, and with ``keep`` swap."""
        try:
            terms, drugs = self._compile()
            self._refuse_rejects()
        finally:
            if keep:
                _write_rejects(self.home / REJECTS, self.taken)
        manifest = store.make_manifest(
            self.fresh,
            started=self.started,
            project=self.project.name,
            languages=tuple(p.code for p in self.project.languages),
            sources=tuple(_info(t, self.project.base) for t in self.taken),
            counts={**terms["counts"], **drugs["counts"]},
            rules=folder.digest(self.project.packs),
        )
        verdict = Verdict()
        if gate is not None and self.project.file.build.golden is not None:
            self.tick("golden questions", 0, None)
            store.seal(self.fresh, manifest)
            verdict = gate(self.project, self.fresh)
            manifest = msgspec.structs.replace(manifest, rates=verdict.rates)
        previous = _previous(self.home)
        fallen = losses(previous, manifest, self.project.file.build.max_loss) if previous else []
        report = self._report(manifest, terms, drugs, previous, fallen)
        if keep:
            (self.home / REPORT).write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1))
        if verdict.missed:
            raise BuildRefused(
                "the new index fails the golden questions: " + "; ".join(verdict.missed),
                where=str(self.project.at(self.project.file.build.golden or "")),
                advice="correct the sources, or the questions; the old index stays in use",
            )
        if fallen and not accept:
            raise BuildRefused(
                "the new index lacks what the current one has: " + "; ".join(map(str, fallen)),
                where=str(self.home),
                advice="correct the sources, or build with --accept; the old index stays in use",
            )
        if not keep:
            return report
        self.tick("swap", 0, None)
        return msgspec.structs.replace(report, path=str(store.adopt(self.home, self.fresh, manifest)))

    def _compile(self) -> tuple[dict[str, Any], dict[str, Any]]:
        file, at = self.project.file, self.project.at
        where = str(self.project.path)
        writer = Writer(self.fresh)
        own = Report(_KEPT)
        catalog = own_catalog(file.catalog, at, where, own) if file.catalog else Catalog()
        taxonomy = own_taxonomy(file.taxonomy, at, where, own) if file.taxonomy else Taxonomy()
        rules = read_overrides(at(file.overrides.path), own) if file.overrides else ()
        terms = compile_terms(self._sources(), taxonomy, self.project.packs, writer, rules)
        self.tick("drug names", 0, None)
        drugs = compile_drugs(catalog, self.project.packs, writer)
        if own.files or own.digests:
            rows = len(catalog.drugs) + len(catalog.aliases) + len(taxonomy.entities) + len(taxonomy.relations)
            self.taken.append(_Taken(Source(name=OWN, format="csv", path=self.project.base), own, rows))
        return msgspec.to_builtins(terms), msgspec.to_builtins(drugs)

    def _sources(self) -> Iterator[tuple[Source, Iterator[Row]]]:
        for source in self.project.sources:
            taken = _Taken(source, Report(_KEPT))
            self.taken.append(taken)
            yield source, _counted(taken, self.tick)

    def _refuse_rejects(self) -> None:
        allowed = self.project.file.build.max_rejects
        for taken in self.taken:
            bad = taken.report.rejected.total()
            if bad and bad > allowed * (bad + taken.rows):
                first = taken.report.examples[0]
                raise DataError(
                    f"{bad} of {bad + taken.rows} rows were rejected, first: {first.reason}",
                    where=f"{first.path}:{first.line}" if first.line else str(taken.source.path),
                    advice=f"correct the source, or raise [build] max_rejects above {allowed:g}; see {REJECTS}",
                )

    def _report(
        self,
        manifest: store.Manifest,
        terms: dict[str, Any],
        drugs: dict[str, Any],
        previous: store.Manifest | None,
        fallen: list[Loss],
    ) -> BuildReport:
        rejected: dict[str, int] = {}
        for taken in self.taken:
            for reason, count in taken.report.rejected.items():
                rejected[reason] = rejected.get(reason, 0) + count
        return BuildReport(
            id=manifest.id,
            path=None,
            seconds=manifest.seconds,
            counts=manifest.counts,
            sources=manifest.sources,
            rejected=rejected,
            rejects=tuple(example for taken in self.taken for example in _first(taken.report.examples, _SHOWN)),
            rejects_file=str(self.home / REJECTS) if rejected else None,
            terms=terms,
            drugs=drugs,
            previous=previous.id if previous else None,
            losses=tuple(fallen),
            catalogue=self._catalogue_changes(previous),
            rates=manifest.rates,
        )

    def _catalogue_changes(self, previous: store.Manifest | None) -> CatalogueChanges:
        if previous is None:
            return CatalogueChanges()
        try:
            old = DrugIndex.open(Part(self.home / previous.id), self.project.packs)
        except IndexUnusable:  # of an earlier version, with other parts: it is about to be replaced
            return CatalogueChanges()
        return catalogue_changes(old, DrugIndex.open(Part(self.fresh), self.project.packs))


def _previous(home: Path) -> store.Manifest | None:
    """The index in use, to compare with; ``None`` where there is none that can be read."""
    try:
        return store.trust(store.open_place(home))
    except IndexUnusable:  # it is about to be replaced
        return None


def _write_rejects(path: Path, taken: list[_Taken]) -> None:
    """The rows that were not taken, for whoever corrects the sources; the file goes where there are none."""
    examples = [example for t in taken for example in t.report.examples]
    if not examples:
        path.unlink(missing_ok=True)
        return
    with path.open("w", encoding="utf-8") as out:
        out.write("file\tline\treason\n")
        out.writelines(f"{e.path}\t{e.line or ''}\t{e.reason}\n" for e in examples)


def _first(examples: list[Reject], most: int) -> Iterator[Reject]:
    """The first ``most`` of each reason."""
    seen: dict[str, int] = {}
    for example in examples:
        seen[example.reason] = seen.get(example.reason, 0) + 1
        if seen[example.reason] <= most:
            yield example


def _counted(taken: _Taken, tick: Progress) -> Iterator[Row]:
    name = taken.source.name
    for number, row in enumerate(reader_for(taken.source)(taken.source, taken.report), 1):
        taken.rows = number
        if not number % _TICK:
            tick(name, number, None)
        yield row
    tick(name, taken.rows, taken.rows)


def _info(taken: _Taken, base: Path) -> store.SourceInfo:
    source, report = taken.source, taken.report
    return store.SourceInfo(
        name=source.name,
        format=source.format,
        version=report.version,
        licence=source.licence,
        files={_short(p, base): store.digest_file(p) for p in report.files if p.is_file()} | report.digests,
        rows=taken.rows,
        rejected=dict(report.rejected),
        skipped=dict(report.skipped),
        noted=dict(report.noted),
    )


def _short(path: Path, base: Path) -> str:
    """``path`` relative to the project where it lies inside, for a manifest that is the same on every machine."""
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name
