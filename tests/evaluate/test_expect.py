"""What holds and what does not: the comparison of golden questions, key by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from dragoman.evaluate.cases import Case
from dragoman.evaluate.expect import differences, invariants
from dragoman.types import (
    Answer,
    Condition,
    ContextEntry,
    Entities,
    Lab,
    Message,
    OrganFunction,
    PatientContext,
    Turn,
)

Make = Callable[..., Answer]


def holds(expect: dict[str, Any], answer: Answer) -> bool:
    case = msgspec.convert({"id": "a", "turn": {"text": answer.turn.text}, "expect": expect}, Case)
    return not differences(case, answer)


@pytest.mark.parametrize(
    ("named", "held"),
    [
        ({"turn_type": "dosing_calc"}, True),
        ({"turn_type": "interaction"}, False),
        ({"weight_kg": 15}, True),  # 15 and 15.0 are one number
        ({"weight_kg": 15.5}, False),
        ({"weight_kg": None}, False),
        ({"age_text": None}, True),
        ({"section_overview": True}, True),
        ({"section_overview": 1}, False),  # a number is no truth value
        ({"drugs": ["b", "a"]}, True),  # lists are sets
        ({"drugs": ["a", "b", "b"]}, True),
        ({"drugs": ["a"]}, False),
        ({"drugs": []}, False),
        ({"drugs": "a"}, False),
        ({"unknown_drugs": []}, True),
        ({"condition": {"name": "jicht"}}, True),  # within nested objects too, the named fields alone
        ({"condition": {"name": "jicht", "concept_ids": ["2", "1"]}}, True),
        ({"condition": {"name": "artrose"}}, False),
        ({"condition": None}, False),
        ({"entities": {"list_request": True}}, True),
        ({"entities": {"list_request": True, "departments": ["Reumatologie"]}}, False),
        ({"patient_context": {"allergies": ["penicillin"]}}, True),  # by its drug_id
        ({"patient_context": {"allergies": ["penicilline"]}}, True),  # or its text
        ({"patient_context": {"allergies": ["latex"]}}, False),
        ({"patient_context": {"allergies": []}}, False),
        ({"patient_context": {"allergies": [{"drug_id": "penicillin"}]}}, True),
        ({"patient_context": {"current_medications": []}}, True),
        ({"patient_context": {"renal": {"status": "impaired", "value": 30}}}, True),
        ({"patient_context": {"renal": {"value": 60}}}, False),
        ({"patient_context": {"hepatic": None}}, True),
        ({"patient_context": {"hepatic": {"status": "impaired"}}}, False),
        ({"patient_context": {"labs": [{"name": "kalium", "value": 5.1}]}}, True),
        ({"patient_context": {"labs": [{"name": "natrium"}]}}, False),
    ],
)
def test_frame_fields(answer: Make, named: dict[str, Any], held: bool) -> None:
    came = answer(
        "penicilline en jicht",
        drugs=("a", "b", "penicillin"),
        turn_type="dosing_calc",
        weight_kg=15.0,
        section_overview=True,
        condition=Condition(name="jicht", concept_ids=("1", "2")),
        entities=Entities(list_request=True),
        patient_context=PatientContext(
            allergies=(ContextEntry(text="penicilline", drug_id="penicillin"),),
            renal=OrganFunction(status="impaired", value=30.0),
            labs=(Lab(name="kalium", value=5.1),),
        ),
    )
    came = msgspec.structs.replace(came, frame=msgspec.structs.replace(came.frame, drugs=("a", "b")))
    assert holds({"frame": named}, came) is held


@pytest.mark.parametrize(
    ("expect", "held"),
    [
        ({"candidates": {"include": ["x"]}}, True),
        ({"candidates": {"include": ["catalog:x"]}}, True),  # an id may be written with its source
        ({"candidates": {"include": ["x", "y"]}}, False),
        ({"candidates": {"exclude": ["y"]}}, True),
        ({"candidates": {"exclude": ["x"]}}, False),
        ({"expansions": {"include": ["Jicht"]}}, True),
        ({"expansions": {"include": ["jicht"]}}, False),  # the entity's name as it stands
        ({"expansions": {"exclude": ["Reumatologie"]}}, False),
        ({"expansions": {"at_most": 2}}, True),
        ({"expansions": {"at_most": 1}}, False),
        ({"scope": {"subject": "human", "reason": None}}, True),
        ({"scope": {"subject": "veterinary"}}, False),
        ({"text": "x (Jicht, Reumatologie)"}, True),
        ({"text": "x"}, False),
    ],
)
def test_the_other_keys(answer: Make, expect: dict[str, Any], held: bool) -> None:
    assert holds(expect, answer("x", drugs=("x",), terms=("Jicht", "Reumatologie"))) is held


def test_a_difference_says_what_was_expected_and_what_came(answer: Make) -> None:
    case = msgspec.convert(
        {"id": "a", "turn": {"text": "x"}, "expect": {"frame": {"drugs": ["phở"]}, "text": "y"}}, Case
    )
    assert differences(case, answer("x")) == ['frame.drugs: expected ["phở"], got []', 'text: expected "y", got "x"']


@pytest.mark.parametrize(
    ("replies", "held"),
    [
        (("a", "b", "c", "d"), True),
        (("a", "b", "c", "d", "e"), False),
        (("a", "a"), False),
        (("x" * 40,), True),
        (("x" * 41,), False),
    ],
)
def test_quick_replies_are_few_short_and_different(answer: Make, replies: tuple[str, ...], held: bool) -> None:
    assert (invariants(Turn("x"), answer("x", quick_replies=replies)) == []) is held


def test_a_drug_must_stand_in_the_persons_own_words(answer: Make) -> None:
    turn = Turn("en nu?", history=(Message(role="user", text="ibu"), Message(role="assistant", text="ibu")))
    told = answer(turn, drugs=("ibuprofen",))
    framed = msgspec.structs.replace(told, frame=msgspec.structs.replace(told.frame, drugs=("ibuprofen",)))

    def at(message: int, span: tuple[int, int]) -> list[str]:
        (candidate,) = framed.candidates
        moved = msgspec.structs.replace(candidate, message=message, span=type(candidate.span)(*span))
        return invariants(turn, msgspec.structs.replace(framed, candidates=(moved,)))

    assert at(-1, (0, 2)) == []
    assert at(0, (0, 3)) == []
    assert at(1, (0, 3)) != []  # what only the assistant wrote
    assert at(7, (0, 3)) != []
    assert at(0, (0, 99)) != []
    assert at(0, (2, 2)) != []
    assert invariants(turn, msgspec.structs.replace(framed, candidates=())) != []


def test_a_drug_of_the_patients_is_bounded_too(answer: Make) -> None:
    context = PatientContext(current_medications=(ContextEntry(text="waf", drug_id="warfarin"),))
    assert invariants(Turn("waf"), answer("waf", patient_context=context)) != []
    assert invariants(Turn("waf"), answer("waf", drugs=("warfarin",), patient_context=context)) == []
