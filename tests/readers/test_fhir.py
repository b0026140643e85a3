from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from tests.readers.support import read, write, zipped

from dragoman.errors import DataError
from dragoman.protocols import Report, Source, TermRow
from dragoman.readers import reader_for
from dragoman.readers.fhir_files import NO_JSON

SCT = "http://snomed.info/sct"
LOCAL = "http://example.org/departments"


def designation(language: str, value: str, use: str = "900000000000013009") -> dict[str, Any]:
    return {"language": language, "use": {"system": SCT, "code": use}, "value": value}


CODES: dict[str, Any] = {
    "resourceType": "CodeSystem",
    "url": LOCAL,
    "version": "2026-01",
    "language": "nl-BE",
    "hierarchyMeaning": "is-a",
    "content": "complete",
    "concept": [
        {
            "code": "01",
            "display": "heelkunde",
            "designation": [
                designation("nl-BE", "heelkunde"),
                designation("nl", "chirurgie"),
                designation("fr-BE", "chirurgie", "preferredForLanguage"),
                designation("en", "---"),
                designation("en", "A long explanation.", "900000000000550004"),
                {"value": "snijdende dienst"},
            ],
            "concept": [
                {"code": "011", "display": "handheelkunde", "concept": [{"code": "0111", "display": "duimkliniek"}]},
                {"code": "012", "display": "oud", "property": [{"code": "inactive", "valueBoolean": True}]},
            ],
        },
        {"code": "02", "display": "-", "property": [{"code": "status", "valueCode": "retired"}]},
        {"code": "03", "display": "spoed", "property": [{"code": "parent", "valueCode": "01"}]},
        {"code": "04", "property": [{"code": "child", "valueCode": "03"}, {"code": "status", "valueCode": "active"}]},
    ],
}
VALUES: dict[str, Any] = {
    "resourceType": "ValueSet",
    "compose": {
        "include": [
            {
                "system": SCT,
                "version": f"{SCT}/11000146104/version/20260315",
                "concept": [
                    {
                        "code": "95868001",
                        "display": "zonnesteek",
                        "designation": [designation("en-US", "Sunstroke"), designation("nl-NL", "zonnesteek")],
                    },
                    {"code": "422400008", "display": "Vomiting (disorder)"},
                    {"code": "1", "display": "Left out"},
                ],
            },
            {"system": SCT, "filter": [{"property": "concept", "op": "is-a", "value": "404684003"}]},
        ],
        "exclude": [{"system": SCT, "concept": [{"code": "1"}]}],
    },
}
MAP: dict[str, Any] = {
    "resourceType": "ConceptMap",
    "group": [
        {
            "source": SCT + "|20260315",
            "target": "http://hl7.org/fhir/sid/icd-10",
            "element": [
                {"code": "95868001", "target": [{"code": "T67.0", "equivalence": "equivalent"}]},
                {"code": "422400008", "target": [{"code": "R11", "relationship": "source-is-narrower-than-target"}]},
                {"code": "422400008", "target": [{"equivalence": "equal"}]},
            ],
        }
    ],
}


def save(path: Path, resource: object) -> Path:
    return write(path, json.dumps(resource, ensure_ascii=False, indent=1))


def xml(node: object, name: str) -> str:
    """A resource in FHIR's XML form."""
    if isinstance(node, list):
        return "".join(xml(item, name) for item in node)
    if not isinstance(node, dict):
        value = str(node).lower() if isinstance(node, bool) else str(node)
        return f'<{name} value="{value}"/>'
    inner = "".join(xml(value, key) for key, value in node.items() if key != "resourceType")
    for tag in (node.get("resourceType"), name):
        inner = f"<{tag}>{inner}</{tag}>" if tag else inner
    return inner


def document(resource: dict[str, Any]) -> str:
    return '<?xml version="1.0"?>' + xml(resource, "").replace(">", ' xmlns="http://hl7.org/fhir">', 1)


