"""Drugs that a turn sets aside, and those that it asks about all the same."""

from __future__ import annotations

import pytest

from dragoman.evidence.excluded import without_excluded
from dragoman.evidence.names import Drug
from dragoman.folder import language
from dragoman.text.tokens import tokenize
from dragoman.types import Span

NAMES = ("paracetamol", "ibuprofen", "aspirin", "warfarin", "codein")


def asked(code: str, text: str) -> list[str]:
    lower = text.lower()
    named = [Drug(Span(lower.index(n), lower.index(n) + len(n)), n, (n,), "exact", (n,)) for n in NAMES if n in lower]
    named.sort(key=lambda d: d.span)
    found = without_excluded(tokenize(text), named, language(code))
    return [d.text for d in found if d.role == "asked"]


@pytest.mark.parametrize(
    ("code", "text", "left"),
    [
        ("en", "not paracetamol but ibuprofen", ["ibuprofen"]),
        ("en", "not paracetamol or aspirin but ibuprofen", ["ibuprofen"]),
        ("en", "non-aspirin painkiller", []),
        ("en", "aspirin-free pain reliever", []),
        ("en", "a syrup without codein", []),
        ("en", "paracetamol instead of ibuprofen", ["paracetamol"]),
        ("en", "I have never taken aspirin, may I take ibuprofen", ["ibuprofen"]),
        ("en", "I am not on warfarin, is ibuprofen ok", ["ibuprofen"]),
        ("nl", "niet paracetamol maar ibuprofen", ["ibuprofen"]),
        ("nl", "pijnstiller zonder paracetamol", []),
        ("nl", "hoestdrank die geen codein bevat", []),
        ("nl", "ik slik niet langer aspirin, mag ik ibuprofen", ["ibuprofen"]),
        ("nl", "paracetamol in plaats van ibuprofen", ["paracetamol"]),
        ("nl", "ik heb nooit aspirin gebruikt, mag ik ibuprofen", ["ibuprofen"]),
        ("vi", "không phải paracetamol mà là ibuprofen", ["ibuprofen"]),
        ("vi", "thuốc giảm đau không chứa paracetamol", []),
        ("vi", "tôi không uống aspirin, tôi uống ibuprofen được không", ["ibuprofen"]),
        ("vi", "tôi đã ngừng warfarin, giờ uống ibuprofen được không", ["ibuprofen"]),
        ("vi", "tôi đã bỏ aspirin, uống ibuprofen được không", ["ibuprofen"]),
        ("vi", "chưa từng uống aspirin, dùng ibuprofen được không", ["ibuprofen"]),
        ("vi", "thay vì ibuprofen tôi uống paracetamol được không", ["paracetamol"]),
        ("de", "nicht Paracetamol sondern Ibuprofen", ["ibuprofen"]),
        ("de", "Schmerzmittel ohne Paracetamol", []),
        ("de", "ich habe Warfarin abgesetzt, darf ich Ibuprofen nehmen", ["ibuprofen"]),
        ("de", "Paracetamol statt Ibuprofen", ["paracetamol"]),
    ],
)
def test_what_is_set_aside_is_not_asked_about(code: str, text: str, left: list[str]):
    assert asked(code, text) == left


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "what can I take instead of ibuprofen"),
        ("en", "why can I not take aspirin with warfarin"),
        ("en", "is there ibuprofen without prescription"),
        ("en", "ibuprofen and paracetamol"),
        ("en", "is aspirin free of charge"),
        ("en", "how is ibuprofen different than paracetamol"),
        ("nl", "is ibuprofen anders dan paracetamol"),
        ("vi", "ibuprofen khác paracetamol ở chỗ nào"),
        ("vi", "ibuprofen khác với paracetamol thế nào"),
        ("de", "ist Ibuprofen anders als Paracetamol"),
        ("nl", "waarom mag ik geen aspirin bij warfarin"),
        ("nl", "wat neem ik in plaats van ibuprofen"),
        ("nl", "mag ik ibuprofen met paracetamol"),
        ("vi", "tại sao không uống aspirin với warfarin"),
        ("vi", "không uống aspirin thì có sao không"),
        ("vi", "em chưa từng uống ibuprofen, liều bao nhiêu"),
        ("vi", "paracetamol và ibuprofen uống chung được không"),
        ("de", "was statt Ibuprofen nehmen"),
        ("de", "darf ich Ibuprofen mit Paracetamol nehmen"),
    ],
)
def test_what_the_question_is_about_stays(code: str, text: str):
    assert asked(code, text) == [n for n in sorted(NAMES, key=lambda n: text.lower().find(n)) if n in text.lower()]


def test_an_allergy_is_not_overruled():
    text = "not aspirin but ibuprofen"
    named = [Drug(Span(4, 11), "aspirin", ("aspirin",), "exact", ("aspirin",), "allergy")]
    assert without_excluded(tokenize(text), named, language("en"))[0].role == "allergy"
