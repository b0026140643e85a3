"""The JSON schema that a reply must keep to: made from the profile's fields and keys, with this turn's ids spliced in.

Three rules keep it within what every provider's strict mode takes. Every field is required and nothing else is allowed.
What was not said has a sentinel (``""``, ``"none"``, an empty list) instead of a union with null; only numbers, whose
zero means something, are nullable, as ``anyOf`` (some providers' libraries do not know a list of types). And no keyword
but ``enum`` bounds a value: lengths and counts are not enforced everywhere, so ``steps.validate`` sees to them.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

NONE = "none"

Schema = dict[str, Any]
Keys = Mapping[str, Sequence[str]]


def template(fields: Sequence[str], keys: Keys) -> Schema:
    """The schema of a profile, without ids. ``keys`` gives the allowed keys of ``turn_type``, ``attribute``, ...

    A field of keys for which the profile has none is left out: it could only be ``"none"``. Raises ``KeyError`` for a
    field that a reply cannot have.
    """
    properties = {name: _FIELDS[name](keys) for name in fields}
    return _object({name: schema for name, schema in properties.items() if schema is not None})


def splice(base: Schema, ids: Iterable[str]) -> Schema:
    """A copy of ``base`` in which a drug is one of ``ids``; without any, no drug can be given at all.

    A plain copy per request: a class per request would stay in memory for ever.
    """
    schema = copy.deepcopy(base)
    allowed = sorted(set(ids))
    properties: Schema = schema["properties"]
    if "drugs" in properties:
        if allowed:
            properties["drugs"]["items"]["properties"]["drug_id"]["enum"] = allowed
        else:
            del properties["drugs"]
            schema["required"].remove("drugs")
    return schema


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(_: Keys) -> Schema:
    return {"type": "string"}


def _flag(_: Keys) -> Schema:
    return {"type": "boolean"}


def _number(_: Keys) -> Schema:
    return {"anyOf": [{"type": "number"}, {"type": "null"}]}


def _texts(_: Keys) -> Schema:
    return {"type": "array", "items": {"type": "string"}}


def _one_of(*options: str) -> Any:
    return lambda _: {"type": "string", "enum": list(options)}


def _key(name: str, *, optional: bool = True) -> Any:
    def make(keys: Keys) -> Schema | None:
        known = list(keys.get(name, ()))
        if not known:
            return None
        return {"type": "string", "enum": [*known, NONE] if optional else known}

    return make


def _list_of(**fields: Any) -> Any:
    return lambda keys: {"type": "array", "items": _object({name: make(keys) for name, make in fields.items()})}


def _group(**fields: Any) -> Any:
    return lambda keys: _object({name: make(keys) for name, make in fields.items()})


_ORGAN = _group(
    status=_one_of("impaired", "normal", "unknown", NONE), value=_number, unit=_text, measure=_text, text=_text
)

_FIELDS: dict[str, Any] = {
    "turn_type": _key("turn_type", optional=False),
    "attribute": _key("attribute"),
    "population": _key("population"),
    "route": _key("route"),
    "drugs": _list_of(drug_id=_text, text=_text),
    "unknown_drugs": _texts,
    "weight_kg": _number,
    "age_text": _text,
    "indication": _text,
    "condition": _group(name=_text, subtype=_text, ambiguous=_flag),
    "condition_relation": _one_of("indication", "adverse_effect", "contraindication", "unknown", NONE),
    "patient_context": _group(
        comorbidities=_texts,
        allergies=_texts,
        adverse_reactions=_texts,
        current_medications=_texts,
        renal=_ORGAN,
        hepatic=_ORGAN,
        pregnancy=_one_of("pregnant", "lactating", "no", NONE),
        labs=_list_of(name=_text, value=_number, unit=_text, text=_text),
    ),
    "context_action": _one_of("none", "continue", "new"),
    "section_overview": _flag,
    "standalone_query": _text,
    "depends_on_previous_turn": _flag,
    "needs_clarify": _flag,
    "clarify_reason": _one_of("drug_name", "weight", "age", "condition", "attribute", "not_understood", NONE),
    "quick_replies": _texts,
    "entities": _group(conditions=_texts, departments=_texts, doctors=_texts, procedures=_texts, list_request=_flag),
    "reformulated_query": _text,
    "canonical_terms": _list_of(text=_text, term=_text),
}

FIELDS = tuple(_FIELDS)
