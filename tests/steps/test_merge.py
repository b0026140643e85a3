"""Inheritance: when, what, and the guards; and that nothing is ever made up."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps.readings import FORMULARY, frame

from dragoman.profile import read
from dragoman.steps.merge import merge
from dragoman.steps.validate import validate
from dragoman.types import Condition, ContextEntry, Lab, OrganFunction, PatientContext, QueryFrame

TABLE = read(FORMULARY)
PRIOR = QueryFrame(
    turn_type="dosing_calc",
    drugs=("a",),
    attribute="lieu_luong",
    population="tre_em",
    weight_kg=12.0,
    age_text="3 tuổi",
    route="uong",
    patient_context=PatientContext(allergies=(ContextEntry(text="x", drug_id="x"),), pregnancy="no"),
)


def inherited(frame: QueryFrame, prior: QueryFrame | None = PRIOR, *, answers: bool = True) -> set[str]:
    return set(merge(frame, prior, TABLE, answers=answers).inherited)


ALL = {"drugs", "attribute", "population", "weight_kg", "age_text", "route", "patient_context"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"context_action": "continue"}, ALL),
        ({"depends_on_previous_turn": True}, ALL),
        ({}, set()),
        ({"context_action": "new", "depends_on_previous_turn": True}, set()),
        ({"context_action": "continue", "drugs": ("b",)}, set()),
        ({"context_action": "continue", "drugs": ("a",)}, ALL - {"drugs"}),
        ({"context_action": "continue", "drugs": ("a", "b")}, set()),
        ({"context_action": "continue", "unknown_drugs": ("z",)}, set()),
        ({"context_action": "continue", "turn_type": "smalltalk"}, set()),
        ({"context_action": "continue", "turn_type": "out_of_scope"}, set()),
        ({"context_action": "continue", "turn_type": "symptom_to_drug"}, ALL - {"drugs", "attribute"}),
        ({"context_action": "continue", "attribute": "bao_quan"}, ALL - {"attribute"}),
        ({"context_action": "continue", "weight_kg": 20.0}, ALL - {"weight_kg"}),
        ({"context_action": "continue", "population": "nguoi_lon"}, {"drugs", "attribute", "route"}),
        ({"context_action": "continue", "population": "suy_than"}, ALL - {"population"}),
        ({"context_action": "continue", "turn_type": ""}, ALL | {"turn_type"}),
    ],
)
def test_when_and_what(changes: dict[str, Any], expected: set[str]) -> None:
    frame = msgspec.structs.replace(QueryFrame(turn_type="drug_attribute"), **changes)
    assert inherited(frame) == expected


def test_a_question_back_lets_its_answer_inherit() -> None:
    asked = msgspec.structs.replace(PRIOR, needs_clarify=True, clarify_reason="weight", weight_kg=None)
    answer = QueryFrame(turn_type="", weight_kg=10.0)
    assert inherited(answer, asked) >= {"drugs", "turn_type", "population"}
    assert inherited(answer, asked, answers=False) == set()


def test_without_a_prior_frame() -> None:
    assert merge(QueryFrame(context_action="continue"), None, TABLE).note == "no prior frame"


def test_lists_are_united_and_own_facts_stand() -> None:
    own = PatientContext(allergies=(ContextEntry(text="y"),), pregnancy="pregnant")
    frame = QueryFrame(turn_type="drug_attribute", context_action="continue", patient_context=own)
    found = merge(frame, PRIOR, TABLE).frame.patient_context
    assert [e.text for e in found.allergies] == ["y", "x"]
    assert found.pregnancy == "pregnant"


ENTRY = st.builds(ContextEntry, text=st.sampled_from("xyz"), drug_id=st.sampled_from([None, "d", "e"]))
ENTRIES = st.lists(ENTRY, max_size=2).map(tuple)
NUMBER = st.sampled_from([None, 5.0, 7.0])
ORGAN = st.none() | st.builds(OrganFunction, status=st.sampled_from(["impaired", "normal"]), value=NUMBER)
CONTEXT = st.builds(
    PatientContext,
    comorbidities=ENTRIES,
    allergies=ENTRIES,
    current_medications=ENTRIES,
    renal=ORGAN,
    pregnancy=st.sampled_from([None, "pregnant", "no"]),
    labs=st.lists(st.builds(Lab, name=st.sampled_from("pq"), text=st.sampled_from("pq")), max_size=2).map(tuple),
)
FRAMES = st.builds(
    QueryFrame,
    turn_type=st.sampled_from(["", *TABLE.turn_types]),
    drugs=st.lists(st.sampled_from("ab"), max_size=2, unique=True).map(tuple),
    unknown_drugs=st.lists(st.sampled_from("uv"), max_size=1).map(tuple),
    attribute=st.sampled_from([None, *TABLE.attributes[:3]]),
    population=st.sampled_from([None, *TABLE.populations]),
    weight_kg=NUMBER,
    age_text=st.sampled_from([None, "3", "4"]),
    indication=st.sampled_from([None, "i"]),
    condition=st.none() | st.builds(Condition, name=st.sampled_from("mn")),
    condition_relation=st.sampled_from([None, "indication", "unknown"]),
    patient_context=CONTEXT,
    context_action=st.sampled_from(["none", "continue", "new"]),
    route=st.sampled_from([None, *TABLE.routes[:2]]),
    depends_on_previous_turn=st.booleans(),
    needs_clarify=st.booleans(),
)


@given(FRAMES, st.none() | FRAMES, st.booleans())
def test_nothing_is_made_up_and_the_own_stands(frame: QueryFrame, prior: QueryFrame | None, answers: bool) -> None:
    merged = merge(frame, prior, TABLE, answers=answers).frame
    held = [frame, *([prior] if prior else [])]
    for field in QueryFrame.__struct_fields__:
        value = getattr(merged, field)
        if field != "patient_context":
            assert value in [getattr(f, field) for f in held]
        if getattr(frame, field) not in (None, (), "", PatientContext()) and field not in {
            "turn_type",
            "patient_context",
        }:
            assert value == getattr(frame, field)
    for field in PatientContext.__struct_fields__:
        value = getattr(merged.patient_context, field)
        theirs = [getattr(f.patient_context, field) for f in held]
        if isinstance(value, tuple):
            assert set(value) <= {e for entries in theirs for e in entries}
            assert set(theirs[0]) <= set(value)
        else:
            assert value in theirs


@given(FRAMES)
def test_validate_is_idempotent(frame: QueryFrame) -> None:
    once = validate(frame, TABLE).frame
    again = validate(once, TABLE)
    assert again.frame == once
    assert again.dropped == ()


@pytest.mark.parametrize(
    ("text", "attribute", "kept"),
    [
        ("có dùng khi suy thận được không", "lieu_luong", None),
        ("có dùng khi suy thận được không", "chong_chi_dinh", "chong_chi_dinh"),
        ("Mag het ook bij nierfalen?", "bao_quan", None),
        ("Can it be used in renal failure?", "lieu_luong", None),
        ("còn người suy thận thì sao", "lieu_luong", "lieu_luong"),
    ],
)
def test_whether_it_may_be_is_a_question_of_its_own(text: str, attribute: str, kept: str | None) -> None:
    prior = {"turn_type": "drug_attribute", "drugs": ["metformin"], "attribute": attribute}
    asked = frame(text, "user: [metformin]?", prior=prior)
    assert asked.drugs == ("metformin",)
    assert asked.attribute == kept


def test_an_effect_is_asked_of_the_drug_before() -> None:
    prior = {"turn_type": "drug_attribute", "drugs": ["cefixim"], "attribute": "lieu_luong"}
    asked = frame("Dạ có bị {*nổi mẩn} không", "user: Liều [cefixim]?", prior=prior)
    assert (asked.drugs, asked.attribute) == (("cefixim",), "tac_dung_khong_mong_muon")
