"""Each row of the table: what is valid stays, what is not becomes the field's empty value and is named."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps.readings import FORMULARY, HOSPITAL

from dragoman.profile import read
from dragoman.steps.validate import quick_replies, shorten, validate
from dragoman.types import Condition, ContextEntry, Entities, OrganFunction, PatientContext, QueryFrame

BASE = QueryFrame(turn_type="drug_attribute", drugs=("a",))


@pytest.mark.parametrize(
    ("field", "value", "valid"),
    [
        ("turn_type", "interaction", "interaction"),
        ("turn_type", "gossip", "drug_attribute"),
        ("turn_type", "", "drug_attribute"),
        ("drugs", ("a", "a", "b"), ("a", "b")),
        ("unknown_drugs", ("x", " ", "x"), ("x",)),
        ("attribute", "than_trong", "than_trong"),
        ("attribute", "side_effects", None),
        ("population", "tre_em", "tre_em"),
        ("population", "children", None),
        ("route", "uong", "uong"),
        ("route", "by mouth", None),
        ("weight_kg", 0.5, 0.5),
        ("weight_kg", 500.0, 500.0),
        ("weight_kg", 500.1, None),
        ("weight_kg", 0.0, None),
        ("weight_kg", -3.0, None),
        ("weight_kg", float("nan"), None),
        ("weight_kg", float("inf"), None),
        ("age_text", "  ", None),
        ("age_text", " 3 tuổi ", "3 tuổi"),
        ("indication", "x" * 900, "x" * 500),
        ("condition", Condition(name=" "), None),
        ("condition_relation", "indication", "indication"),
        ("condition_relation", "friendship", None),
        ("context_action", "begin", "none"),
        ("clarify_reason", "weight", None),
        ("quick_replies", ("a",), ()),
        ("entities", Entities(conditions=("a",)), Entities()),
        ("patient_context", PatientContext(pregnancy="maybe"), PatientContext()),  # type: ignore[arg-type]
        (
            "patient_context",
            PatientContext(renal=OrganFunction(status="bad")),  # type: ignore[arg-type]
            PatientContext(renal=OrganFunction(status="unknown")),
        ),
        (
            "patient_context",
            PatientContext(allergies=(ContextEntry(text="a"), ContextEntry(text="a"), ContextEntry(text=" "))),
            PatientContext(allergies=(ContextEntry(text="a"),)),
        ),
    ],
)
def test_row(field: str, value: Any, valid: Any) -> None:
    found = validate(msgspec.structs.replace(BASE, **{field: value}), read(FORMULARY))
    assert getattr(found.frame, field) == valid
    assert (field in found.dropped) is (value != valid)


def test_without_drugs_an_unknown_turn_type_is_out_of_scope() -> None:
    assert validate(QueryFrame(turn_type="gossip"), read(FORMULARY)).frame.turn_type == "out_of_scope"
    assert validate(QueryFrame(turn_type="gossip"), read(HOSPITAL)).frame.turn_type == "out_of_scope"


@pytest.mark.parametrize("turn_type", ["smalltalk", "out_of_scope"])
def test_what_stands_alone_has_no_drugs(turn_type: str) -> None:
    found = validate(QueryFrame(turn_type=turn_type, drugs=("a",), attribute="than_trong"), read(FORMULARY)).frame
    assert (found.drugs, found.attribute) == ((), None)


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (("a", "b", "c", "d", "e"), ("a", "b", "c", "d")),
        (("Omeprazol", "omeprazol", " OMEPRAZOL "), ("Omeprazol",)),
        (("", "  ", "x"), ("x",)),
        (("amoxicilin và acid clavulanic 500 mg/125 mg viên",), ("amoxicilin và acid clavulanic 500 mg/125",)),
        (("x" * 60,), ("x" * 40,)),
        (("a\n b",), ("a b",)),
    ],
)
def test_quick_replies(texts: tuple[str, ...], kept: tuple[str, ...]) -> None:
    assert quick_replies(texts) == kept


@given(st.lists(st.text(max_size=60), max_size=8).map(tuple))
def test_quick_replies_keep_their_bounds(texts: tuple[str, ...]) -> None:
    kept = quick_replies(texts)
    assert len(kept) <= 4
    assert all(0 < len(t) <= 40 for t in kept)
    assert len({t.casefold() for t in kept}) == len(kept)
    assert quick_replies(kept) == kept


@given(st.text(max_size=80), st.integers(1, 50))
def test_shorten(text: str, most: int) -> None:
    assert len(shorten(text, most)) <= most
