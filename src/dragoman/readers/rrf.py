"""Format ``rrf``: the Rich Release Format of UMLS (``MRCONSO`` ...) and RxNorm (``RXNCONSO`` ...), folder, zip or file.

A concept is a CUI (RXCUI); its atoms that are not suppressed are its terms, and each atom's source and code a map. The
term marked preferred in its language (``P``, ``PF``, ``Y``) is preferred; RxNorm, which has no such marks, prefers its
own atoms. ``MRREL`` and ``MRSTY`` are read where they are there; a single file is read as ``MRCONSO``.

Options: ``sources``: abbreviations (SAB) whose atoms and relations to take, default all; ``systems``: other names for
the sources that maps lead to; ``semantic_type`` of concepts without one; ``files``.

Memory: one dictionary entry per concept taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.errors import DataError
from dragoman.protocols import ConceptRow, MapRow, RelationRow, Report, Row, Source
from dragoman.readers.sources import Entry, empty, lines
from dragoman.readers.tables import NUL
from dragoman.readers.values import EMPTY_ID, Gate, Options, data

_NAME = re.compile(r"(?:^|[._-])(?:MR|RXN)(CONSO|REL|STY|SAB)\.RRF\Z", re.I)
SHORT = "fewer fields than the format has"
LONG = "more fields than the format has (a bar inside a value?)"
NO_LANGUAGE = "the language code (LAT) is not known"

Found = dict[str, list[Entry]]


def read(source: Source, report: Report) -> Iterator[Row]:
    """Read a release; see the module. Raises ``DataError`` and ``ConfigError``."""
    options = Options(source, "sources", "systems", "semantic_type", "files")
    found, _ = options.entries()
    files: Found = {}
    for entry in found:
        if match := _NAME.search(entry.name):
            files.setdefault(match[1].upper(), []).append(entry)
    if not files and len(found) == 1:
        files = {"CONSO": found}
    if "CONSO" not in files:
        raise DataError(
            "there is no MRCONSO.RRF or RXNCONSO.RRF", where=str(source.path), advice="`path` is the release's folder"
        )
    return _Release(source, report, options, {kind: _outermost(hits) for kind, hits in files.items()}).rows()


def _outermost(found: list[Entry]) -> list[Entry]:
    """RxNorm ships a subset of itself in a folder further in."""
    depth = min(len(e.folders) for e in found)
    return [e for e in found if len(e.folders) == depth]


class _Release:
    def __init__(self, source: Source, report: Report, options: Options, files: Found) -> None:
        self.report = report
        self.gate = Gate(source, report)
        self.files = files
        self.sources = options.texts("sources")
        self.systems = options.names("systems")
        self.kind = options.text("semantic_type")
        self.kinds: dict[str, str] = {}  # every concept taken, with its semantic type or ""

    def rows(self) -> Iterator[Row]:
        yield from self._atoms()
        self._semantic_types()
        for concept, kind in self.kinds.items():
            yield ConceptRow(concept, True, kind or self.kind)
        yield from self._relations()
        self.report.version = self._version()

    def _records(self, kind: str) -> Iterator[tuple[tuple[str, int], list[str]]]:
        width = data("rrf")["columns"][kind]
        for entry in self.files.get(kind, ()):
            self.report.read(entry.path)
            source, any_line = str(entry), False
            for number, line in enumerate(lines(entry), 1):
                row = line.rstrip("\r\n")
                if not row.strip():
                    continue
                any_line = True
                fields = row.split("|")
                if len(fields) == width + 1 and not fields[-1]:
                    fields.pop()
                if len(fields) == width and "\0" not in row:
                    yield (source, number), fields
                else:
                    self.report.reject(source, number, NUL if "\0" in row else SHORT if len(fields) < width else LONG)
            if not any_line:
                raise empty(entry)

    def _left_out(self, source: str, suppress: str) -> bool:
        if self.sources is not None and source not in self.sources:
            self.report.skip("row of another source")
            return True
        if suppress not in data("rrf")["status"]["kept"]:
            self.report.skip("suppressed or obsolete row")
            return True
        return False

    def _atoms(self) -> Iterator[Row]:
        rules, languages = data("rrf")["conso"], data("rrf")["languages"]
        last, codes = "", set[tuple[str, str]]()
        for place, fields in self._records("CONSO"):
            concept, language, source, type_, code, term = *fields[:2], *fields[11:15]
            if self._left_out(source, fields[16]):
                continue
            if not concept.strip() or language not in languages:
                self.report.reject(*place, NO_LANGUAGE if concept.strip() else EMPTY_ID)
                continue
            self.kinds.setdefault(concept, "")
            if concept != last:
                last, codes = concept, set()  # the file is ordered by concept: a code is given once
            coded = source not in rules["no_system"] and code not in rules["no_code"] and code != concept
            if coded and (source, code) not in codes:
                codes.add((source, code))
                yield MapRow(concept, self.systems.get(source, source), code)
            marks = (fields[2], fields[4], fields[6])
            if source in rules["lay_sources"]:
                kind = "lay"
            elif marks == ("P", "PF", "Y") or (
                source == rules["rxnorm"] and not any(marks) and type_ not in rules["rxnorm_synonyms"]
            ):
                kind = "preferred"
            else:
                kind = "synonym"
            row = self.gate.term(place, concept, term, languages[language], kind)
            if row:
                yield row

    def _semantic_types(self) -> None:
        for _, fields in self._records("STY"):
            if self.kinds.get(fields[0]) == "":
                self.kinds[fields[0]] = fields[3]

    def _relations(self) -> Iterator[Row]:
        by_rel, by_rela = data("rrf")["rel"], data("rrf")["rela"]
        for _, fields in self._records("REL"):
            first, rel, second, rela = fields[0], fields[3], fields[4], fields[7]
            if self._left_out(fields[10], fields[14]):
                continue
            known = by_rela.get(rela) if rela else by_rel.get(rel)
            if known is None:
                self.report.skip("relation of another kind")
            elif first not in self.kinds or second not in self.kinds or first == second:
                self.report.skip("relation between atoms, or of a concept that is not taken")
            else:
                ends = (second, first) if known[1] == "second" else (first, second)
                yield RelationRow(ends[0], known[0], ends[1])

    def _version(self) -> str | None:
        """The version of the one source that is taken, or of RxNorm itself."""
        wanted = self.sources if self.sources and len(self.sources) == 1 else (data("rrf")["conso"]["rxnorm"],)
        versions = {fields[6] for _, fields in self._records("SAB") if fields[3] in wanted and fields[21] == "Y"}
        return max(versions - {""}, default=None)
