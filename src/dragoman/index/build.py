"""``dragoman build``: sources in, one checked generation of the index out, or nothing changed at all."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import msgspec

from dragoman import folder
from dragoman.errors import BuildRefused, ConfigError, DataError, DragomanError, IndexUnusable
from dragoman.index import shared, store
from dragoman.index.arrays import Part, Writer
from dragoman.index.build_report import BuildReport, Gate, Verdict
from dragoman.index.build_terminology import Refused, Terminology, terminology
from dragoman.index.changes import CatalogueChanges, Loss, catalogue_changes, losses
from dragoman.index.concept_names import ConceptNames
from dragoman.index.drugs import DrugIndex
from dragoman.index.drugs_build import compile_drugs
from dragoman.index.drugs_report import DrugReport
from dragoman.index.frequent import frequent as names_of_many
from dragoman.index.manifest import Manifest, SharedPart, make_manifest, read_manifest, seal, trust
from dragoman.index.pages_build import compile_pages
from dragoman.index.taken import REJECTS, Progress, Reading, Taken, first_of_each, refuse_rejects, write_rejects
from dragoman.index.term_lists import known_words
from dragoman.index.terms_report import TermReport, together
from dragoman.project import Project
from dragoman.protocols import Source
from dragoman.readers.corpus import read_corpus
from dragoman.readers.deployment import Catalog, Taxonomy
from dragoman.readers.overrides import read_overrides
from dragoman.readers.own import own_catalog, own_taxonomy

OWN = "catalogue and taxonomy"
REPORT = "report.json"
_SHOWN = 20  # rejects of each source and reason that the build report itself holds


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
    parts = [whole.tenant(tenant)] if tenant is not None else [whole, *map(whole.tenant, whole.tenants)]
    for one in parts:
        if one.file.build.golden is not None and gate is None:
            raise ConfigError(
                "golden questions must be asked, and there is nothing to ask them with",
                where=f"{project.path}: [build] golden",
                advice="give `gate`: dragoman.evaluate.gate.gate, as `dragoman build` does",
            )
    tick = progress or (lambda what, done, total: None)
    if check:
        with tempfile.TemporaryDirectory(prefix="dragoman-check-") as scratch:
            return _Session(whole, tick, gate, accept, Path(scratch)).run(parts)
    with ExitStack() as held:
        for one in (whole, *(one for one in parts if one.of is not None)):
            held.enter_context(store.lock(one.index))
        return _Session(whole, tick, gate, accept, None).run(parts)


class _Session:
    """One build: the terminologies once, then over them each organisation's own part. ``scratch``: where everything is
    written that is only checked."""

    def __init__(self, whole: Project, tick: Progress, gate: Gate | None, accept: bool, scratch: Path | None) -> None:
        self.whole = whole
        self.tick = tick
        self.gate = gate
        self.accept = accept
        self.scratch = scratch
        self.started = time.monotonic()

    def run(self, parts: list[Project]) -> BuildReport:
        """Build each of ``parts``; the first refusal is raised when all have had their turn."""
        try:
            below = terminology(self.whole, self.tick, self.scratch)
        except Refused as refused:
            if self.scratch is None:
                write_rejects(parts[0].index / REJECTS, refused.taken)
            raise refused.cause from None
        reports: list[BuildReport] = []
        fault: DragomanError | None = None
        try:
            for one in parts:
                try:
                    reports.append(self._build(one, below))
                except (BuildRefused, DataError) as error:
                    fault = fault or error
                self.started = time.monotonic()
        finally:
            if self.scratch is None:
                shared.sweep(self.whole.index, below.place.name)
        if fault is not None:
            raise fault
        tenants = {one.of or "": report for one, report in zip(parts[1:], reports[1:], strict=True)}
        return msgspec.structs.replace(reports[0], tenants=tenants)

    def _build(self, project: Project, below: Terminology) -> BuildReport:
        fresh = store.fresh(self.scratch or project.index)
        try:
            return _Build(self, project, below, fresh).run()
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


class _Build:
    """One organisation's part, into the folder ``fresh``."""

    def __init__(self, session: _Session, project: Project, below: Terminology, fresh: Path) -> None:
        self.session = session
        self.project = project
        self.home = project.index
        self.below = below
        self.fresh = fresh
        self.taken: list[Taken] = list(below.taken)
        self.previous = _previous(self.home)

    def run(self) -> BuildReport:
        """Compile, judge, and swap, unless it is only checked."""
        keep = self.session.scratch is None
        try:
            refuse_rejects(self.taken, self.project.file.build.max_rejects)
            terms, drugs = self._compile()
            refuse_rejects(self.taken, self.project.file.build.max_rejects)
        finally:
            if keep:
                write_rejects(self.home / REJECTS, self.taken)
        manifest = make_manifest(
            self.fresh,
            started=self.session.started,
            project=self.project.name,
            languages=tuple(p.code for p in self.project.languages),
            sources=tuple(one.info for one in self.taken),
            counts={**terms.counts, **drugs.counts},
            rules=folder.digest(self.project.packs),
            without=self.project.file.build.without,
            shared=self._seen(keep),
        )
        verdict = Verdict()
        if self.session.gate is not None and self.project.file.build.golden is not None:
            self.session.tick("golden questions", 0, None)
            seal(self.fresh, manifest)
            verdict = self.session.gate(self.project, self.fresh)
            manifest = msgspec.structs.replace(manifest, rates=verdict.rates)
        fallen = losses(self.previous, manifest, self.project.file.build.max_loss) if self.previous else []
        report = self._report(manifest, terms, drugs, fallen)
        if keep:
            (self.home / REPORT).write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1))
        self._judge(verdict, fallen)
        if not keep:
            return report
        self.session.tick("swap", 0, None)
        return msgspec.structs.replace(report, path=str(store.adopt(self.home, self.fresh, manifest)))

    def _judge(self, verdict: Verdict, fallen: list[Loss]) -> None:
        whose = f"tenant {self.project.of}: " if self.project.of else ""
        if verdict.missed:
            raise BuildRefused(
                f"{whose}the new index fails the golden questions: " + "; ".join(verdict.missed),
                where=str(self.project.at(self.project.file.build.golden or "")),
                advice="correct the sources, or the questions; the old index stays in use",
            )
        if fallen and not self.session.accept:
            raise BuildRefused(
                f"{whose}the new index lacks what the current one has: " + "; ".join(map(str, fallen)),
                where=str(self.home),
                advice="correct the sources, or build with --accept; the old index stays in use",
            )

    def _seen(self, keep: bool) -> SharedPart:
        place = self.below.place
        at = Path(os.path.relpath(place, self.fresh)).as_posix() if keep else str(place)
        return shared.seen_from(place, at)

    def _compile(self) -> tuple[TermReport, DrugReport]:
        file, at = self.project.file, self.project.at
        where = str(self.project.path)
        writer = Writer(self.fresh)
        reading = Reading(Source(name=OWN, format="csv", path=self.project.base), self.session.tick)
        own = reading.report
        try:
            spoken = tuple(pack.code for pack in self.project.languages)
            catalog = own_catalog(file.catalog, at, where, own, languages=spoken) if file.catalog else Catalog()
            taxonomy = own_taxonomy(file.taxonomy, at, where, own, languages=spoken) if file.taxonomy else Taxonomy()
            rules = read_overrides(at(file.overrides.path), own, spoken) if file.overrides else ()
            corpus = list(read_corpus(at(file.enrich.corpus), own)) if file.enrich.corpus else []
            reading.rows = sum(
                map(len, (catalog.drugs, catalog.aliases, taxonomy.entities, taxonomy.relations)), start=0
            )
        finally:
            if own.files or own.digests:
                self.taken.append(reading.taken(self.project.base))
        names = [e.name for e in taxonomy.entities] or ConceptNames(self.below.part)
        frequent = names_of_many(names, corpus, file.enrich.max_share) if corpus else ()
        self.session.tick("pages", 0, None)
        without = frozenset(file.build.without)
        pages = compile_pages(taxonomy, self.project.packs, writer, self.below.part, rules, without, frequent)
        self.session.tick("drug names", 0, None)
        drugs = compile_drugs(catalog, self.project.packs, writer, known_words(self.below.part, self.project.packs))
        return together(self.below.report, pages), drugs

    def _report(self, manifest: Manifest, terms: TermReport, drugs: DrugReport, fallen: list[Loss]) -> BuildReport:
        rejected: dict[str, int] = {}
        for taken in self.taken:
            for reason, count in taken.info.rejected.items():
                rejected[reason] = rejected.get(reason, 0) + count
        return BuildReport(
            id=manifest.id,
            path=None,
            seconds=manifest.seconds,
            counts=manifest.counts,
            sources=manifest.sources,
            reused=("terminologies",) if self.below.reused and self.below.taken else (),
            rejected=rejected,
            rejects=tuple(example for taken in self.taken for example in first_of_each(taken.rejects, _SHOWN)),
            rejects_file=str(self.home / REJECTS) if rejected else None,
            doubts=tuple(doubt for taken in self.taken for doubt in taken.doubts),
            terms=msgspec.to_builtins(terms),
            drugs=msgspec.to_builtins(drugs),
            previous=self.previous.id if self.previous else None,
            losses=tuple(fallen),
            catalogue=self._catalogue_changes(),
            rates=manifest.rates,
        )

    def _catalogue_changes(self) -> CatalogueChanges:
        if self.previous is None:
            return CatalogueChanges()
        try:
            old = DrugIndex.open(self._over(self.home / self.previous.id), self.project.packs)
        except IndexUnusable:  # of an earlier version, with other parts: it is about to be replaced
            return CatalogueChanges()
        return catalogue_changes(old, DrugIndex.open(Part(self.fresh, self.below.part), self.project.packs))

    def _over(self, place: Path) -> Part:
        """An earlier generation, over the part that it stands on."""
        below = read_manifest(place).shared
        return Part(place, shared.opened(place / below.at) if below else None)


def _previous(home: Path) -> Manifest | None:
    """The index in use, to compare with; ``None`` where there is none that can be read."""
    try:
        return trust(store.open_place(home))
    except IndexUnusable:  # it is about to be replaced
        return None
