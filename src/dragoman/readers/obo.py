"""Format ``obo``: ontologies in OBO flat files (1.0 to 1.4): a file, or a folder or zip with ``.obo`` files.

A term's name is its preferred term; synonyms count by scope; ``is_a``, ``relationship`` and ``xref`` become relations
and maps. Obsolete terms and merged ids (``alt_id``) are yielded as inactive, so that a translation of them is retired.
The date in a dated cross-reference prefix (``SNOMEDCT_US_2025_09_01``) is dropped.

Options: ``language`` of the file (default ``en``); ``scopes`` of synonyms that are terms (default ``EXACT``) and
``lay_scopes`` of those by laypersons (default ``EXACT``, ``RELATED``); ``prefixes`` of the ids to take, default all;
``systems``: other names for cross-reference prefixes, e.g. the name of another terminology; ``semantic_type`` of all
concepts; ``files``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.errors import DataError
from dragoman.protocols import ConceptRow, MapRow, RelationRow, Report, Row, Source, TermRow
from dragoman.readers.ontology import OPTIONS, Ontology, files, system_of
from dragoman.readers.sources import Entry, empty, lines
from dragoman.readers.values import EMPTY_ID, Options, data

_CLAUSE = re.compile(r"([A-Za-z][\w-]*):\s*(.*)")
_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(EXACT|BROAD|NARROW|RELATED)?\s*([^\s\[{]+)?')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"W": " ", "t": "\t", "n": "\n"}
_REST = re.compile(r"(?<!\\)\s+[{!].*|(?<!\\)\{[^{}]*\}\s*\Z")  # trailing modifiers and comments

NO_CLAUSE = "the line is no `tag: value`"
NO_SYNONYM = "the synonym has no quoted text"
NO_STANZA_ID = "a [Term] without id"
REPEATED = "the id has been used before"
NO_NAME = "a [Term] without name"
NUL = "NUL character in the line"

Clause = tuple[int, str, str]


def read(source: Source, report: Report) -> Iterator[Row]:
    """Read ontologies; see the module. Raises ``DataError`` and ``ConfigError``."""
    options = Options(source, *OPTIONS)
    return _Ontology(source, report, options).rows(files(source, options, ".obo"))


class _Ontology(Ontology):
    def rows(self, found: list[Entry]) -> Iterator[Row]:
        for entry in found:
            self.report.read(entry.path)
            yield from self._file(entry)
        for old in self.merged:
            if old not in self.ids:
                self.report.skip("merged id (alt_id)")
                yield ConceptRow(old, False)
        self.report.version = ", ".join(sorted(self.versions)) or None

    def _file(self, entry: Entry) -> Iterator[Row]:
        source, stanza, terms, start, any_line = str(entry), "", 0, 0, False
        header: dict[str, str] = {}
        clauses: list[Clause] = []
        for number, raw in enumerate(lines(entry), 1):
            line = raw.strip()
            if not line or line[0] == "!":
                continue
            any_line = True
            if line[0] == "[" and line.endswith("]"):
                if stanza == "[Term]":
                    terms += 1
                    yield from self._term(source, start, clauses)
                stanza, clauses, start = line, [], number
                continue
            clause = _CLAUSE.match(line)
            if "\0" in line or not clause:
                if stanza in ("", "[Term]"):
                    self.report.reject(source, number, NUL if "\0" in line else NO_CLAUSE)
            elif stanza == "[Term]":
                clauses.append((number, clause[1], clause[2]))
            elif not stanza:
                header.setdefault(clause[1], clause[2])
        if not any_line:
            raise empty(entry)
        if stanza == "[Term]":
            terms += 1
            yield from self._term(source, start, clauses)
        if not terms:
            raise DataError("there is no [Term]", where=source, advice="format obo reads OBO flat files alone")
        if version := header.get("data-version") or header.get("date"):
            self.versions.add(version)

    def _term(self, source: str, start: int, clauses: list[Clause]) -> Iterator[Row]:
        first = {name: value for _, name, value in reversed(clauses)}
        concept = _bare(first.get("id", ""))
        if not concept:
            self.report.reject(source, start, NO_STANZA_ID)
            return
        if self.prefixes is not None and concept.partition(":")[0] not in self.prefixes:
            self.report.skip("term of another prefix")
            return
        if concept in self.ids:
            if self.ids[concept] == source:
                self.report.reject(source, start, REPEATED)
            else:
                self.report.skip("term that an earlier file has as well")
            return
        self.ids[concept] = source
        active = _bare(first.get("is_obsolete", "")).lower() != "true"
        yield ConceptRow(concept, active, self.kind)
        if not active:
            self.report.skip("obsolete term")
            return
        if "name" not in first:
            self.report.reject(source, start, NO_NAME)
        for number, name, value in clauses:
            row = self._clause((source, number), concept, name, value)
            if row:
                yield row

    def _clause(self, place: tuple[str, int], concept: str, name: str, value: str) -> Row | None:
        if name == "name":
            return self.gate.term(place, concept, _bare(value), self.language, "preferred")
        if name == "synonym" or name in data("ontology")["old_tags"]:
            return self._synonym(place, concept, name, value)
        if name == "alt_id":
            if old := _bare(value):
                self.merged.append(old)
            else:
                self.report.reject(*place, EMPTY_ID)
        elif name == "xref":
            return self._xref(concept, value)
        elif name in ("is_a", "relationship"):
            type_, _, target = _bare(value).rpartition(" ") if name == "relationship" else ("is_a", "", _bare(value))
            if not type_ or not target:
                self.report.reject(*place, EMPTY_ID)
            elif type_ != "is_a" or target != concept:
                return RelationRow(concept, self.relations.get(type_, type_), target)
        return None

    def _synonym(self, place: tuple[str, int], concept: str, name: str, value: str) -> TermRow | None:
        found = _SYNONYM.match(value)
        if not found:
            self.report.reject(*place, NO_SYNONYM)
            return None
        scope = found[2] or data("ontology")["old_tags"].get(name) or "RELATED"
        type_ = self.synonyms.type_of(scope, found[3], self.report)
        return self.gate.term(place, concept, _unescape(found[1]), self.language, type_) if type_ else None

    def _xref(self, concept: str, value: str) -> Row | None:
        prefix, _, target = _bare(re.sub(r'\s+".*', "", value)).partition(":")
        if not prefix or not target or target.startswith("//") or prefix in ("http", "https", "url", "URL"):
            self.report.skip("cross-reference to no coding system")
            return None
        return MapRow(concept, system_of(prefix, self.systems), target)


def _bare(value: str) -> str:
    """A value without trailing modifiers and comment, escapes undone."""
    return _unescape(_REST.sub("", value)).strip()


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), text) if "\\" in text else text
