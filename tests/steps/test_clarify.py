"""The question back, and the answer to it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.steps.readings import HOSPITAL, frame


@pytest.mark.parametrize(
    ("text", "reason", "replies"),
    [
        ("liều [~omperazol=omeprazol]", "drug_name", ("Omeprazol",)),
        ("liều [~prednison=prednisolon|prednisone]", "drug_name", ("Prednisolon", "Prednisone")),
        ("liều [~a1=a] và [~b1=b]", "drug_name", ("A", "B")),
        ("liều [~a1=a|b|c|d] và [~b1=e]", "drug_name", ("A", "E", "B", "C")),
        ("dose of [~omperazol=omeprazol]", "drug_name", ("Omeprazol",)),
        ("Tính liều [ibuprofen] cho bé", "weight", ("8 kg", "10 kg", "12 kg", "15 kg")),
        ("liều [cetirizin] tính theo tuổi", "age", ()),
        ("Thuốc này uống mấy viên?", "drug_name", ()),
        ("Nên uống thuốc gì?", "condition", ()),
        ("[losartan] mua ở đâu?", "attribute", ("Chỉ định", "Liều dùng", "Chống chỉ định", "Tác dụng phụ")),
        ("Where can I buy [losartan]?", "attribute", ("Indications", "Dosage", "Contraindications", "Side effects")),
        ("Waar koop ik [losartan]?", "attribute", ("Indicaties", "Dosering", "Contra-indicaties", "Bijwerkingen")),
        ("qwerty", "not_understood", ()),
    ],
)
def test_why_and_with_which_replies(text: str, reason: str, replies: tuple[str, ...]) -> None:
    found = frame(text)
    assert found.needs_clarify
    assert (found.clarify_reason, found.quick_replies) == (reason, replies)
    assert found.system_error is None


def test_an_ambiguous_condition_of_a_hospital() -> None:
    found = frame("Wat is {MS=multiple sclerose|mitralisklepstenose}?", where=HOSPITAL)
    assert found.clarify_reason == "condition"
    assert found.quick_replies == ("multiple sclerose", "mitralisklepstenose")
    assert [p.kind for p in found.pending] == ["condition", "condition"]


@pytest.mark.parametrize(
    "text", ["Xin chào", "liều [warfarin]", "chống chỉ định của [?prednison]", "Tôi bị {gút} dùng thuốc gì?"]
)
def test_no_question_where_nothing_is_missing(text: str) -> None:
    found = frame(text)
    assert (found.needs_clarify, found.clarify_reason, found.quick_replies, found.pending) == (False, None, (), ())


def test_a_model_asks_back_in_its_own_words_within_bounds() -> None:
    reply = {
        "turn_type": "dosing_calc",
        "drugs": ["ibuprofen"],
        "needs_clarify": True,
        "clarify_reason": "weight",
        "quick_replies": ["5 kg", "5 kg", "6 kg", "7 kg", "8 kg", "9 kg"],
    }
    found = frame("liều [ibuprofen] cho bé", reply=reply)
    assert found.quick_replies == ("5 kg", "6 kg", "7 kg", "8 kg")
    reply = {"turn_type": "dosing_calc", "drugs": ["ibuprofen"], "needs_clarify": True, "clarify_reason": "mood"}
    assert frame("liều [ibuprofen] cho bé", reply=reply).clarify_reason == "weight"


def step(text: str, *, after: str, **more: Any) -> Any:
    """The frame of ``text`` as the answer to the question back to ``after``."""
    first = frame(after, **more)
    prior = msgspec.to_builtins(first)
    return frame(text, f"user: {after}", "bot: ?", prior=prior, **more)


@pytest.mark.parametrize("text", ["Omeprazol", "omeprazol", "đúng rồi", "vâng ạ", "ừ", "ok", "phải rồi"])
def test_a_yes_or_the_reply_itself_confirms_without_a_model(text: str) -> None:
    found = step(text, after="chống chỉ định của [~omperazol=omeprazol]")
    assert (found.drugs, found.attribute, found.turn_type) == (("omeprazol",), "chong_chi_dinh", "drug_attribute")
    assert not found.needs_clarify


@pytest.mark.parametrize(
    ("after", "text"),
    [
        ("contra-indicaties van [~omperazol=omeprazol]", "ja"),
        ("contra-indicaties van [~omperazol=omeprazol]", "ja, dat klopt"),
        ("contraindications of [~omperazol=omeprazol]", "yes, that's right"),
    ],
)
def test_a_yes_in_other_languages(after: str, text: str) -> None:
    assert step(text, after=after).drugs == ("omeprazol",)


def test_a_yes_to_two_confirms_neither() -> None:
    found = step("đúng rồi", after="liều [~prednison=prednisolon|prednisone]")
    assert found.drugs == ()


@pytest.mark.parametrize("text", ["không", "không phải", "sai rồi"])
def test_a_no_clears(text: str) -> None:
    found = step(text, after="chống chỉ định của [~omperazol=omeprazol]")
    assert (found.drugs, found.pending, found.quick_replies) == ((), (), ())
    assert found.clarify_reason == "drug_name"


def test_another_name_takes_its_place() -> None:
    found = step("không, tôi hỏi [esomeprazol]", after="chống chỉ định của [~omperazol=omeprazol]")
    assert (found.drugs, found.attribute, found.pending) == (("esomeprazol",), "chong_chi_dinh", ())


def test_a_reply_chooses_between_two() -> None:
    found = step("Prednisolon", after="liều [~prednison=prednisolon|prednisone]")
    assert (found.drugs, found.attribute) == (("prednisolon",), "lieu_luong")


def test_a_section_is_chosen() -> None:
    found = step("Liều dùng", after="[losartan] mua ở đâu?")
    assert (found.drugs, found.attribute, found.turn_type) == (("losartan",), "lieu_luong", "drug_attribute")


@pytest.mark.parametrize(("text", "kg"), [("10 kg", 10.0), ("13", 13.0), ("dạ 11 ký ạ", 11.0), ("12,5kg", 12.5)])
def test_a_weight_is_given(text: str, kg: float) -> None:
    found = step(text, after="Tính liều [ibuprofen] cho bé")
    assert (found.weight_kg, found.drugs, found.turn_type) == (kg, ("ibuprofen",), "dosing_calc")
    assert not found.needs_clarify


def test_a_condition_is_chosen() -> None:
    found = step("multiple sclerose", after="Wat is {MS=multiple sclerose|mitralisklepstenose}?", where=HOSPITAL)
    assert found.condition is not None
    assert found.condition.concept_ids == ("multiple sclerose",)
    assert found.turn_type == "condition_info"


def test_a_pending_item_that_nobody_named_is_not_confirmed() -> None:
    prior = {
        "turn_type": "drug_attribute",
        "attribute": "lieu_luong",
        "needs_clarify": True,
        "clarify_reason": "drug_name",
        "pending": [{"kind": "drug", "id": "morphin", "text": "m", "quick_reply": "Morphin"}],
        "quick_replies": ["Morphin"],
    }
    assert frame("đúng rồi", "user: liều [warfarin]", "bot: ?", prior=prior).drugs == ()
