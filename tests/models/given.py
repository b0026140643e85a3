"""What the tests of the model call share."""

from __future__ import annotations

from typing import Any

from dragoman.protocols import ChatMessage, Request

SECRET = "zzwachtwoordzz"  # what the person said: it must turn up nowhere

SCHEMA: dict[str, Any] = {
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
GOOD: dict[str, Any] = {"turn_type": "smalltalk", "drugs": [], "weight_kg": None}


def make_request(schema=SCHEMA):
    return Request(
        messages=(ChatMessage("system", "Read the turn."), ChatMessage("user", f"He said {SECRET}.")),
        schema=schema,
        prompt="test 1 abc",
        max_output_tokens=200,
    )
