"""What set each field of a frame, as the trace says it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dragoman import Dragoman
from dragoman.steps.provenance import FIELDS, STEP
from dragoman.types import Answer, Message, QueryFrame, Turn


@pytest.fixture(scope="module")
def formulary() -> Dragoman:
    return Dragoman.demo("formulary")


def told(answer: Answer) -> dict[str, str]:
    (row,) = [r for r in answer.trace if r.step == STEP]
    return dict(part.split(": ", 1) for part in (row.note or "").split("; ") if part)


def test_every_field_but_those_that_say_it_themselves_is_told_apart() -> None:
    names = {name.partition(".")[0] for name in FIELDS}
    assert names == set(QueryFrame.__struct_fields__) - {"understood_by", "system_error"}


def test_what_the_rules_read_is_theirs(formulary: Dragoman) -> None:
    found = told(formulary.ask("amoxicillin 500 cho bé 12 kg", without=["offline"]))
    assert found["drugs"] == found["weight_kg"] == "rules"


def test_every_field_with_a_value_is_told_and_no_other(formulary: Dragoman) -> None:
    answer = formulary.ask("amoxicillin 500 cho bé 12 kg bị dị ứng penicillin")
    found = told(answer)
    frame: dict[str, Any] = msgspec.to_builtins(answer.frame)
    for name in FIELDS:
        outer, _, inner = name.partition(".")
        value = frame[outer][inner] if inner else frame[outer]
        empty = value in (None, (), [], "", False, "none")
        assert empty == (found.get(name, "dropped") == "dropped"), name


def test_what_an_earlier_turn_said_is_merged(formulary: Dragoman) -> None:
    first = "amoxicillin 500 cho bé 12 kg"
    before = formulary.ask(first)
    turn = Turn(
        "còn tác dụng phụ?",
        history=(Message(role="user", text=first),),
        prior_frame=msgspec.to_builtins(before.frame),
    )
    found = told(formulary.ask(turn, without=["offline"]))
    assert found["drugs"] == found["weight_kg"] == "merge"
    assert found["standalone_query"] == "standalone"
    assert found["attribute"] == "rules"


def test_a_models_values_are_told_from_what_was_dropped_and_added(formulary: Dragoman) -> None:
    reply = {
        "turn_type": "drug_attribute",
        "attribute": "tac_dung_khong_mong_muon",
        "drugs": [{"id": "amoxicilin", "text": "amoxicillin"}],
        "route": "no such route",
        "weight_kg": 9999,
    }
    found = told(formulary.ask("amoxicillin và Aspirinol có tác dụng phụ gì?", reply=reply))
    assert found["drugs"] == found["attribute"] == "model"
    assert found["unknown_drugs"] == "rules"
    assert found["route"] == found["weight_kg"] == "dropped"


def test_the_trace_holds_none_of_the_persons_words(formulary: Dragoman) -> None:
    answer = formulary.ask("amoxicillin 500 cho bé Ngọc Zwaluwstraat 12 kg")
    (row,) = [r for r in answer.trace if r.step == STEP]
    assert "Zwaluwstraat" not in (row.note or "")
    assert "amoxi" not in (row.note or "")