def test_a_code_system(tmp_path: Path) -> None:
    got = read("fhir", save(tmp_path / "departments.json", CODES))
    assert got.terms == [
        ("01", "heelkunde", "nl-BE", "preferred"),
        ("01", "chirurgie", "nl", "synonym"),
        ("01", "chirurgie", "fr-BE", "preferred"),
        ("01", "snijdende dienst", "nl-BE", "synonym"),
        ("011", "handheelkunde", "nl-BE", "preferred"),
        ("0111", "duimkliniek", "nl-BE", "preferred"),
        ("03", "spoed", "nl-BE", "preferred"),
    ]
    assert {id_ for id_, (active, _) in got.concepts.items() if not active} == {"012", "02"}
    assert got.relations == {("011", "is_a", "01"), ("0111", "is_a", "011"), ("03", "is_a", "01"), ("03", "is_a", "04")}
    assert got.report.version == "2026-01"
    assert got.report.skipped["placeholder without a letter or digit"] == 1


@pytest.mark.parametrize("resource", [CODES, VALUES, {"resourceType": "Bundle", "entry": [{"resource": CODES}]}])
def test_json_ndjson_and_xml_say_the_same(tmp_path: Path, resource: dict[str, Any]) -> None:
    expected = read("fhir", save(tmp_path / "a.json", resource)).rows
    assert expected
    assert read("fhir", write(tmp_path / "b.ndjson", "", json.dumps(resource), "")).rows == expected
    assert read("fhir", write(tmp_path / "c.xml", document(resource))).rows == expected
    (tmp_path / "d").mkdir()
    save(tmp_path / "d/a.json", resource)
    assert read("fhir", zipped(tmp_path / "d", tmp_path / "d.zip")).rows == expected


def test_a_value_set_of_snomed_ct(tmp_path: Path) -> None:
    got = read("fhir", save(tmp_path / "values.json", VALUES))
    assert got.terms == [
        ("95868001", "zonnesteek", "nl-NL", "preferred"),
        ("95868001", "Sunstroke", "en-US", "synonym"),
        ("422400008", "Vomiting (disorder)", "en", "fsn"),
        ("422400008", "Vomiting", "en", "preferred"),
    ]
    assert got.concepts["422400008"] == (True, "disorder")
    assert got.report.version == "20260315"
    assert got.report.noted == {
        "displays without a language, taken as English": 1,
        "names taken from fully specified names": 1,
    }
    assert got.report.skipped == {"part of a ValueSet that is given by a filter": 1}
    assert {t[2] for t in read("fhir", tmp_path / "values.json", languages=("nl",)).terms} == {"nl-NL"}


def test_languages_are_told_by_the_option_the_resource_or_a_designation(tmp_path: Path) -> None:
    path = save(tmp_path / "values.json", VALUES)
    assert ("422400008", "Vomiting (disorder)", "de", "fsn") in read("fhir", path, language="de").terms
    path = save(tmp_path / "values.json", {**VALUES, "language": "fr"})
    assert ("422400008", "Vomiting (disorder)", "fr", "fsn") in read("fhir", path).terms


def test_an_expansion(tmp_path: Path) -> None:
    resource = {
        "resourceType": "ValueSet",
        "language": "nl",
        "expansion": {
            "contains": [
                {"display": "groep", "contains": [{"system": LOCAL, "code": "7", "display": "zaal zeven"}]},
                {"system": LOCAL, "code": "8", "display": "zaal acht", "inactive": True},
            ]
        },
    }
    got = read("fhir", save(tmp_path / "v.json", resource), semantic_type="room")
    assert got.terms == [("7", "zaal zeven", "nl", "preferred")]
    assert got.concepts == {"7": (True, "room"), "8": (False, "room")}


def test_maps(tmp_path: Path) -> None:
    save(tmp_path / "values.json", VALUES)
    save(tmp_path / "map.json", MAP)
    got = read("fhir", tmp_path)
    assert got.maps == {("95868001", "ICD-10", "T67.0")}
    assert got.report.skipped["map row that is not the same concept (source-is-narrower-than-target)"] == 1
    assert got.report.rejected == {"empty id": 1}
    alone = read("fhir", tmp_path / "map.json", systems={"http://hl7.org/fhir/sid/icd-10": "icd"})
    assert alone.maps == {("95868001", "icd", "T67.0")}


def test_several_code_systems_must_be_told_apart(tmp_path: Path) -> None:
    save(tmp_path / "a.json", CODES)
    save(tmp_path / "b.json", VALUES)
    with pytest.raises(DataError, match=r"2 code systems: http://example.*set system = 'http://example"):
        read("fhir", tmp_path)
    got = read("fhir", tmp_path, system=SCT)
    assert set(got.concepts) == {"95868001", "422400008"}
    assert got.report.skipped["concept of another code system"] == 7
    both = read("fhir", tmp_path, system="*")
    assert {f"{LOCAL}|01", f"{SCT}|95868001"} <= set(both.concepts)
    assert (f"{LOCAL}|011", "is_a", f"{LOCAL}|01") in both.relations
    with pytest.raises(DataError, match="no code of urn:x"):
        read("fhir", tmp_path, system="urn:x")


