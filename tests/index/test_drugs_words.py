"""The packs' drug words, and what stands beside a name."""

from __future__ import annotations

import pytest

from dragoman.folder import language
from dragoman.index.drugs_evidence import Evidence
from dragoman.index.drugs_store import Stretch
from dragoman.index.drugs_words import COMMON, SYLLABLE, Syllables, common_flags, dictionary, merge_words
from dragoman.text.tokens import tokenize

PACKS = [language(code) for code in ("vi", "en", "nl", "mul")]
EVIDENCE = Evidence(merge_words(PACKS))


@pytest.mark.parametrize(
    ("text", "announced", "dosed", "beside"),
    [
        ("thuốc X", True, False, True),
        ("thuoc X", True, False, True),
        ("nhà thuốc X", False, False, False),
        ("thuốc. X", False, False, False),
        ("het geneesmiddel X", True, False, True),
        ("X 500mg", False, True, True),
        ("X 500 mg", False, True, True),
        ("X 2,5 mg", False, True, True),
        ("X 500", False, False, False),
        ("X, 500 mg", False, False, True),
        ("X 500 người", False, False, False),
        ("uống viên X", False, False, True),
        ("slik elke dag X", False, False, False),
        ("X", False, False, False),
    ],
)
def test_evidence(text: str, announced: bool, dosed: bool, beside: bool):
    tokens = tokenize(text)
    at = tokens.keys.index("x")
    assert EVIDENCE.announced(tokens, at) is announced
    assert EVIDENCE.dosed(tokens, at + 1) is dosed
    assert EVIDENCE.beside(tokens, at, at + 1) is beside


def classes(text: str) -> list[str]:
    tokens = tokenize(text)
    found: list[Stretch] = []
    EVIDENCE.classes(tokens, found)
    return [tokens.text[slice(*tokens.span(s.first, s.last))] for s in found]


def test_classes():
    assert classes("uống thuốc kháng sinh gì") == ["thuốc kháng sinh", "kháng sinh"]
    assert classes("een bloedverdunner of NSAID's") == ["bloedverdunner", "NSAID"]
    assert classes("beta-blocker") == ["beta-blocker"]
    assert classes("khang sinh") == ["khang sinh"]
    assert classes("khảng sinh") == []


def test_words_of_a_language():
    flags = common_flags(PACKS)
    assert flags["pencil"] & COMMON
    assert flags["nguoi"] & SYLLABLE
    assert flags["huyet"] & SYLLABLE
    for name in ("paracetamol", "aspirine", "morfine", "insuline", "testosterone"):
        assert name not in flags
    assert "amsterdam" in flags or "amsterdam" in dictionary(PACKS)


@pytest.mark.parametrize(
    "word",
    [
        "nghiêng",
        "quyết",
        "thuyền",
        "giường",
        "chuyện",
        "khuỷu",
        "oằn",
        "yếu",
        "gì",
        "ừ",
        "hoà",
        "hòa",
        "nghĩ",
        "quá",
        "giặt",
    ],
)
def test_vietnamese_syllables(word: str):
    syllables = language("vi").table("syllables.toml", Syllables).all()
    assert tokenize(word).keys[0] in syllables


@pytest.mark.parametrize("word", ["amlodipin", "metformin", "the", "drug", "losartan", "vinmec", "xanax", "zantac"])
def test_what_is_no_vietnamese_syllable(word: str):
    syllables = language("vi").table("syllables.toml", Syllables).all()
    assert word == "the" or word not in syllables


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("tác dụng phụ của X", True),
        ("tac dung phu cua X", True),
        ("liều X cho người lớn", True),
        ("X có tác dụng phụ gì", True),
        ("X la thuoc gi", True),
        ("side effects of X", True),
        ("X side effects", True),
        ("tác dụng phụ của. X", False),
        ("của X", False),
        ("tác đụng phụ của X", False),
        ("thuốc nào chống chỉ định X", False),
        ("X chống chỉ định thuốc gì", False),
        ("effects of X", False),
        ("operation of X", False),
        ("X", False),
    ],
)
def test_what_is_asked_of_drugs_alone(text: str, asked: bool):
    tokens = tokenize(text)
    at = tokens.keys.index("x")
    assert EVIDENCE.asked(tokens, at, at + 1) is asked
