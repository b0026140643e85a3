from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.readers.support import read, write
from tests.readers.test_obo import OBO

from dragoman.errors import DataError
from dragoman.readers.obo import NO_NAME, REPEATED
from dragoman.readers.obograph import BAD_EDGE, BAD_NODE, identifier

OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
PURL = "http://purl.obolibrary.org/obo/"


def synonym(text: str, scope: str, type_: str | None = None) -> dict[str, Any]:
    return {"val": text, "pred": f"has{scope}Synonym", **({"synonymType": type_} if type_ else {})}


GRAPH: dict[str, Any] = {
    "id": PURL + "toy.json",
    "meta": {"version": "toy/releases/2026-01-02"},
    "nodes": [
        {
            "id": PURL + "T_0000001",
            "lbl": "Sunstroke",
            "type": "CLASS",
            "meta": {
                "definition": {"val": "Too much sun."},
                "synonyms": [
                    synonym('Heat "stroke"', "Exact"),
                    synonym("Too much sun", "Exact", PURL + "hp#layperson"),
                    synonym("Burnt out", "Related", "http://example.org/toy#layperson"),
                    synonym("Overheated", "Broad", "layperson"),
                    synonym("SS", "Exact", PURL + "OMO_0003012"),
                    synonym("Insolation", "Related"),
                    synonym("Sun sickness", "Exact", "obsolete_synonym"),
                    synonym("No scope", "Related"),
                    synonym("Heliosis", "Exact"),
                ],
                "xrefs": [
                    {"val": "SNOMEDCT_US_2025_09_01:95868001"},
                    {"val": "UMLS:C0038826"},
                    {"val": "https://example.org/sunstroke"},
                    {"val": "lonely"},
                ],
                "basicPropertyValues": [{"pred": OBO_IN_OWL + "hasAlternativeId", "val": "T:0000091"}],
            },
        },
        {"id": PURL + "BFO_0000050", "lbl": "part of", "type": "PROPERTY"},
        {"id": PURL + "T_0000002", "lbl": "Injury {by heat}", "type": "CLASS", "meta": {"deprecated": False}},
        {"id": PURL + "T_0000009", "lbl": "obsolete Sun fever", "type": "CLASS", "meta": {"deprecated": True}},
        {"id": PURL + "T_0000077", "lbl": "an individual", "type": "INDIVIDUAL"},
    ],
    "edges": [
        {"sub": PURL + "T_0000001", "pred": "is_a", "obj": PURL + "T_0000002"},
        {"sub": PURL + "T_0000001", "pred": PURL + "BFO_0000050", "obj": PURL + "T_0000003"},
        {"sub": PURL + "BFO_0000050", "pred": "subPropertyOf", "obj": PURL + "RO_1"},
    ],
}


def save(path: Path, *graphs: object) -> Path:
    return write(path, json.dumps({"graphs": graphs}, indent=1))


def test_it_says_what_the_obo_file_says(tmp_path: Path) -> None:
    got = read("obograph", save(tmp_path / "toy.json", GRAPH))
    obo = read("obo", write(tmp_path / "toy.obo", *OBO))
    assert sorted(got.terms) == sorted(obo.terms)
    assert (got.concepts, got.relations, got.maps) == (obo.concepts, obo.relations, obo.maps)
    assert got.report.version == obo.report.version
    assert not got.report.rejected


def test_options(tmp_path: Path) -> None:
    path = save(tmp_path / "toy.json", GRAPH)
    got = read("obograph", path, lay_scopes=["BROAD"], systems={"UMLS": "umls"}, semantic_type="disorder")
    assert got.texts["Overheated"] == "lay"
    assert ("T:0000001", "umls", "C0038826") in got.maps
    assert got.concepts["T:0000001"] == (True, "disorder")
    assert read("obograph", path, prefixes=["T"]).concepts == read("obograph", path).concepts
    with pytest.raises(DataError, match="there is no class"):
        read("obograph", path, prefixes=["X"])


def test_relations_take_the_name_of_their_property(tmp_path: Path) -> None:
    graph = {
        "nodes": [
            {"id": PURL + "T_1", "lbl": "a", "type": "CLASS"},
            {"id": PURL + "toy#RO_9", "lbl": "made worse by", "type": "PROPERTY"},
        ],
        "edges": [{"sub": PURL + "T_1", "pred": PURL + "toy#RO_9", "obj": PURL + "T_2"}],
    }
    assert read("obograph", save(tmp_path / "t.json", graph)).relations == {("T:1", "made_worse_by", "T:2")}


def test_what_is_wrong_is_rejected(tmp_path: Path) -> None:
    node = {"id": PURL + "T_1", "lbl": "One", "type": "CLASS"}
    graph = {
        "nodes": [node, node, {"lbl": "no id"}, {"id": 7}, {"id": PURL + "T_2", "type": "CLASS"}],
        "edges": [{"sub": PURL + "T_1"}, {"sub": PURL + "T_1", "pred": "is_a", "obj": ""}],
    }
    got = read("obograph", save(tmp_path / "t.json", graph))
    assert got.texts == {"One": "preferred"}
    assert got.report.rejected == {REPEATED: 1, BAD_NODE: 2, NO_NAME: 1, BAD_EDGE: 1, "empty id": 1}


def test_identifier() -> None:
    assert identifier(PURL + "HP_0000821") == "HP:0000821"
    assert identifier("http://example.org/x_1") == "http://example.org/x_1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"graphs": [\n{]}', r"t\.json:2: is not JSON"),
        ('{"graphs": 3}', "is not OBO Graphs JSON"),
        ('{"resourceType": "CodeSystem"}', "is not OBO Graphs JSON"),
        ('{"graphs": []}', "there is no class"),
        ("", "empty"),
    ],
)
def test_sources_that_cannot_be_meant_are_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read("obograph", write(tmp_path / "t.json", content))


def test_a_folder(tmp_path: Path) -> None:
    save(tmp_path / "a.json", GRAPH)
    save(tmp_path / "b.json", GRAPH)
    got = read("obograph", tmp_path)
    assert got.report.skipped["term that an earlier file has as well"] == 3
    assert len(got.terms) == 7
    (tmp_path / "c").mkdir()
    write(tmp_path / "c/x.txt", "x")
    with pytest.raises(DataError, match=r"no \.json file"):
        read("obograph", tmp_path / "c")
