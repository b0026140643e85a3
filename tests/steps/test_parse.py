"""From raw answers to replies or faults."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.reply import Fault, Reply, ReplyDrug
from dragoman.steps.parse import FAULTS, MALFORMED, REFUSED, UNAVAILABLE, parse, parse_fault

GOOD = '{"turn_type": "smalltalk", "drugs": []}'


@pytest.mark.parametrize(
    "raw",
    [
        GOOD,
        f"  \n{GOOD}\n",
        f"```json\n{GOOD}\n```",
        "\ufeff" + GOOD,
        GOOD.encode(),
        json.loads(GOOD),
    ],
)
def test_one_object_is_a_reply(raw: Any) -> None:
    found = parse(raw)
    assert isinstance(found, Reply)
    assert found.turn_type == "smalltalk"


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ("", "empty"),
        ("   ", "empty"),
        (None, "empty"),
        ("I cannot do that.", "not_json"),
        ("[]", "not_json"),
        ('"text"', "not_json"),
        ("<html><body>502</body></html>", "html"),
        (GOOD[:-1], "truncated"),
        ('{"turn_type": "smalltalk", "drugs": ["warf', "truncated"),
        ('{"a": {"turn_type": "smalltalk"}', "truncated"),
        (GOOD + '{"turn_type": "interaction"}', "malformed"),
        (f"{GOOD}\n{GOOD}", "malformed"),
        (f"Here is the frame:\n{GOOD}", "not_json"),
        (f"Here is the frame:\n```json\n{GOOD}\n```", "not_json"),
        (f"{GOOD}\nLet me know!", "malformed"),
        (GOOD + ' {"turn_type', "malformed"),
        ('{"weight_kg": NaN}', "truncated"),
        ("{" * 100_000, "truncated"),
        ("x" * 300_000, "too_large"),
    ],
)
def test_what_is_no_reply_is_malformed(raw: str | None, kind: str) -> None:
    assert parse(raw) == Fault(code=MALFORMED, kind=kind)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("timeout", UNAVAILABLE),
        ("slow_drip", UNAVAILABLE),
        ("connection", UNAVAILABLE),
        ("rate_limit", UNAVAILABLE),
        ("429", UNAVAILABLE),
        ("500", UNAVAILABLE),
        ("circuit_open", UNAVAILABLE),
        ("malformed", MALFORMED),
        ("truncated", MALFORMED),
        ("empty", MALFORMED),
        ("html", MALFORMED),
        ("too_large", MALFORMED),
        ("not_json", MALFORMED),
        ("refusal", REFUSED),
        ("content-filter", REFUSED),
        ("Content Filter", REFUSED),
        ("something new", UNAVAILABLE),
    ],
)
def test_fault_names(kind: str, code: str) -> None:
    assert parse_fault(kind).code == code
    assert set(FAULTS.values()) == {UNAVAILABLE, MALFORMED, REFUSED}


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("turn_type", 3, None),
        ("turn_type", " interaction ", "interaction"),
        ("attribute", "none", None),
        ("attribute", "", None),
        ("weight_kg", "12", None),
        ("weight_kg", True, None),
        ("weight_kg", 12, 12.0),
        ("weight_kg", 1e300, None),
        ("weight_kg", None, None),
        ("needs_clarify", "yes", False),
        ("needs_clarify", True, True),
        ("quick_replies", "x", ()),
        ("quick_replies", ["a", 1, "a", "b"], ("a", "b")),
        ("condition_relation", "unknown", "unknown"),
        ("condition_relation", "none", None),
        ("condition", {"name": ""}, None),
        ("condition", [], None),
        ("drugs", ["a"], (ReplyDrug(id="a"),)),
        ("drugs", [{"drug_id": "a", "text": "A"}], (ReplyDrug(id="a", text="A"),)),
        ("drugs", [{"text": "A"}], (ReplyDrug(id="A", text="A"),)),
        ("drugs", [1, {}, None, ""], ()),
        ("drugs", "a", ()),
    ],
)
def test_wrong_types_are_left_out(field: str, value: Any, kept: Any) -> None:
    found = parse({field: value})
    assert isinstance(found, Reply)
    assert getattr(found, field) == kept


def test_what_is_left_out_is_named_without_its_content() -> None:
    found = parse({"turn_type": 3, "weight_kg": "Jan Peeters", "colour": "red"})
    assert isinstance(found, Reply)
    assert found.dropped == ("turn_type", "weight_kg", "unknown field")


def test_the_sentinels_of_the_wire_are_nothing() -> None:
    found = parse(
        {
            "turn_type": "drug_attribute",
            "attribute": "none",
            "age_text": "",
            "condition": {"name": "", "subtype": "", "ambiguous": False},
            "condition_relation": "none",
            "patient_context": {"renal": {"status": "none", "value": None, "unit": "", "measure": "", "text": ""}},
            "clarify_reason": "none",
        }
    )
    assert found == Reply(turn_type="drug_attribute", raw=found.raw)  # type: ignore[union-attr]


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*"abc", "text", "name", "id"]), inner),
    max_leaves=6,
)
FIELDS = st.sampled_from(sorted(set(Reply.__struct_fields__) - {"raw", "dropped", "evidence"}))


@given(st.dictionaries(FIELDS, JSON, max_size=5))
def test_any_object_is_a_reply(data: dict[str, Any]) -> None:
    assert isinstance(parse(data), Reply)


@given(st.text(max_size=60) | st.binary(max_size=60))
def test_any_answer_is_a_reply_or_a_fault(raw: str | bytes) -> None:
    assert isinstance(parse(raw), Reply | Fault)
