"""Every pack's identifiers are masked as its own examples say, and nothing that a medical question needs is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman import folder
from dragoman.text.redact import masker, patterns_of

CODES = ("mul", "nl", "vi", "en", "de")
PATTERNS = [(code, pattern) for code in CODES for pattern in patterns_of(folder.language(code))]
ALL = masker(folder.language(code) for code in CODES)

# Numbers, units and names that a question lives on, in the three languages.
MEDICAL = (
    "paracetamol 500 mg 3x/dag, kind van 12,5 kg, eGFR 45 ml/min/1,73 m²",
    "creatinine 120 µmol/l, bloeddruk 140/90, HbA1c 53 mmol/mol op 12/11/2026",
    "vitamine D 25.000 IE per maand, 1000 IE per dag, kamer 4021",
    "bé 14 kg uống paracetamol 10-15 mg/kg mỗi 4-6 giờ, sốt 38,5 độ",
    "acid acetylsalicylic 81 mg, INR 2.5, tiểu cầu 150000",
    "heparin 5000 units, CHA2DS2-VASc 3, type 2 diabetes since 2010",
    "wie is dokter Janssens van cardiologie?",
    "bác sĩ Nguyễn Văn An khám khoa nào?",
)


@pytest.mark.parametrize(("code", "pattern"), PATTERNS, ids=[f"{c}-{p.name}" for c, p in PATTERNS])
def test_examples(code, pattern):
    pack = folder.language(code)
    mask = masker([pack])
    for example in pattern.examples:
        for text in (example, f"x {example} y", unicodedata.normalize("NFD", example)):
            assert "[" in mask(text), text
    for text in pattern.spare:
        assert mask(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("text", MEDICAL)
def test_what_a_question_needs_stays(text):
    assert ALL(text) == text


def test_only_the_name_behind_the_cue_goes():
    assert ALL("Mijn naam is Jan van den Berg en ik heb astma") == "Mijn naam is [naam] en ik heb astma"
    assert ALL("Tôi tên là Nguyễn Thị Ánh, bị đau đầu") == "Tôi tên là [tên], bị đau đầu"
    assert ALL("My name is Jane Roe. Is aspirin safe?") == "My name is [name]. Is aspirin safe?"


@given(st.text(max_size=300))
def test_any_text(text):
    masked = ALL(text)
    assert ALL(masked) == masked


def test_long_hostile_texts_take_no_time():
    for piece in ("0 1 ", "a.", "1-", "Mijn naam is A ", "AA11 ", "@", "+1 "):
        ALL(piece * 2000)
