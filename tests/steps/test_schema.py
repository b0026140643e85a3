from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.steps.schema import FIELDS, NONE, splice, template

KEYS = {"turn_type": ["ask", "smalltalk"], "attribute": ["dose", "storage"], "population": ["child"], "route": ["oral"]}
BASE = template(FIELDS, KEYS)


def objects(schema):
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


def test_every_field_is_required_and_no_other_is_allowed():
    found = list(objects(splice(BASE, ["a"])))
    assert len(found) > 5
    for schema in found:
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])


def test_a_drug_is_one_of_the_shown_ids_and_comes_with_its_words():
    drugs = splice(BASE, ["b", "a", "b"])["properties"]["drugs"]["items"]
    assert drugs["properties"]["drug_id"]["enum"] == ["a", "b"]
    assert drugs["required"] == ["drug_id", "text"]


def test_nothing_shown_leaves_no_place_for_a_drug():
    schema = splice(BASE, [])
    assert "drugs" not in schema["properties"]
    assert "drugs" not in schema["required"]


def test_the_template_stays_as_it_was():
    before = copy.deepcopy(BASE)
    splice(BASE, ["a"])
    splice(BASE, [])
    assert before == BASE


@given(st.lists(st.text(min_size=1, max_size=30), max_size=50))
def test_any_ids_make_a_schema_that_is_json(ids):
    schema = json.loads(json.dumps(splice(BASE, ids)))
    drugs = schema["properties"].get("drugs")
    assert (drugs["items"]["properties"]["drug_id"]["enum"] if drugs else []) == sorted(set(ids))


def test_within_the_limits_of_strict_modes():
    """At most 24 optional and 16 union-typed fields; no list of types; no keyword that some provider does not know."""
    text = json.dumps(BASE)
    assert text.count('"anyOf"') <= 16
    assert '"type": [' not in text
    for keyword in ("maxLength", "maxItems", "minimum", "pattern", "format", "oneOf", "default", "$ref", "title"):
        assert f'"{keyword}"' not in text


def test_keys_have_a_sentinel_but_the_turn_type_must_be_known():
    properties = BASE["properties"]
    assert properties["attribute"]["enum"] == ["dose", "storage", NONE]
    assert properties["turn_type"]["enum"] == ["ask", "smalltalk"]


def test_a_profile_without_keys_of_a_kind_has_no_such_field():
    assert "route" not in template(["turn_type", "route"], {"turn_type": ["ask"]})["properties"]


def test_a_field_that_no_reply_has():
    with pytest.raises(KeyError):
        template(["diagnosis"], KEYS)
