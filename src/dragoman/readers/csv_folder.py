"""Format ``csv``: a folder with ``terms`` and, optionally, ``relations``, each ``.csv`` (commas) or ``.tsv`` (tabs).

``terms``: ``concept_id,term,language,type,active``; type ``preferred``, ``synonym``, ``fsn`` or ``lay``; active ``1``
or ``0``. ``relations``: ``source_id,type,target_id``. Further columns are not read. A single file is read as ``terms``.

Options: ``semantic_type`` for concepts whose fully specified name ends in no ``(tag)``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import PurePath

from dragoman.errors import DataError
from dragoman.protocols import ConceptRow, RelationRow, Report, Row, Source
from dragoman.readers.doubts import Languages, concept_relations
from dragoman.readers.sources import Entry, entries
from dragoman.readers.tables import Table, by_ending
from dragoman.readers.values import EMPTY_ID, NO_FLAG, Gate, Options, semantic_tag

TYPES = frozenset({"preferred", "synonym", "fsn", "lay"})
ACTIVE = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
ENDINGS = (".csv", ".tsv", ".tab")

NO_TYPE = "the type is none of preferred, synonym, fsn, lay"
UNLISTED = "relation of a concept that terms does not list"
SELF = "relation of a concept to itself"


def read(source: Source, report: Report) -> Iterator[Row]:
    """Read the folder; see the module. Raises ``DataError`` and ``ConfigError``."""
    options = Options(source, "semantic_type")
    found = entries(source.path)
    terms = found[0] if source.path.is_file() and len(found) == 1 else _named("terms", found, source)
    if terms is None:
        raise DataError(
            "the folder has no terms.csv or terms.tsv",
            where=str(source.path),
            advice="write one: concept_id,term,language,type,active",
        )
    gate, languages = Gate(source, report), Languages(report, source.spoken)
    return _rows(terms, _named("relations", found, source), options.text("semantic_type"), gate, languages)


def _named(stem: str, found: list[Entry], source: Source) -> Entry | None:
    hits = [e for e in found if PurePath(e.name).stem.lower() == stem and PurePath(e.name).suffix.lower() in ENDINGS]
    if len(hits) > 1:
        raise DataError(
            f"there are several {stem} files: {', '.join(e.name for e in hits)}",
            where=str(source.path),
            advice="keep one",
        )
    return hits[0] if hits else None


def _rows(
    terms: Entry, relations: Entry | None, default: str | None, gate: Gate, languages: Languages
) -> Iterator[Row]:
    kinds: dict[str, str | None] = {}
    live: set[str] = set()
    yield from _terms(terms, gate, languages, kinds, live)
    for concept, kind in kinds.items():
        yield ConceptRow(concept, concept in live, kind or default)
    if relations:
        yield from _relations(relations, gate.report, kinds.keys(), live)


def _terms(
    entry: Entry, gate: Gate, languages: Languages, kinds: dict[str, str | None], live: set[str]
) -> Iterator[Row]:
    report = gate.report
    table = Table(entry, by_ending(entry))
    concept_at, term_at, language_at, type_at, active_at = table.places(
        "concept_id", "term", "language", "type", "active"
    )
    report.read(entry.path)
    source, line = str(entry), 0
    for line, values in table.rows(report):
        concept, term, type_ = values[concept_at], values[term_at], values[type_at]
        active = ACTIVE.get(values[active_at].strip().lower())
        fault = gate.fault(concept, term)
        if fault or active is None or type_ not in TYPES:
            report.reject(source, line, fault or (NO_FLAG if active is None else NO_TYPE))
            continue
        kinds.setdefault(concept, None)
        if not active:
            report.skip("inactive term")
            continue
        live.add(concept)
        if type_ == "fsn" and not kinds[concept]:
            kinds[concept] = semantic_tag(term)
        row = gate.term((source, line), concept, term, values[language_at], type_)
        if row:
            languages.check(row.language, source, line)
            yield row
    if not line and not report.rejected:
        raise DataError("there is no row below the header", where=f"{source}:{table.line}", advice="add the terms")


def _relations(entry: Entry, report: Report, listed: Collection[str], live: set[str]) -> Iterator[Row]:
    table = Table(entry, by_ending(entry))
    source_at, type_at, target_at = table.places("source_id", "type", "target_id")
    report.read(entry.path)
    known = concept_relations(report)
    for line, values in table.rows(report):
        ends = (values[source_at], values[target_at])
        type_ = values[type_at].strip()
        if not all(ends) or not type_:
            report.reject(str(entry), line, EMPTY_ID)
        elif ends[0] == ends[1]:
            report.reject(str(entry), line, SELF)
        elif not all(end in listed for end in ends):
            report.reject(str(entry), line, UNLISTED)
        elif not all(end in live for end in ends):
            report.skip("relation of an inactive concept")
        else:
            known.check(type_, str(entry), line)
            yield RelationRow(ends[0], type_, ends[1])
