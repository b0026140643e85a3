from __future__ import annotations

import pytest

from dragoman.protocols import ChatMessage, Request
from dragoman.testing import FakeProvider

SECRET = "zzwachtwoordzz"  # what the person said: it must turn up nowhere

SCHEMA = {
    "type": "object",
    "properties": {
        "turn_type": {"type": "string", "enum": ["smalltalk", "out_of_scope"]},
        "drugs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "drug_id": {"type": "string", "enum": ["zorvamine", "quellidone"]},
                    "text": {"type": "string"},
                },
                "required": ["drug_id", "text"],
                "additionalProperties": False,
            },
        },
        "weight_kg": {"anyOf": [{"type": "number"}, {"type": "null"}]},
    },
    "required": ["turn_type", "drugs", "weight_kg"],
    "additionalProperties": False,
}
GOOD = {"turn_type": "smalltalk", "drugs": [], "weight_kg": None}


def make_request(schema=SCHEMA):
    return Request(
        messages=(ChatMessage("system", "Read the turn."), ChatMessage("user", f"He said {SECRET}.")),
        schema=schema,
        prompt="test 1 abc",
        max_output_tokens=200,
    )


@pytest.fixture
def fake():
    with FakeProvider() as provider:
        yield provider
