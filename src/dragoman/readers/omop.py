"""Format ``omop``: the vocabulary tables of the OMOP Common Data Model, as Athena gives them: folder, zip or file.

``CONCEPT`` is read, and ``CONCEPT_SYNONYM``, ``CONCEPT_ANCESTOR`` (direct parents), ``CONCEPT_RELATIONSHIP`` and
``VOCABULARY`` where they are there. Tabs (never quoted) or commas: the header tells. Rows with an ``invalid_reason``
do not count; invalid concepts are yielded as inactive.

Options: ``vocabularies`` to take, default all; ``ids``: ``concept_id`` (default; each code is a map then) or
``concept_code`` (of one vocabulary); ``language`` of ``concept_name`` (default ``en``); ``language_concepts``: tags for
further language concept ids; ``systems``: other names for the vocabularies that maps lead to; ``files``.

Memory: one dictionary entry per concept taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.errors import DataError
from dragoman.protocols import ConceptRow, MapRow, RelationRow, Report, Row, Source
from dragoman.readers.sources import Entry, empty, lines
from dragoman.readers.tables import COMMAS, PLAIN_TABS, Table
from dragoman.readers.values import EMPTY_ID, Gate, Options, data

_NAME = re.compile(
    r"(?:^|[._-])(CONCEPT|CONCEPT_SYNONYM|CONCEPT_ANCESTOR|CONCEPT_RELATIONSHIP|VOCABULARY)\.(?:csv|tsv|txt)\Z", re.I
)


def read(source: Source, report: Report) -> Iterator[Row]:
    """Read vocabulary tables; see the module. Raises ``DataError`` and ``ConfigError``."""
    options = Options(source, "vocabularies", "ids", "language", "language_concepts", "systems", "files")
    found, _ = options.entries()
    files: dict[str, list[Entry]] = {}
    for entry in found:
        if match := _NAME.search(entry.name):
            files.setdefault(match[1].upper(), []).append(entry)
    if not files and len(found) == 1:
        files = {"CONCEPT": found}
    if "CONCEPT" not in files:
        raise DataError("there is no CONCEPT.csv", where=str(source.path), advice="`path` is the download's folder")
    return _Vocabulary(source, report, options, files).rows()


class _Vocabulary:
    def __init__(self, source: Source, report: Report, options: Options, files: dict[str, list[Entry]]) -> None:
        self.report = report
        self.gate = Gate(source, report)
        self.files = files
        self.wanted = options.texts("vocabularies")
        self.by_code = options.choice("ids", "concept_id", "concept_id", "concept_code") == "concept_code"
        self.language = options.language("en") or "en"
        self.languages: dict[str, str] = {**data("omop")["languages"], **options.names("language_concepts")}
        self.systems = options.names("systems")
        self.valid = frozenset(data("omop")["status"]["valid"])
        self.ids: dict[str, str] = {}  # concept_id of every valid concept → the id under which it is yielded
        self.vocabularies: set[str] = set()

    def rows(self) -> Iterator[Row]:
        yield from self._concepts()
        yield from self._synonyms()
        yield from self._ancestors()
        yield from self._relationships()
        self.report.version = self._version()

    def _tables(self, name: str) -> Iterator[Table]:
        for entry in self.files.get(name, ()):
            first = next((line for line in lines(entry) if line.strip()), None)
            if first is None:
                raise empty(entry)
            self.report.read(entry.path)
            yield Table(entry, PLAIN_TABS if "\t" in first else COMMAS)

    def _concepts(self) -> Iterator[Row]:
        for table in self._tables("CONCEPT"):
            source, line = str(table.entry), 0
            id_at, name_at, domain_at, vocabulary_at, code_at, reason_at = table.places(
                "concept_id", "concept_name", "domain_id", "vocabulary_id", "concept_code", "invalid_reason"
            )
            for line, values in table.rows(self.report):
                vocabulary, code = values[vocabulary_at], values[code_at]
                if self.wanted is not None and vocabulary not in self.wanted:
                    self.report.skip("concept of another vocabulary")
                    continue
                concept = code if self.by_code else values[id_at]
                if fault := self.gate.fault(concept if values[id_at] else "", values[name_at]):
                    self.report.reject(source, line, fault)
                    continue
                self._one_vocabulary(vocabulary, f"{source}:{line}")
                active = values[reason_at].strip().upper() in self.valid
                yield ConceptRow(concept, active, values[domain_at] or None)
                if not active:
                    self.report.skip("invalid concept")
                    continue
                self.ids[values[id_at]] = concept
                row = self.gate.term((source, line), concept, values[name_at], self.language, "preferred")
                if row:
                    yield row
                if code and not self.by_code:
                    yield MapRow(concept, self.systems.get(vocabulary, vocabulary), code)
            if not line and not self.report.rejected:
                where = f"{source}:{table.line}"
                raise DataError("there is no row below the header", where=where, advice="fetch it again")

    def _one_vocabulary(self, vocabulary: str, where: str) -> None:
        """Codes of two vocabularies would be mistaken for each other."""
        self.vocabularies.add(vocabulary)
        if self.by_code and len(self.vocabularies) > 1:
            raise DataError(
                f"there are codes of several vocabularies: {', '.join(sorted(self.vocabularies))}",
                where=where,
                advice="name one in `vocabularies`, or use ids = 'concept_id'",
            )

    def _synonyms(self) -> Iterator[Row]:
        for table in self._tables("CONCEPT_SYNONYM"):
            id_at, name_at, language_at = table.places("concept_id", "concept_synonym_name", "language_concept_id")
            for line, values in table.rows(self.report):
                concept, language = self.ids.get(values[id_at]), self.languages.get(values[language_at])
                if concept is None:
                    self.report.skip("synonym of a concept that is not taken")
                elif language is None:
                    number = values[language_at] if values[language_at].isdecimal() else "no number"
                    self.report.skip(f"synonym in a language without a tag ({number}: see language_concepts)")
                else:
                    row = self.gate.term((str(table.entry), line), concept, values[name_at], language)
                    if row:
                        yield row

    def _ancestors(self) -> Iterator[Row]:
        for table in self._tables("CONCEPT_ANCESTOR"):
            above_at, below_at, levels_at = table.places(
                "ancestor_concept_id", "descendant_concept_id", "min_levels_of_separation"
            )
            for line, values in table.rows(self.report):
                if values[levels_at] != "1":
                    self.report.skip("ancestor that is no parent")
                else:
                    yield from self._relation((table, line), values[below_at], "is_a", values[above_at])

    def _relationships(self) -> Iterator[Row]:
        names = data("omop")["relations"]
        for table in self._tables("CONCEPT_RELATIONSHIP"):
            first_at, second_at, type_at, reason_at = table.places(
                "concept_id_1", "concept_id_2", "relationship_id", "invalid_reason"
            )
            for line, values in table.rows(self.report):
                type_ = names.get(values[type_at])
                if type_ is None:
                    self.report.skip("relationship of another kind")
                elif values[reason_at].strip().upper() not in self.valid:
                    self.report.skip("invalid relationship")
                else:
                    yield from self._relation((table, line), values[first_at], type_, values[second_at])

    def _relation(self, place: tuple[Table, int], first: str, type_: str, second: str) -> Iterator[Row]:
        if not first or not second:
            self.report.reject(str(place[0].entry), place[1], EMPTY_ID)
        elif first in self.ids and second in self.ids:
            if first != second:
                yield RelationRow(self.ids[first], type_, self.ids[second])
        else:
            self.report.skip("relationship of a concept that is not taken")

    def _version(self) -> str | None:
        """The vocabulary release as a whole stands in the row of the vocabulary called ``None``."""
        for table in self._tables("VOCABULARY"):
            id_at, version_at = table.places("vocabulary_id", "vocabulary_version")
            for _, values in table.rows(self.report):
                if values[id_at] == "None" and values[version_at]:
                    return values[version_at]
        return None
