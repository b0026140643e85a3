from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.support import read, write, zipped

from dragoman.errors import DataError
from dragoman.readers.tables import QUOTES, SHORT

CONCEPT = (
    "concept_id,concept_name,domain_id,vocabulary_id,concept_class_id,standard_concept,concept_code,valid_start_date,"
    "valid_end_date,invalid_reason"
)
RELATIONSHIP = "concept_id_1,concept_id_2,relationship_id,valid_start_date,valid_end_date,invalid_reason"


def concept(id_: str, name: str, vocabulary: str = "SNOMED", code: str = "", reason: str = "") -> str:
    dates = "19700101,20991231" if int(id_) % 2 else "1970-01-01,2099-12-31"
    return f"{id_},{name},Condition,{vocabulary},Disorder,S,{code or '9' + id_},{dates},{reason}"


TABLES = {
    "CONCEPT": (
        CONCEPT,
        concept("1", "Sunstroke", code="095868001"),
        concept("2", "Injury"),
        concept("3", "Old name", reason="U"),
        concept("4", "Removed", reason="D"),
        concept("5", "Heat", "ICD10CM", "T67", "VALID"),
    ),
    "CONCEPT_SYNONYM": (
        "concept_id,concept_synonym_name,language_concept_id",
        "1,Heliosis,4180186",
        "1,zonnesteek,4182503",
        "1,Sonnenstich,4182504",
        "3,Older name,4180186",
    ),
    "CONCEPT_ANCESTOR": (
        "ancestor_concept_id,descendant_concept_id,min_levels_of_separation,max_levels_of_separation",
        "2,1,1,2",
        "2,1,2,2",
        "1,1,0,0",
        "3,1,1,1",
    ),
    "CONCEPT_RELATIONSHIP": (
        RELATIONSHIP,
        "5,1,Maps to,1970-01-01,2099-12-31,",
        "1,5,Mapped from,1970-01-01,2099-12-31,",
        "1,2,Is a,19700101,20991231,D",
        "1,1,Maps to,19700101,20991231,",
        "1,2,Has due to,19700101,20991231,",
    ),
    "VOCABULARY": (
        "vocabulary_id,vocabulary_name,vocabulary_reference,vocabulary_version,vocabulary_concept_id",
        "None,All,OMOP,v5.0 01-MAR-26,0",
    ),
}


@pytest.fixture(params=["commas", "tabs"])
def vocabulary(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Athena writes tabs into files that are called .csv."""
    folder = tmp_path / "vocabulary"
    for name, rows in TABLES.items():
        lines = [row.replace(",", "\t") for row in rows] if request.param == "tabs" else rows
        write(folder / f"{name}.csv", *lines, end="\r\n" if request.param == "tabs" else "\n")
    return folder


def test_a_vocabulary(vocabulary: Path, tmp_path: Path) -> None:
    got = read("omop", vocabulary)
    assert got.terms == [
        ("1", "Sunstroke", "en", "preferred"),
        ("2", "Injury", "en", "preferred"),
        ("5", "Heat", "en", "preferred"),
        ("1", "Heliosis", "en", "synonym"),
        ("1", "zonnesteek", "nl", "synonym"),
    ]
    assert {id_: active for id_, (active, _) in got.concepts.items()} == {
        "1": True, "2": True, "3": False, "4": False, "5": True,
    }  # fmt: skip
    assert got.concepts["1"] == (True, "Condition")
    assert got.maps == {("1", "SNOMED", "095868001"), ("2", "SNOMED", "92"), ("5", "ICD10CM", "T67")}
    assert got.relations == {("1", "is_a", "2"), ("5", "maps_to", "1"), ("1", "due_to", "2")}
    assert got.report.version == "v5.0 01-MAR-26"
    assert not got.report.rejected
    assert got.report.skipped["synonym in a language without a tag (4182504: see language_concepts)"] == 1
    assert read("omop", zipped(vocabulary, tmp_path / "v.zip")).rows == got.rows


def test_options(vocabulary: Path) -> None:
    got = read("omop", vocabulary, vocabularies="SNOMED", ids="concept_code", language_concepts={"4182504": "de"})
    assert ("095868001", "Sonnenstich", "de", "synonym") in got.terms
    assert not got.maps
    assert got.relations == {("095868001", "is_a", "92"), ("095868001", "due_to", "92")}
    assert read("omop", vocabulary, systems={"SNOMED": "sct"}).maps >= {("1", "sct", "095868001")}
    with pytest.raises(DataError, match=r"CONCEPT\.csv:6: there are codes of several vocabularies: ICD10CM, SNOMED"):
        read("omop", vocabulary, ids="concept_code")


def test_quotes_count_with_commas_only(tmp_path: Path) -> None:
    commas = write(
        tmp_path / "a/CONCEPT.csv", CONCEPT, concept("1", '"Injury, ""by"" sun"'), concept("2", '"open'), "3,x"
    )
    got = read("omop", commas)
    assert set(got.texts) == {'Injury, "by" sun'}
    assert got.rejects == [("CONCEPT.csv", 3, QUOTES), ("CONCEPT.csv", 4, SHORT)]
    tabs = write(tmp_path / "b/x.CONCEPT.csv", CONCEPT.replace(",", "\t"), concept("1", '"open').replace(",", "\t"))
    assert set(read("omop", tabs.parent).texts) == {'"open'}


def test_sources_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a/CONCEPT_SYNONYM.csv", "x")
    with pytest.raises(DataError, match=r"no CONCEPT\.csv"):
        read("omop", tmp_path / "a")
    with pytest.raises(DataError, match="no row below the header"):
        read("omop", write(tmp_path / "CONCEPT.csv", CONCEPT))
    with pytest.raises(DataError, match=r"missing columns .*found: cui, name"):
        read("omop", write(tmp_path / "cdb.csv", "cui,name", "C1,x"))
    with pytest.raises(DataError, match="empty"):
        read("omop", write(tmp_path / "c/CONCEPT.csv", ""))
