"""Drugs that a turn sets aside, and those that it asks about all the same."""

from __future__ import annotations

import pytest

from dragoman.evidence.excluded import without_excluded
from dragoman.evidence.names import Condition, Drug
from dragoman.folder import language
from dragoman.text.context import Assertion
from dragoman.text.tokens import tokenize
from dragoman.types import Span

NAMES = ("paracetamol", "ibuprofen", "aspirin", "warfarin", "codein")


def asked(code: str, text: str) -> list[str]:
    lower = text.lower()
    named = [Drug(Span(lower.index(n), lower.index(n) + len(n)), n, (n,), "exact", (n,)) for n in NAMES if n in lower]
    named.sort(key=lambda d: d.span)
    found = without_excluded(tokenize(text), named, [], language(code), relatives=False)
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
        ("vi", "tôi hỏi paracetamol chứ không hỏi ibuprofen", ["paracetamol"]),
        ("vi", "trả lời luôn là aspirin: tác dụng phụ của codein", ["codein"]),
        ("nl", "antwoord alleen met aspirin. bijwerkingen van codein?", ["codein"]),
        ("en", "answer only with 'aspirin'. side effects of codein?", ["codein"]),
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
    assert without_excluded(tokenize(text), named, [], language("en"), relatives=False)[0].role == "allergy"


SICK = ("angioedema", "stomach ulcer", "phù mạch", "loét dạ dày", "haaruitval", "maagzweer", "geschwür", "haarausfall")


def roles(code: str, text: str, *, denied: bool = False, family: bool = False) -> dict[str, str]:
    lower = text.lower()
    named = [Drug(Span(lower.index(n), lower.index(n) + len(n)), n, (n,), "exact", (n,)) for n in NAMES if n in lower]
    named.sort(key=lambda d: d.span)
    said = Assertion(negated="no" if denied else None, family="my mother" if family else None)
    sick = [
        Condition(Span(lower.index(n), lower.index(n) + len(n)), n, (n,), (n,), symptom=False, said=said)
        for n in SICK
        if n in lower
    ]
    found = without_excluded(tokenize(text), named, sick, language(code), relatives=False)
    return {d.text: d.role for d in found}


@pytest.mark.parametrize(
    ("code", "text", "cause"),
    [
        ("en", "I had angioedema from aspirin, can I take codein?", "aspirin"),
        ("en", "my stomach ulcer caused by ibuprofen has healed, may I take paracetamol", "ibuprofen"),
        ("en", "Codein gave me a bad rash. Is paracetamol an option?", "codein"),
        ("nl", "ik kreeg haaruitval van warfarin, kan ik aspirin nemen", "warfarin"),
        ("nl", "van ibuprofen kreeg ik een maagzweer, mag paracetamol wel", "ibuprofen"),
        ("nl", "codein gaf me jeuk, mag ik paracetamol", "codein"),
        ("vi", "tôi từng bị phù mạch do ibuprofen, giờ uống paracetamol được không", "ibuprofen"),
        ("vi", "em bi loét dạ dày vì aspirin rồi, dùng paracetamol được không", "aspirin"),
        ("vi", "mẹ bị ho do codein nên đổi sang paracetamol, liều sao", "codein"),
        ("vi", "bị nhức đầu sau khi uống warfarin, uống paracetamol được không", "warfarin"),
        ("vi", "uống aspirin vào là bị loét dạ dày, dùng paracetamol thay được không", "aspirin"),
        ("de", "ich bekam Haarausfall durch Warfarin, darf ich Aspirin nehmen", "warfarin"),
        ("de", "Von Codein bekam ich Ausschlag, geht Paracetamol", "codein"),
    ],
)
def test_what_a_complaint_came_from_is_a_reaction_where_another_drug_is_asked_about(code: str, text: str, cause: str):
    found = roles(code, text)
    assert found.pop(cause) == "reaction"
    assert set(found.values()) == {"asked"}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I had angioedema from aspirin, what now?"),
        ("en", "the risk of stomach ulcer from aspirin, is it higher than with ibuprofen"),
        ("en", "is the stomach ulcer from aspirin or from ibuprofen"),
        ("en", "stomach ulcer due to aspirin and ibuprofen"),
        ("nl", "komt de haaruitval door warfarin of door aspirin"),
        ("nl", "risico op maagzweer door aspirin met ibuprofen"),
        ("vi", "phù mạch do aspirin thì làm sao"),
        ("vi", "phù mạch do aspirin hay do ibuprofen"),
        ("vi", "có phải loét dạ dày do aspirin không, hay codein"),
        ("vi", "đang uống warfarin mà bị loét dạ dày thì uống paracetamol được không"),
        ("vi", "nguy cơ loét dạ dày do aspirin có cao hơn ibuprofen không"),
        ("de", "kommt der Haarausfall von Warfarin oder von Aspirin"),
    ],
)
def test_whether_a_drug_is_the_cause_is_a_question_about_it(code: str, text: str):
    assert set(roles(code, text).values()) == {"asked"}


def test_a_reaction_that_is_denied_or_a_relative_s_is_none_of_the_patient_s():
    text = "I had angioedema from aspirin, can I take codein?"
    assert roles("en", text, denied=True)["aspirin"] == "asked"
    assert roles("en", text, family=True)["aspirin"] == "asked"


@pytest.mark.parametrize(
    "text",
    [
        "ngừng warfarin rồi chuyển sang aspirin thì liều sao",
        "bỏ ibuprofen, đổi qua aspirin được không",
    ],
)
def test_a_drug_that_is_left_for_another_is_set_aside(text: str):
    assert roles("vi", text)["aspirin"] == "asked"
    assert "asked" not in {r for d, r in roles("vi", text).items() if d != "aspirin"}
