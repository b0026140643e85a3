from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.support import read, write, zipped

from dragoman.errors import DataError
from dragoman.readers.rrf import LONG, NO_LANGUAGE, SHORT
from dragoman.readers.tables import NUL


def atom(
    cui: str, term: str, source: str = "MSH", code: str = "D1", language: str = "ENG", marks: str = "S-VO-N",
    suppress: str = "N", type_: str = "ET",
) -> str:  # fmt: skip
    ts, stt, preferred = marks.split("-")
    fields = [cui, language, ts, "L1", stt, "S1", preferred, "A1", "", "", "", source, type_, code, term, "0", suppress]
    return "|".join([*fields, "", ""])


def drug(rxcui: str, term: str, source: str = "RXNORM", code: str = "", type_: str = "IN", suppress: str = "N") -> str:
    fields = [rxcui, "ENG", "", "", "", "", "", "77", "", "", "", source, type_, code or rxcui, term, "", suppress]
    return "|".join([*fields, "4096", ""])


def related(first: str, rel: str, second: str, rela: str = "", source: str = "MSH", suppress: str = "N") -> str:
    return "|".join(
        [first, "A1", "CUI", rel, second, "A2", "CUI", rela, "R1", "", source, "", "", "", suppress, "", ""]
    )


@pytest.fixture
def umls(tmp_path: Path) -> Path:
    folder = tmp_path / "META"
    write(
        folder / "MRCONSO.RRF",
        atom("C01", "Sunstroke", marks="P-PF-Y"),
        atom("C01", "Sun stroke"),
        atom("C01", "zonnesteek", "MSHDUT", "D1", "DUT", "P-PF-Y"),
        atom("C01", "too much sun", "CHV", "00042"),
        atom("C01", "sunstroke, no code", "MTH", "NOCODE"),
        atom("C01", "retired name", suppress="O"),
        atom("C02", "Injury", "SNOMEDCT_US", "000417"),
        "C03|ENG|P|L1|PF|S1|Y|A1|||D3|MSH|MH|D3|cut short",
        "",
        atom("C04", "ghost", language="XXX"),
        atom("C05", "a|b"),
        atom("C06", "nul\0"),
        atom("", "nobody"),
        final=False,
    )
    write(
        folder / "MRSTY.RRF",
        "C01|T037|A2.3|Injury or Poisoning|AT1|256|",
        "C01|T999|A1|Another|AT2|256|",
        "C99|T1|A|B|C||",
    )
    write(
        folder / "MRREL.RRF",
        related("C01", "PAR", "C02"),
        related("C02", "CHD", "C01"),
        related("C01", "RO", "C02", "has_finding_site"),
        related("C01", "RO", "C02", "finding_site_of"),
        related("C01", "SIB", "C02"),
        related("C01", "PAR", "C77"),
        related("C01", "PAR", "C01"),
        related("C01", "PAR", "C02", suppress="O"),
    )
    return folder


def test_a_release(umls: Path, tmp_path: Path) -> None:
    got = read("rrf", umls)
    assert got.terms == [
        ("C01", "Sunstroke", "en", "preferred"),
        ("C01", "Sun stroke", "en", "synonym"),
        ("C01", "zonnesteek", "nl", "preferred"),
        ("C01", "too much sun", "en", "lay"),
        ("C01", "sunstroke, no code", "en", "synonym"),
        ("C02", "Injury", "en", "synonym"),
    ]
    assert got.concepts == {"C01": (True, "Injury or Poisoning"), "C02": (True, None)}
    assert got.maps == {
        ("C01", "MSH", "D1"), ("C01", "MSHDUT", "D1"), ("C01", "CHV", "00042"), ("C02", "SNOMEDCT_US", "000417"),
    }  # fmt: skip
    assert got.relations == {("C01", "is_a", "C02"), ("C02", "finding_site", "C01"), ("C01", "finding_site", "C02")}
    assert [(line, reason) for _, line, reason in got.rejects] == [
        (8, SHORT), (10, NO_LANGUAGE), (11, LONG), (12, NUL), (13, "empty id"),
    ]  # fmt: skip
    assert read("rrf", zipped(umls, tmp_path / "umls.zip")).rows == got.rows


def test_sources_languages_and_names_of_systems(umls: Path) -> None:
    got = read("rrf", umls, sources=["SNOMEDCT_US"], systems={"SNOMEDCT_US": "sct"}, semantic_type="x")
    assert got.texts == {"Injury": "synonym"}
    assert got.maps == {("C02", "sct", "000417")}
    assert got.concepts == {"C02": (True, "x")}
    dutch = read("rrf", umls, languages=("nl",))
    assert dutch.texts == {"zonnesteek": "preferred"}
    assert len(dutch.maps) == 4


def test_rxnorm_and_the_subset_it_ships_inside(tmp_path: Path) -> None:
    rows = [
        drug("44", "mesna"),
        drug("44", "MESNA", "VANDF", "4019477"),
        drug("44", "Mesnum synonym", type_="SY"),
        drug("44", "old", type_="SY", suppress="E"),
        drug("50", "Mesnex", type_="BN"),
    ]
    write(tmp_path / "rrf/RXNCONSO.RRF", *rows)
    write(tmp_path / "prescribe/rrf/RXNCONSO.RRF", *rows[:1])
    write(tmp_path / "rrf/RXNREL.RRF", related("44", "RO", "50", "tradename_of", "RXNORM"))
    sab = ["C1", "", "RXNORM_20AA", "RXNORM", "RxNorm", "RXNORM", "20AA_260302F", *[""] * 14, "Y", "", "", ""]
    write(tmp_path / "rrf/RXNSAB.RRF", "|".join([*sab, ""]))
    got = read("rrf", tmp_path)
    assert got.texts == {"mesna": "preferred", "MESNA": "synonym", "Mesnum synonym": "synonym", "Mesnex": "preferred"}
    assert got.maps == {("44", "VANDF", "4019477")}
    assert got.relations == {("50", "tradename_of", "44")}
    assert got.report.version == "20AA_260302F"
    assert len(got.terms) == 4


def test_a_single_file_of_any_name(tmp_path: Path) -> None:
    assert read("rrf", write(tmp_path / "names_2026.RRF", drug("44", "mesna"))).texts == {"mesna": "preferred"}


def test_sources_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a/MRSTY.RRF", "x")
    with pytest.raises(DataError, match=r"no MRCONSO\.RRF"):
        read("rrf", tmp_path / "a")
    with pytest.raises(DataError, match="empty"):
        read("rrf", write(tmp_path / "MRCONSO.RRF", "", ""))