def test_codes_for_no_value_are_no_terminology(tmp_path: Path) -> None:
    unknown = {
        "system": "http://terminology.hl7.org/CodeSystem/v3-NullFlavor",
        "concept": [{"code": "OTH", "display": "Other"}],
    }
    include = [*VALUES["compose"]["include"], unknown]
    path = save(tmp_path / "v.json", {**VALUES, "compose": {**VALUES["compose"], "include": include}})
    assert "OTH" not in read("fhir", path).concepts
    assert set(read("fhir", path, system=unknown["system"]).concepts) == {"OTH"}


def test_terms_given_by_several_resources_are_given_once(tmp_path: Path) -> None:
    save(tmp_path / "a.json", VALUES)
    save(tmp_path / "b.json", VALUES)
    got = read("fhir", tmp_path)
    assert len(got.terms) == len(set(got.terms)) == 4
    assert len(got.concepts) == 2


def test_a_supplement_adds_to_its_code_system(tmp_path: Path) -> None:
    save(tmp_path / "a.json", CODES)
    supplement = {
        "resourceType": "CodeSystem",
        "url": "http://example.org/supplement",
        "supplements": LOCAL + "|2026-01",
        "content": "supplement",
        "language": "de",
        "concept": [{"code": "01", "designation": [{"language": "de", "value": "Chirurgie"}]}],
    }
    save(tmp_path / "b.json", supplement)
    assert ("01", "Chirurgie", "de", "synonym") in read("fhir", tmp_path).terms


def test_files_that_are_no_resource_are_skipped(tmp_path: Path) -> None:
    save(tmp_path / "a.json", CODES)
    save(tmp_path / "package.json", {"name": "x"})
    save(tmp_path / "list.json", [1, 2])
    write(tmp_path / "n.xml", '<NamingSystem xmlns="http://hl7.org/fhir"><name value="x"/></NamingSystem>')
    assert read("fhir", tmp_path).report.skipped["JSON or XML that is no CodeSystem, ValueSet or ConceptMap"] == 3


def test_bad_lines_and_empty_codes_are_rejected(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ndjson", json.dumps(CODES), "{", "[]", json.dumps({**CODES, "concept": [{"code": ""}]}))
    got = read("fhir", path)
    assert got.rejects == [("a.ndjson", 2, NO_JSON), ("a.ndjson", 3, NO_JSON), ("a.ndjson", 4, "empty id")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", '{\n"resourceType": "CodeSystem",\n', r"a\.json:3: is not JSON"),
        ("a.json", "", "empty"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.json", '{"resourceType": "ValueSet", "compose": {"include": []}}', "no resource lists a concept"),
        ("a.xml", "<CodeSystem>\n<x>\n</CodeSystem>", r"a\.xml:3: is not XML"),
        ("a.xml", '<?xml version="1.0" encoding="klingon"?><CodeSystem/>', "is not XML"),
        ("a.txt", "x", "no .json"),
    ],
)
def test_sources_that_cannot_be_meant_are_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = write(tmp_path / "in" / name, content, final=False)
    with pytest.raises(DataError, match=message):
        read("fhir", path.parent)


def test_of_a_large_file_little_more_than_its_bytes_is_in_memory(tmp_path: Path) -> None:
    concepts = ",".join(
        f'{{"code": "{n}", "display": "term {n}", "designation": [{{"language": "nl", "value": "woord {n}"}}]}}'
        for n in range(20_000)
    )
    text = f'{{"resourceType": "CodeSystem", "url": "u", "language": "en", "concept": [{concepts}]}}'
    path = write(tmp_path / "in" / "a.json", text, final=False)
    source = Source(name="t", format="fhir", path=path, languages=())
    tracemalloc.start()
    given = 0
    for row in reader_for(source)(source, Report()):
        given += isinstance(row, TermRow)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert given == 40_000
    kept = 40_000 * 250  # what is kept of each term, to tell the next one apart
    assert peak < 3 * len(text) + kept
