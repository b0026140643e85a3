from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from tests.readers.support import read, write, zipped

from dragoman.errors import ConfigError, DataError
from dragoman.readers.csv_folder import NO_TYPE, SELF, UNLISTED
from dragoman.readers.values import COMPOSED, CONTROL, EMPTY_ID, EMPTY_TERM, NO_FLAG, NO_TAG

HEADER = "concept_id,term,language,type,active"
TERMS = (
    HEADER,
    "007,zonnesteek (aandoening),nl,fsn,1",
    "007,zonnesteek,nl,preferred,1",
    '007,"steek, door de zon",nl-BE,synonym,true',
    "007,sunstroke,en,preferred,1",
    "008,oude naam,nl,preferred,0",
    "009,brandwond,nl_be,lay,1",
)


def test_terms_and_relations(tmp_path: Path) -> None:
    write(tmp_path / "terms.csv", *TERMS)
    write(tmp_path / "relations.csv", "source_id,type,target_id", "009,is_a,007", "007,due_to,008")
    got = read("csv", tmp_path)
    assert got.terms == [
        ("007", "zonnesteek (aandoening)", "nl", "fsn"),
        ("007", "zonnesteek", "nl", "preferred"),
        ("007", "steek, door de zon", "nl-BE", "synonym"),
        ("007", "sunstroke", "en", "preferred"),
        ("009", "brandwond", "nl-BE", "lay"),
    ]
    assert got.concepts == {"007": (True, "aandoening"), "008": (False, None), "009": (True, None)}
    assert got.relations == {("009", "is_a", "007")}
    assert got.report.skipped == {"inactive term": 1, "relation of an inactive concept": 1}
    assert [p.name for p in got.report.files] == ["terms.csv", "relations.csv"]


def test_languages_keep_their_dialects_and_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "terms.csv", *TERMS)
    got = read("csv", tmp_path, languages=("nl",), semantic_type="disorder")
    assert {t[2] for t in got.terms} == {"nl", "nl-BE"}
    assert got.report.skipped["another language (en)"] == 1
    assert got.concepts["009"] == (True, "disorder")
    assert {t[2] for t in read("csv", tmp_path, languages=("nl-BE",)).terms} == {"nl-BE"}


def test_tsv_zip_and_single_file(tmp_path: Path) -> None:
    folder = tmp_path / "voc"
    file = write(folder / "terms.tsv", HEADER.replace(",", "\t"), "1\ta, b\tnl\tsynonym\t1", end="\r\n", final=False)
    for path in (folder, file, zipped(folder, tmp_path / "voc.zip")):
        assert read("csv", path).terms == [("1", "a, b", "nl", "synonym")]


def test_bad_rows_are_rejected_with_their_line(tmp_path: Path) -> None:
    write(
        tmp_path / "terms.csv",
        HEADER,
        "1,goed,nl,preferred,1",
        ",zonder id,nl,synonym,1",
        "1, ,nl,synonym,1",
        "1,x,nl,nickname,1",
        "1,x,nl,synonym,maybe",
        "1,x,Dutch!,synonym,1",
        '1,"a\tb",nl,synonym,1',
    )
    write(tmp_path / "relations.csv", "source_id,type,target_id", "1,is_a,2", "1,is_a,1", "1,,1")
    got = read("csv", tmp_path)
    assert got.texts == {"goed": "preferred"}
    assert got.rejects == [
        ("terms.csv", 3, EMPTY_ID),
        ("terms.csv", 4, EMPTY_TERM),
        ("terms.csv", 5, NO_TYPE),
        ("terms.csv", 6, NO_FLAG),
        ("terms.csv", 7, NO_TAG),
        ("terms.csv", 8, CONTROL),
        ("relations.csv", 2, UNLISTED),
        ("relations.csv", 3, SELF),
        ("relations.csv", 4, EMPTY_ID),
    ]


def test_nfc_is_the_only_repair_and_is_counted(tmp_path: Path) -> None:
    apart = unicodedata.normalize("NFD", "viêm phế quản")
    write(tmp_path / "terms.csv", HEADER, f"1,{apart},vi,preferred,1", "2,hypothyroÃ¯die,nl,synonym,1")
    got = read("csv", tmp_path)
    assert set(got.texts) == {"viêm phế quản", "hypothyroÃ¯die"}
    assert got.report.noted == {COMPOSED: 1}


def test_sources_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a/readme.txt", "x")
    with pytest.raises(DataError, match=r"no terms\.csv"):
        read("csv", tmp_path / "a")
    write(tmp_path / "b/terms.csv", HEADER)
    with pytest.raises(DataError, match="no row below the header"):
        read("csv", tmp_path / "b")
    write(tmp_path / "b/terms.tsv", HEADER)
    with pytest.raises(DataError, match="several terms files"):
        read("csv", tmp_path / "b")
    write(tmp_path / "c/terms.csv", "concept_id;term;language", "1;a;nl")
    with pytest.raises(DataError, match=r"terms\.csv:1: missing columns .*found: concept_id;term;language"):
        read("csv", tmp_path / "c")


def test_a_source_of_which_nothing_can_be_used_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "terms.csv", HEADER, "1,x,nl,nickname,1", "2,y,nl,nickname,1")
    with pytest.raises(DataError, match=r"terms\.csv:2: nothing in it can be used: the type is none of .* \(2\)"):
        read("csv", tmp_path)


def test_options_are_checked(tmp_path: Path) -> None:
    write(tmp_path / "terms.csv", *TERMS)
    with pytest.raises(ConfigError, match=r"no option 'semantic_typ'; did you mean 'semantic_type'\?"):
        read("csv", tmp_path, semantic_typ="x")
    with pytest.raises(ConfigError, match="must be a text"):
        read("csv", tmp_path, semantic_type=3)


def test_an_unknown_format_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no terminology format 'RF-2'; did you mean 'rf2'\?"):
        read("RF-2", tmp_path)
    with pytest.raises(ConfigError, match="there are: babelon, csv"):
        read("mesh-xml-dump", tmp_path)
