"""Every field of a frame in its closed list and its range: a table, one row a field.

What is not valid becomes the field's empty value, and the row's name goes to the trace. Nothing is repaired into
something else, but for the turn type, whose fallback the profile states. Validating twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, get_args

import msgspec

from dragoman.profile import ProfileFile
from dragoman.text.tokens import fold_key
from dragoman.types import (
    ClarifyReason,
    Condition,
    ConditionRelation,
    ContextAction,
    Entities,
    PatientContext,
    QueryFrame,
)

WEIGHT_KG = 500.0  # upper bound, included; 0 is excluded
REPLIES = 4
REPLY = 40  # characters of a quick reply
TEXT = 500  # characters of a free text
ENTRIES = 50  # of a list

_PREGNANCY = ("pregnant", "lactating", "no")
_STATUS = ("impaired", "normal", "unknown")

Check = Callable[[Any, QueryFrame, ProfileFile], Any]


class Validated(NamedTuple):
    """The valid frame, and the fields whose values were not."""

    frame: QueryFrame
    dropped: tuple[str, ...]


def validate(frame: QueryFrame, profile: ProfileFile) -> Validated:
    """``frame`` with every field valid. Pure, idempotent, never raises."""
    dropped: list[str] = []
    for field, check in _ROWS.items():
        value = getattr(frame, field)
        valid = check(value, frame, profile)
        if valid != value:
            dropped.append(field)
            frame = msgspec.structs.replace(frame, **{field: valid})
    return Validated(frame, tuple(dropped))


def quick_replies(texts: tuple[str, ...]) -> tuple[str, ...]:
    """At most four, at most forty characters each, cut at a word's end, none twice."""
    kept: dict[str, str] = {}
    for text in texts:
        cut = shorten(" ".join(text.split()), REPLY)
        if cut:
            kept.setdefault(fold_key(cut) or cut, cut)
    return tuple(kept.values())[:REPLIES]


def shorten(text: str, most: int) -> str:
    """``text``, cut at the end of a word where it is longer than ``most`` characters."""
    if len(text) <= most:
        return text
    cut = text[: most + 1].rsplit(" ", 1)[0] if " " in text[: most + 1] else text[:most]
    return cut[:most].rstrip(" ,;:-–(")


def _turn_type(value: str, frame: QueryFrame, profile: ProfileFile) -> str:
    if value in profile.turn_types:
        return value
    resolved = frame.drugs or (profile.entities and frame.condition is not None)
    return profile.fallback_with_candidates if resolved else profile.fallback


def _key(name: str) -> Check:
    def check(value: str | None, _: QueryFrame, profile: ProfileFile) -> str | None:
        return value if value in profile.closed()[name] else None

    return check


def _attribute(value: str | None, frame: QueryFrame, profile: ProfileFile) -> str | None:
    return value if value in profile.attributes and frame.turn_type not in profile.alone else None


def _literal(type_: Any, empty: str | None) -> Check:
    allowed = frozenset(get_args(type_))

    def check(value: str | None, _: QueryFrame, __: ProfileFile) -> str | None:
        return value if value in allowed else empty

    return check


def _weight(value: float | None, _: QueryFrame, __: ProfileFile) -> float | None:
    return value if value is not None and 0 < value <= WEIGHT_KG else None


def _text(value: str | None, _: QueryFrame, __: ProfileFile) -> str | None:
    return (value.strip()[:TEXT].strip() or None) if value else None


def _texts(values: tuple[str, ...], _: QueryFrame, __: ProfileFile) -> tuple[str, ...]:
    return tuple(dict.fromkeys(t for v in values if (t := v.strip()[:TEXT].strip())))[:ENTRIES]


def _drugs(values: tuple[str, ...], frame: QueryFrame, profile: ProfileFile) -> tuple[str, ...]:
    return () if frame.turn_type in profile.alone else tuple(dict.fromkeys(values))


def _relation(value: str | None, frame: QueryFrame, profile: ProfileFile) -> str | None:
    """Null unless a condition is asked about, in a profile that tells relations; ``unknown`` where it is unclear."""
    asks = bool(profile.relations) and frame.turn_type not in profile.alone
    return value if asks and value in get_args(ConditionRelation) else None


def _condition(value: Condition | None, _: QueryFrame, __: ProfileFile) -> Condition | None:
    if value is None or not value.name.strip():
        return None
    name, subtype = value.name.strip()[:TEXT].strip(), value.subtype.strip()[:TEXT].strip() if value.subtype else None
    return msgspec.structs.replace(value, name=name, subtype=subtype or None)


def _context(value: PatientContext, _: QueryFrame, __: ProfileFile) -> PatientContext:
    changes: dict[str, Any] = {}
    if value.pregnancy is not None and value.pregnancy not in _PREGNANCY:
        changes["pregnancy"] = None
    for name in ("renal", "hepatic"):
        organ = getattr(value, name)
        if organ is not None and organ.status not in _STATUS:
            changes[name] = msgspec.structs.replace(organ, status="unknown")
    for name in ("comorbidities", "allergies", "adverse_reactions", "current_medications"):
        entries = getattr(value, name)
        kept = tuple({(e.text, e.drug_id): e for e in entries if e.text.strip() or e.drug_id}.values())[:ENTRIES]
        if kept != entries:
            changes[name] = kept
    return msgspec.structs.replace(value, **changes) if changes else value


def _replies(values: tuple[str, ...], frame: QueryFrame, _: ProfileFile) -> tuple[str, ...]:
    return quick_replies(values) if frame.needs_clarify else ()


def _pending(values: tuple[Any, ...], frame: QueryFrame, _: ProfileFile) -> tuple[Any, ...]:
    return values[:ENTRIES] if frame.needs_clarify else ()


def _reason(value: str | None, frame: QueryFrame, _: ProfileFile) -> str | None:
    return value if frame.needs_clarify and value in get_args(ClarifyReason) else None


def _entities(value: Entities, frame: QueryFrame, profile: ProfileFile) -> Entities:
    if not profile.entities:
        return Entities()
    lists = {
        n: _texts(getattr(value, n), frame, profile) for n in ("conditions", "departments", "doctors", "procedures")
    }
    return Entities(**lists, list_request=value.list_request)


# One row a field. The turn type comes first, and needs_clarify before what depends on it.
_ROWS: dict[str, Check] = {
    "turn_type": _turn_type,
    "drugs": _drugs,
    "unknown_drugs": _texts,
    "attribute": _attribute,
    "population": _key("population"),
    "route": _key("route"),
    "weight_kg": _weight,
    "age_text": _text,
    "indication": _text,
    "condition": _condition,
    "condition_relation": _relation,
    "patient_context": _context,
    "context_action": _literal(ContextAction, "none"),
    "standalone_query": _text,
    "clarify_reason": _reason,
    "quick_replies": _replies,
    "pending": _pending,
    "entities": _entities,
    "reformulated_query": _text,
}
