"""Format ``babelon``: translations of an ontology's labels and synonyms, a TSV file, or a folder or zip of them.

A Babelon profile has a row per translation (``subject_id``, ``predicate_id``, ``translation_language``,
``translation_value``, ``translation_status``); HPO's ``*.synonyms.tsv`` has ``subject_id``, ``translation_value``,
``comment`` (the status) and, as its second line, a ROBOT template that tells the language. Rows that are not
translated hold the source language's text and are left out; so is ``source_value``, always.

Translations state no concepts. With the ontology itself, as another ``[[terminology]]`` of the same ``name``, they
form one terminology, and what the ontology has retired stays retired.

Options: ``files``; ``statuses`` that count (default CANDIDATE, UNDER_REVIEW, OFFICIAL; a row without one counts);
``language`` where neither a row nor a template tells it.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator

from dragoman.errors import DataError
from dragoman.protocols import Report, Row, Source
from dragoman.readers.sources import Entry
from dragoman.readers.tables import TABS, Table
from dragoman.readers.values import Gate, Options, data

_TEMPLATE = re.compile(r"AL?\s+(\S+?)@([A-Za-z-]+)\Z")
STATUSES = frozenset({"CANDIDATE", "UNDER_REVIEW", "OFFICIAL", "NOT_TRANSLATED"})


def read(source: Source, report: Report) -> Iterator[Row]:
    """Read translations; see the module. Raises ``DataError`` and ``ConfigError``."""
    options = Options(source, "files", "statuses", "language")
    found, named = options.entries()
    if not named and (source.path.is_dir() or len(found) > 1):
        found = _usual(found, report)
    if not found:
        raise DataError("the folder has no .tsv file", where=str(source.path), advice="correct `path` or `files`")
    return _rows(found, options, Gate(source, report))


def _usual(found: list[Entry], report: Report) -> list[Entry]:
    tables = [e for e in found if e.name.lower().endswith(".tsv")]
    left_out = data("ontology")["translation"]["left_out_files"]
    usual = [e for e in tables if not any(fnmatch.fnmatchcase(e.name, pattern) for pattern in left_out)]
    if len(usual) < len(tables):
        report.skip("working file beside the translations", len(tables) - len(usual))
    return usual


def _rows(found: list[Entry], options: Options, gate: Gate) -> Iterator[Row]:
    versions: set[str] = set()
    for entry in found:
        yield from _file(entry, options, gate, versions)
    gate.report.version = ", ".join(sorted(versions)) or None


def _file(entry: Entry, options: Options, gate: Gate, versions: set[str]) -> Iterator[Row]:
    report, table, rules = gate.report, Table(entry, TABS), data("ontology")["translation"]
    id_at, value_at = table.places("subject_id", "translation_value")
    language_at, predicate_at = table.place("translation_language"), table.place("predicate_id")
    status_at = table.place("translation_status")
    status_at = table.place("comment") if status_at < 0 and language_at < 0 else status_at
    precision_at, version_at = table.place("translation_precision"), table.place("source_version")
    statuses = frozenset(options.texts("statuses", rules["statuses"]) or ())
    language, predicate, line = options.language(None), "label", 0
    report.read(entry.path)
    for line, values in table.rows(report):
        concept, term = values[id_at], values[value_at]
        template = _TEMPLATE.match(term) if concept == "ID" else None
        if template:
            predicate, language = template[1], template[2]
            continue
        status = values[status_at].strip() if status_at >= 0 else ""
        if status and status not in statuses:
            known = status if status in STATUSES else "another"
            report.skip("not translated" if status == "NOT_TRANSLATED" else f"translation of status {known}")
            continue
        if precision_at >= 0 and (values[precision_at] or "EXACT") not in rules["precisions"]:
            report.skip("translation that is broader or narrower")
            continue
        name = values[predicate_at] if predicate_at >= 0 else predicate
        type_ = rules["predicates"].get(re.split(r"[:#/]", name)[-1])
        if type_ is None:
            report.skip("translation of something other than a name")
            continue
        tag = values[language_at] if language_at >= 0 else language
        if tag is None:
            raise DataError(
                "nothing tells the language of these terms",
                where=f"{entry}:{line}",
                advice="set `language` in the [[terminology]] table",
            )
        if version_at >= 0 and values[version_at]:
            versions.add(values[version_at])
        row = gate.term((str(entry), line), concept, term, tag, type_)
        if row:
            yield row
    if not line and not report.rejected:
        raise DataError("there is no row below the header", where=f"{entry}:{table.line}", advice="fetch it again")
