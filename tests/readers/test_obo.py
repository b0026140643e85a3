from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.support import read, write

from dragoman.errors import ConfigError, DataError
from dragoman.readers.obo import NO_CLAUSE, NO_NAME, NO_STANZA_ID, NO_SYNONYM, NUL, REPEATED

HEAD = ("format-version: 1.2", "data-version: toy/releases/2026-01-02", "ontology: toy", "")
OBO = (
    *HEAD,
    "[Term]",
    "id: T:0000001",
    "name: Sunstroke ! a comment",
    'def: "Too much sun." [url:http\\://example.org] {comment="x"}',
    "alt_id: T:0000091",
    'synonym: "Heat \\"stroke\\"" EXACT []',
    'synonym: "Too much sun" EXACT layperson [ref:1, ref:2]',
    'synonym: "Burnt out" RELATED http://example.org/toy#layperson []',
    'synonym: "Overheated" BROAD layperson []',
    'synonym: "SS" EXACT OMO:0003012 [] {synonymtypedef="acronym"}',
    'synonym: "Insolation" RELATED []',
    'synonym: "Sun sickness" EXACT obsolete_synonym []',
    'synonym: "No scope" []',
    'exact_synonym: "Heliosis" [ref:3]',
    "xref: SNOMEDCT_US_2025_09_01:95868001",
    'xref: UMLS:C0038826 "Sunstroke" {source="toy"}',
    "xref: https://example.org/sunstroke",
    "xref: lonely",
    'is_a: T:0000002 {source="toy"} ! Injury by heat',
    "relationship: BFO:0000050 T:0000003 ! Summer",
    "property_value: http://example.org/p x",
    "",
    "[Typedef]",
    "id: BFO:0000050",
    "name: part of",
    "",
    "[Term]",
    "id: T:0000002",
    "name: Injury \\{by heat\\}",
    "is_obsolete: false",
    "",
    "[Term]",
    "id: T:0000009",
    "name: obsolete Sun fever",
    'synonym: "Sun fever" EXACT []',
    "is_obsolete: true",
    "replaced_by: T:0000001",
)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_ontology(tmp_path: Path, end: str) -> None:
    got = read("obo", write(tmp_path / "toy.obo", *OBO, end=end, final=False))
    assert got.texts == {
        "Sunstroke": "preferred",
        'Heat "stroke"': "synonym",
        "Too much sun": "lay",
        "Burnt out": "lay",
        "SS": "synonym",
        "Heliosis": "synonym",
        "Injury {by heat}": "preferred",
    }
    assert got.concepts == {
        "T:0000001": (True, None),
        "T:0000002": (True, None),
        "T:0000009": (False, None),
        "T:0000091": (False, None),
    }
    assert got.relations == {("T:0000001", "is_a", "T:0000002"), ("T:0000001", "part_of", "T:0000003")}
    assert got.maps == {("T:0000001", "SNOMEDCT_US", "95868001"), ("T:0000001", "UMLS", "C0038826")}
    assert got.report.version == "toy/releases/2026-01-02"
    assert not got.report.rejected
    assert got.report.skipped == {
        "BROAD synonym": 1,
        "RELATED synonym": 2,
        "synonym of type obsolete_synonym": 1,
        "cross-reference to no coding system": 2,
        "obsolete term": 1,
        "merged id (alt_id)": 1,
    }


def test_options(tmp_path: Path) -> None:
    path = write(tmp_path / "toy.obo", *OBO)
    got = read(
        "obo",
        path,
        scopes=["exact", "related"],
        lay_scopes=["EXACT", "BROAD"],
        language="nl",
        semantic_type="disorder",
        systems={"SNOMEDCT_US": "sct"},
    )
    assert {"Insolation", "Overheated", "No scope"} <= set(got.texts)
    assert "Burnt out" not in got.texts
    assert {t[2] for t in got.terms} == {"nl"}
    assert got.concepts["T:0000001"] == (True, "disorder")
    assert ("T:0000001", "sct", "95868001") in got.maps
    with pytest.raises(DataError, match=r"term of another prefix \(3\)"):
        read("obo", path, prefixes=["X"])
    with pytest.raises(ConfigError, match="must be a language tag"):
        read("obo", path, language="?")


def test_another_language_leaves_the_graph(tmp_path: Path) -> None:
    got = read("obo", write(tmp_path / "toy.obo", *OBO), languages=("nl",))
    assert not got.terms
    assert len(got.concepts) == 4
    assert got.relations


def test_a_folder_and_what_its_files_share(tmp_path: Path) -> None:
    write(tmp_path / "a.obo", *OBO)
    write(tmp_path / "b.obo", *OBO, "[Term]", "id: T:0000010", "name: Thirst")
    write(tmp_path / "notes.txt", "x")
    got = read("obo", tmp_path)
    assert "Thirst" in got.texts
    assert len(got.terms) == 8
    assert got.report.skipped["term that an earlier file has as well"] == 3
    assert set(read("obo", tmp_path, files=["a.obo"]).texts) == set(got.texts) - {"Thirst"}


def test_what_is_wrong_is_rejected_with_its_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "toy.obo",
        "[Term]",
        "id: T:1",
        "name: One",
        "synonym: no quotes EXACT []",
        "this is prose",
        "name: T\0wo",
        "[Term]",
        "name: nobody",
        "[Term]",
        "id: T:1",
        "name: One again",
        "[Term]",
        "id: T:3",
        "is_a:",
        "relationship: part_of",
    )
    got = read("obo", path)
    assert got.texts == {"One": "preferred"}
    assert sorted((line, reason) for _, line, reason in got.rejects) == [
        (4, NO_SYNONYM), (5, NO_CLAUSE), (6, NUL), (7, NO_STANZA_ID), (9, REPEATED), (12, NO_NAME), (14, "empty id"),
        (15, "empty id"),
    ]  # fmt: skip


def test_sources_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="empty"):
        read("obo", write(tmp_path / "a.obo", ""))
    with pytest.raises(DataError, match=r"there is no \[Term\]"):
        read("obo", write(tmp_path / "b.obo", *HEAD))
    write(tmp_path / "c/x.owl", "<rdf/>")
    with pytest.raises(DataError, match=r"no \.obo file"):
        read("obo", tmp_path / "c")
