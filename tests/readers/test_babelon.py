from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.support import read, tabs, write

from dragoman.errors import DataError
from dragoman.readers.tables import SHORT

COLUMNS = (
    "source_language", "source_value", "subject_id", "predicate_id", "translation_language", "translation_value",
    "translation_status",
)  # fmt: skip


def row(id_: str, english: str, term: str, status: str = "CANDIDATE", predicate: str = "rdfs:label") -> str:
    return tabs("en", english, id_, predicate, "nl", term, status)


PROFILE = (
    tabs(*COLUMNS),
    row("T:1", "Sunstroke", "Zonnesteek"),
    row("T:2", "Injury by heat", "Letsel door hitte", "OFFICIAL"),
    row("T:3", "Insolation", "Insolation", "NOT_TRANSLATED"),
    row("T:1", "Too much sun.", "Te veel zon.", "CANDIDATE", "IAO:0000115"),
    row("T:1", "Heat stroke", "Hitteberoerte", "UNDER_REVIEW", "oio:hasExactSynonym"),
    row("T:1", "Feeling hot", "Het warm hebben", "OFFICIAL", "oio:hasBroadSynonym"),
    row("T:4", "Coma", "Coma", ""),
)
SYNONYMS = (
    "subject_id\ttranslation_value\tcomment",
    "ID\tAL oboInOwl:hasExactSynonym@nl\t",
    "T:1\tHeliosis\tNOT_TRANSLATED",
    "T:1\tte lang in de zon\tCANDIDATE",
)


def test_a_profile(tmp_path: Path) -> None:
    got = read("babelon", write(tmp_path / "toy-nl.babelon.tsv", *PROFILE, end="\r\n"))
    assert got.terms == [
        ("T:1", "Zonnesteek", "nl", "preferred"),
        ("T:2", "Letsel door hitte", "nl", "preferred"),
        ("T:1", "Hitteberoerte", "nl", "synonym"),
        ("T:4", "Coma", "nl", "preferred"),
    ]
    assert not got.concepts
    assert got.report.skipped == {"not translated": 1, "translation of something other than a name": 2}


def test_synonyms_with_a_robot_template(tmp_path: Path) -> None:
    got = read("babelon", write(tmp_path / "toy-nl.synonyms.tsv", *SYNONYMS))
    assert got.terms == [("T:1", "te lang in de zon", "nl", "synonym")]
    assert got.report.skipped == {"not translated": 1}


def test_a_folder_without_its_working_files(tmp_path: Path) -> None:
    write(tmp_path / "toy-nl.babelon.tsv", *PROFILE)
    write(tmp_path / "toy-nl.synonyms.tsv", *SYNONYMS)
    write(tmp_path / "toy-nl-changed.babelon.tsv", tabs(*COLUMNS), row("T:9", "Old", "Verouderd"))
    assert len(read("babelon", tmp_path).terms) == 5
    assert set(read("babelon", tmp_path, files=["*changed*"]).texts) == {"Verouderd"}


def test_statuses_can_be_chosen(tmp_path: Path) -> None:
    got = read("babelon", write(tmp_path / "x.tsv", *PROFILE), statuses=["OFFICIAL"])
    assert set(got.texts) == {"Letsel door hitte", "Coma"}
    assert got.report.skipped["translation of status CANDIDATE"] == 2


def test_precision_and_version_columns(tmp_path: Path) -> None:
    columns = (*COLUMNS, "translation_precision", "source_version")
    path = write(
        tmp_path / "x.tsv",
        tabs(*columns),
        row("T:1", "Sunstroke", "Zonnesteek") + "\tEXACT\tv1",
        row("T:2", "Heat", "Weer") + "\tBROADER\tv1",
    )
    got = read("babelon", path)
    assert set(got.texts) == {"Zonnesteek"}
    assert got.report.version == "v1"


def test_spreadsheet_quotes_short_rows_and_other_languages(tmp_path: Path) -> None:
    quoted = row("T:2", "x", '"Letsel, ""door"" hitte"')
    path = write(tmp_path / "x.tsv", tabs(*COLUMNS), quoted, "T:1\tkort", row("T:1", "Sunstroke", "Zonnesteek"))
    got = read("babelon", path)
    assert set(got.texts) == {'Letsel, "door" hitte', "Zonnesteek"}
    assert got.rejects == [("x.tsv", 3, SHORT)]
    with pytest.raises(DataError, match=r"nothing in it can be used: another language \(nl\) \(2\)"):
        read("babelon", path, languages=("fr",))


def test_the_language_must_be_told(tmp_path: Path) -> None:
    path = write(tmp_path / "x.synonyms.tsv", SYNONYMS[0], SYNONYMS[3])
    with pytest.raises(DataError, match=r"synonyms\.tsv:2: nothing tells the language"):
        read("babelon", path)
    assert read("babelon", path, language="nl").terms == [("T:1", "te lang in de zon", "nl", "preferred")]


def test_sources_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="missing column translation_value; found: subject_id, label"):
        read("babelon", write(tmp_path / "a.tsv", "subject_id\tlabel", "T:1\tx"))
    with pytest.raises(DataError, match="no row below the header"):
        read("babelon", write(tmp_path / "b.tsv", tabs(*COLUMNS)))
    write(tmp_path / "c/readme.md", "x")
    with pytest.raises(DataError, match=r"no \.tsv file"):
        read("babelon", tmp_path / "c")
