"""Formularies as people keep them: comma or tab, with and without a BOM, with rows that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.catalog import read_catalog


def write(folder: Path, **files: str) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for name, text in files.items():
        path = folder / (f"{name}.txt" if name == "known" else f"{name}.csv")
        path.write_text(text, "utf-8")
        paths[name] = path
    return paths


DRUGS = "drug_id,name,ingredients,atc,status\n1,Amlodipin,,C08CA01,active\n2,Kẽm sulfat,,,\n3,Cũ,,,inactive\n"


def test_reads_everything_in_file_order(tmp_path: Path):
    paths = write(
        tmp_path,
        drugs=DRUGS + "4,Co-amoxiclav,1|acid clavulanic,,active\n",
        aliases="drug_id,alias,kind,language,display_rank\n1,Norvasc,brand,en,2\n1,amlodipine,,en-GB,\n2,Zinc,generic,,\n",
        known="# elsewhere\nlamotrigine\n\nLamictal\nlamotrigine\n",
        confusable="a,b\nAmlodipin,amiodaron\n",
    )
    report = Report()
    catalog = read_catalog(**paths, report=report)
    assert [d.drug_id for d in catalog.drugs] == ["1", "2", "4"]
    assert catalog.drugs[2].ingredients == ("1", "acid clavulanic")
    assert [(a.alias, a.kind, a.language, a.display_rank) for a in catalog.aliases] == [
        ("Norvasc", "brand", "en", 2),
        ("amlodipine", "generic", "en", None),
        ("Zinc", "generic", None, None),
    ]
    assert catalog.known == ("lamotrigine", "Lamictal")
    assert catalog.confusable == (("Amlodipin", "amiodaron"),)
    assert not report.rejected
    assert report.skipped["drugs that are not active"] == 1
    assert {p.name for p in report.files} == {"drugs.csv", "aliases.csv", "known.txt", "confusable.csv"}


def test_tabs_bom_and_missing_columns_that_may_be_missing(tmp_path: Path):
    path = tmp_path / "drugs.tsv"
    path.write_bytes("\ufeffname\tdrug_id\r\nAcid folic\tf\r\n".encode())
    assert read_catalog(drugs=path, report=Report()).drugs[0].drug_id == "f"


def test_a_name_may_have_a_comma_in_quotes(tmp_path: Path):
    paths = write(tmp_path, drugs='drug_id,name\n1,"Insulin, người"\n')
    assert read_catalog(**paths, report=Report()).drugs[0].name == "Insulin, người"


@pytest.mark.parametrize(
    ("drugs", "what"),
    [
        ("id,name\n1,A\n", "drugs.csv:1: missing column drug_id"),
        ("drug_id,title\n1,A\n", "drugs.csv:1: missing column name"),
        ("", "drugs.csv: the file is empty"),
        ("drug_id,name,status\n1,Ab,inactive\n", "drugs.csv: holds no active drug"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(tmp_path: Path, drugs: str, what: str):
    with pytest.raises(DataError) as error:
        read_catalog(**write(tmp_path, drugs=drugs), report=Report())
    assert what in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(DataError, match="there is no such file"):
        read_catalog(drugs=tmp_path / "no.csv", report=Report())


def test_bad_rows_are_rejected_with_their_line(tmp_path: Path):
    paths = write(
        tmp_path,
        drugs="drug_id,name\n1,Amlodipin\n,Nobody\n2,\n1,Again\n3,...\n4\n",
        aliases="drug_id,alias,kind,language,display_rank\n9,Ghost,brand,,\n1,,brand,,\n1,X1,colour,,\n1,X2,brand,,first\n"
        "1,X3,brand,!,\n1,Norvasc,brand,,\n1,Norvasc,brand,,\n",
        confusable="a,b\nx,\nx,x\n",
    )
    report = Report()
    catalog = read_catalog(**paths, report=report)
    assert [d.name for d in catalog.drugs] == ["Amlodipin"]
    assert [a.alias for a in catalog.aliases] == ["Norvasc"]
    assert catalog.confusable == ()
    told = {(Path(r.path).name, r.line, r.reason) for r in report.examples}
    assert told == {
        ("drugs.csv", 3, "empty drug_id"),
        ("drugs.csv", 4, "the name is empty"),
        ("drugs.csv", 5, "this drug_id stands in an earlier row"),
        ("drugs.csv", 6, "the name has neither a letter nor a digit"),
        ("drugs.csv", 7, "fewer values than the header has columns"),
        ("aliases.csv", 2, "no drug has this drug_id"),
        ("aliases.csv", 3, "the alias is empty"),
        ("aliases.csv", 4, "the kind is none of abbreviation, brand, generic, spelling"),
        ("aliases.csv", 5, "display_rank is no whole number"),
        ("aliases.csv", 6, "the language is not a language tag"),
        ("confusable.csv", 2, "one of the pair is empty"),
        ("confusable.csv", 3, "a name is paired with itself"),
    }
    assert report.skipped["aliases that stand twice"] == 1


def test_aliases_of_inactive_drugs_are_left_out(tmp_path: Path):
    paths = write(tmp_path, drugs=DRUGS, aliases="drug_id,alias\n3,Xưa\n")
    report = Report()
    assert read_catalog(**paths, report=report).aliases == ()
    assert report.skipped["aliases of drugs that are not active"] == 1
    assert not report.rejected
