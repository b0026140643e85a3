"""What earlier turns settled, as data for the prompt: the prior frame, field by field, as far as it can be believed.

The frame comes from the caller. What is told to the model of it is bounded like a reply: keys must be the profile's,
drugs must be candidates of this conversation, numbers must be possible, texts are short and stay JSON strings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

TEXT = 200  # characters of one text
LIST = 10  # entries of one list
WEIGHT_KG = (0.0, 500.0)  # as steps.validate takes them

Masks = Callable[[str], str]


def facts(
    prior: Mapping[str, Any] | None, drug_ids: Collection[str], keys: Mapping[str, Sequence[str]], mask: Masks = str
) -> dict[str, Any]:
    """The settled fields of ``prior``, empty where it settles nothing. ``mask`` hides identifiers in its texts.

    ``drug_ids`` are the candidates' of this conversation; a drug that no message names is not a fact.
    """
    if not isinstance(prior, Mapping):
        return {}
    found: dict[str, Any] = {}
    for name in ("turn_type", "attribute", "population", "route"):
        if prior.get(name) in tuple(keys.get(name, ())):
            found[name] = prior[name]
    found["drugs"] = [drug for drug in _list(prior.get("drugs")) if isinstance(drug, str) and drug in drug_ids]
    found["unknown_drugs"] = _texts(prior.get("unknown_drugs"), mask)
    weight = prior.get("weight_kg")
    if isinstance(weight, int | float) and not isinstance(weight, bool) and WEIGHT_KG[0] < weight <= WEIGHT_KG[1]:
        found["weight_kg"] = weight
    for name in ("age_text", "indication"):
        found[name] = _text(prior.get(name), mask)
    condition = prior.get("condition")
    if isinstance(condition, Mapping):
        found["condition"] = _kept({name: _text(condition.get(name), mask) for name in ("name", "subtype")})
    if prior.get("condition_relation") in ("indication", "adverse_effect", "contraindication", "unknown"):
        found["condition_relation"] = prior["condition_relation"]
    found["patient_context"] = _context(prior.get("patient_context"), mask)
    if prior.get("needs_clarify") is True:
        # What was asked back is what this turn most likely answers.
        found["asked_back"] = _kept(
            {
                "reason": _text(prior.get("clarify_reason"), mask),
                "quick_replies": _texts(prior.get("quick_replies"), mask),
            }
        )
    return _kept(found)


def _context(value: Any, mask: Masks) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return {}
    found: dict[str, Any] = {
        name: _texts(value.get(name), mask)
        for name in ("comorbidities", "allergies", "adverse_reactions", "current_medications", "labs")
    }
    for name in ("renal", "hepatic"):
        organ = value.get(name)
        if isinstance(organ, Mapping):
            found[name] = _text(organ.get("text"), mask) or _text(organ.get("status"), mask)
    if value.get("pregnancy") in ("pregnant", "lactating", "no"):
        found["pregnancy"] = value["pregnancy"]
    return _kept(found)


def _texts(value: Any, mask: Masks) -> list[str]:
    """Texts of a list, or of the ``text`` of its entries."""
    found = (_text(entry.get("text") if isinstance(entry, Mapping) else entry, mask) for entry in _list(value))
    return [text for text in found if text]


def _text(value: Any, mask: Masks) -> str:
    return mask(value[:TEXT]) if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return [entry for entry in value[:LIST] if isinstance(entry, str | Mapping)] if isinstance(value, list) else []


def _kept(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if value not in ("", [], {}, None)}
