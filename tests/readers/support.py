"""What the reader tests share: run a reader, pick rows, write RF2 packages of the tests' own."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from dragoman.protocols import ConceptRow, MapRow, RelationRow, RelationRows, Report, Row, Source, TermRow
from dragoman.readers import reader_for

T = TypeVar("T", ConceptRow, TermRow, RelationRow, MapRow)


@dataclass
class Reading:
    """All rows of a source and its report."""

    rows: list[Row]
    report: Report

    def of(self, type_: type[T]) -> list[T]:
        return [row for row in self.rows if isinstance(row, type_)]

    @property
    def terms(self) -> list[tuple[str, str, str, str]]:
        return [(t.concept_id, t.term, t.language, t.type) for t in self.of(TermRow)]

    @property
    def texts(self) -> dict[str, str]:
        """Term → type."""
        return {t.term: t.type for t in self.of(TermRow)}

    @property
    def concepts(self) -> dict[str, tuple[bool, str | None]]:
        return {c.id: (c.active, c.semantic_type) for c in self.of(ConceptRow)}

    @property
    def relations(self) -> set[tuple[str, str, str]]:
        return {(r.source_id, r.type, r.target_id) for r in self.of(RelationRow)}

    @property
    def maps(self) -> set[tuple[str, str, str]]:
        return {(m.concept_id, m.system, m.target_id) for m in self.of(MapRow)}

    @property
    def rejects(self) -> list[tuple[str, int, str]]:
        """File name, line and reason of each reject held."""
        return [(Path(r.path).name, r.line, r.reason) for r in self.report.examples]


def read(format_: str, path: Path, *, languages: tuple[str, ...] = (), **options: Any) -> Reading:
    report = Report()
    source = Source(name="test", format=format_, path=path, languages=languages, options=options)
    return Reading([one for row in reader_for(source)(source, report) for one in each(row)], report)


def each(row: Row) -> list[Row]:
    """Many relations of one type as single ones."""
    if not isinstance(row, RelationRows):
        return [row]
    return [RelationRow(row.ids[a], row.type, row.ids[b]) for a, b in zip(row.sources, row.targets, strict=True)]


def write(path: Path, *lines: str, end: str = "\n", final: bool = True, encoding: str = "utf-8") -> Path:
    """Lines with their line ends as a file, its folders made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((end.join(lines) + (end if final else "")).encode(encoding))
    return path


def zipped(folder: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, f"{folder.name}/{file.relative_to(folder).as_posix()}")
    return target


HEADERS = {
    "Concept": "id effectiveTime active moduleId definitionStatusId",
    "Description": "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
    "Relationship": "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId "
    "characteristicTypeId modifierId",
    "Language": "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId",
    "ExtendedMap": "id effectiveTime active moduleId refsetId referencedComponentId mapGroup mapPriority mapRule "
    "mapAdvice mapTarget correlationId mapCategoryId",
    "SimpleMap": "id effectiveTime active moduleId refsetId referencedComponentId mapTarget",
}
MODULE, OTHER_MODULE = "900000000000207008", "11000172109"
FSN, SYNONYM, DEFINITION = "900000000000003001", "900000000000013009", "900000000000550004"
PREFERRED, ACCEPTABLE = "900000000000548007", "900000000000549004"
INFERRED, STATED = "900000000000011006", "900000000000010007"
NL_BE, NL_NL, NL_PATIENT, GB, US = (
    "31000172101",
    "31000146106",
    "15551000146102",
    "900000000000508004",
    "900000000000509007",
)
CASE = "900000000000448009"


def tabs(*values: object) -> str:
    return "\t".join(str(value) for value in values)


def header(kind: str) -> str:
    return HEADERS[kind].replace(" ", "\t")


def concept(id_: str, active: int = 1, time: str = "20240101") -> str:
    return tabs(id_, time, active, MODULE, "900000000000074008")


def description(
    id_: str, concept_id: str, term: str, language: str = "en", type_: str = SYNONYM, active: int = 1,
    time: str = "20240101", module: str = MODULE,
) -> str:  # fmt: skip
    return tabs(id_, time, active, module, concept_id, language, type_, term, CASE)


def member(id_: str, description_id: str, refset: str, standing: str = PREFERRED, active: int = 1) -> str:
    return tabs(id_, "20240101", active, MODULE, refset, description_id, standing)


def relation(
    id_: str, source: str, target: str, type_: str = "116680003", active: int = 1, character: str = INFERRED
) -> str:
    return tabs(id_, "20240101", active, MODULE, source, target, 0, type_, character, "900000000000451002")


def package(
    folder: Path, *, concepts: list[str], descriptions: list[str], members: list[str] | None = None,
    relations: list[str] | None = None, release: str = "Snapshot", edition: str = "INT_20240101", end: str = "\r\n",
    final: bool = True,
) -> Path:  # fmt: skip
    """An RF2 package in the usual folders."""
    tables = {
        "Concept": (f"Terminology/sct2_Concept_{release}_{edition}.txt", concepts),
        "Description": (f"Terminology/sct2_Description_{release}-en_{edition}.txt", descriptions),
        "Language": (f"Refset/Language/der2_cRefset_Language{release}-en_{edition}.txt", members),
        "Relationship": (f"Terminology/sct2_Relationship_{release}_{edition}.txt", relations),
    }
    for kind, (name, rows) in tables.items():
        if rows is not None:
            write(folder / release / name, header(kind), *rows, end=end, final=final)
    return folder
