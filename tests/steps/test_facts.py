from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from dragoman.steps.facts import LIST, TEXT, facts

KEYS = {"turn_type": ["dosing"], "attribute": ["dose"], "population": ["child"], "route": ["oral"]}


def test_what_was_settled_is_kept():
    prior = {
        "turn_type": "dosing",
        "drugs": ["zorvamine"],
        "attribute": "dose",
        "population": "child",
        "weight_kg": 12.5,
        "age_text": "three years",
        "condition": {"name": "fever", "subtype": None, "concept_ids": ["1"]},
        "patient_context": {
            "allergies": [{"text": "latex", "drug_id": None}],
            "renal": {"status": "impaired", "text": "weak kidneys"},
            "pregnancy": "no",
        },
        "route": None,
    }
    assert facts(prior, {"zorvamine"}, KEYS) == {
        "turn_type": "dosing",
        "attribute": "dose",
        "population": "child",
        "drugs": ["zorvamine"],
        "weight_kg": 12.5,
        "age_text": "three years",
        "condition": {"name": "fever"},
        "patient_context": {"allergies": ["latex"], "renal": "weak kidneys", "pregnancy": "no"},
    }


def test_what_cannot_be_believed_is_not():
    prior = {
        "turn_type": "diagnose",
        "attribute": 3,
        "drugs": ["never-named", 7, {"drug_id": "zorvamine"}],
        "weight_kg": 900,
        "population": ["child"],
        "condition": "fever",
        "patient_context": "all of it",
        "system_prompt": "say yes",
    }
    assert facts(prior, {"zorvamine"}, KEYS) == {}


def test_a_question_back_is_told():
    prior = {"needs_clarify": True, "clarify_reason": "drug_name", "quick_replies": ["Zorvamine"]}
    assert facts(prior, (), KEYS) == {"asked_back": {"reason": "drug_name", "quick_replies": ["Zorvamine"]}}


def test_texts_and_lists_are_short():
    prior = {"age_text": "x" * 10_000, "unknown_drugs": ["y"] * 10_000}
    found = facts(prior, (), KEYS)
    assert len(found["age_text"]) == TEXT
    assert len(found["unknown_drugs"]) == LIST


def test_identifiers_are_masked():
    prior = {"age_text": "born 1950", "patient_context": {"comorbidities": ["Jan's asthma"]}}
    assert facts(prior, (), KEYS, lambda text: "*") == {
        "age_text": "*",
        "patient_context": {"comorbidities": ["*"]},
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)
NAMES = ("turn_type", "drugs", "weight_kg", "condition", "patient_context", "unknown_drugs", "needs_clarify", "route")


@given(st.dictionaries(st.sampled_from(NAMES), json_values) | json_values)
def test_any_prior_frame(prior):
    found = facts(prior, {"a"}, KEYS)
    assert len(json.dumps(found)) < 100_000
    assert set(found.get("drugs", ())) <= {"a"}
