"""Decoded objects as ``Reply`` values: what a model sent, or a caller's prior frame, read tolerantly.

Fields of a wrong type are left out and named in ``Reply.dropped``; texts and lists are cut at their limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from dragoman.reply import (
    CanonicalTerm,
    Reply,
    ReplyCondition,
    ReplyContext,
    ReplyDrug,
    ReplyEntities,
    ReplyEntry,
    ReplyLab,
    ReplyOrgan,
    ReplyPending,
)

NONE = frozenset({"", "none", "null", "n/a", "unknown"})  # how models say that there is nothing
TEXT = 2000  # characters of one text; longer ones are cut
LIST = 200  # entries of one list
NUMBER = 1e12


class _Reader:
    """Reads fields tolerantly, and remembers which were left out."""

    def __init__(self) -> None:
        self.dropped: list[str] = []

    def drop(self, name: str) -> None:
        if name not in self.dropped:
            self.dropped.append(name)

    def text(self, name: str, value: Any, *, none: frozenset[str] = NONE) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str):
            self.drop(name)
            return None
        cut = value.strip()[:TEXT]
        return None if cut.lower() in none else cut

    def flag(self, name: str, value: Any) -> bool:
        if value is None or isinstance(value, bool):
            return bool(value)
        self.drop(name)
        return False

    def number(self, name: str, value: Any) -> float | None:
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < NUMBER:
            return float(value)
        if isinstance(value, str) and value.strip().lower() in NONE:
            return None
        self.drop(name)
        return None

    def items(self, name: str, value: Any) -> list[Any]:
        if value is None:
            return []
        if isinstance(value, list | tuple):
            return list(value[:LIST])
        self.drop(name)
        return []

    def texts(self, name: str, value: Any) -> tuple[str, ...]:
        found = [self.text(name, item) for item in self.items(name, value)]
        return tuple(dict.fromkeys(t for t in found if t))

    def table(self, name: str, value: Any) -> Mapping[str, Any] | None:
        if value is None or (isinstance(value, str) and value.strip().lower() in NONE):
            return None
        if isinstance(value, Mapping):
            return value
        self.drop(name)
        return None


class _Field(NamedTuple):
    read: Callable[[_Reader, str, Any], Any]


def from_mapping(data: Mapping[str, Any]) -> Reply:
    """A decoded object, or a caller's prior frame, as a ``Reply``. Unknown fields are left out. Never raises."""
    reader = _Reader()
    values: dict[str, Any] = {}
    for name, field in _FIELDS.items():
        if name in data:
            values[name] = field.read(reader, name, data[name])
    for name in data:
        if name not in _FIELDS and name not in _SILENT:
            reader.drop("unknown field")
    return Reply(**values, raw=data, dropped=tuple(reader.dropped))


def _drugs(reader: _Reader, name: str, value: Any) -> tuple[ReplyDrug, ...]:
    found = []
    for item in reader.items(name, value):
        if isinstance(item, str) and item.strip():
            found.append(ReplyDrug(id=item.strip()[:TEXT]))
        elif isinstance(item, Mapping):
            id_ = reader.text(name, item.get("drug_id", item.get("id", item.get("name"))))
            text = reader.text(name, item.get("text"))
            if id_ or text:
                found.append(ReplyDrug(id=id_ or text or "", text=text))
        else:
            reader.drop(name)
    return tuple(found)


def _entries(reader: _Reader, name: str, value: Any) -> tuple[ReplyEntry, ...]:
    found = []
    for item in reader.items(name, value):
        if isinstance(item, str):
            text = reader.text(name, item)
            if text:
                found.append(ReplyEntry(text=text))
        elif isinstance(item, Mapping):
            text = reader.text(name, item.get("text", item.get("name")))
            drug = reader.text(name, item.get("drug_id"))
            if text or drug:
                found.append(ReplyEntry(text=text or drug or "", drug_id=drug))
        else:
            reader.drop(name)
    return tuple(found)


def _condition(reader: _Reader, name: str, value: Any) -> ReplyCondition | None:
    if isinstance(value, str):
        text = reader.text(name, value)
        return ReplyCondition(name=text) if text else None
    table = reader.table(name, value)
    if table is None:
        return None
    text = reader.text(name, table.get("name"))
    if not text:
        return None
    return ReplyCondition(
        name=text,
        subtype=reader.text(name, table.get("subtype")),
        ambiguous=reader.flag(name, table.get("ambiguous")),
        concept_ids=reader.texts(name, table.get("concept_ids")),
    )


def _organ(reader: _Reader, name: str, value: Any) -> ReplyOrgan | None:
    if isinstance(value, str):
        text = reader.text(name, value)
        return ReplyOrgan(text=text) if text else None
    table = reader.table(name, value)
    if table is None:
        return None
    status = reader.text(name, table.get("status"), none=frozenset({"", "none", "null"}))
    text = reader.text(name, table.get("text")) or ""
    figure = reader.number(name, table.get("value"))
    if status is None and figure is None and not text:
        return None
    return ReplyOrgan(
        status=status or "unknown",
        value=figure,
        unit=reader.text(name, table.get("unit")),
        measure=reader.text(name, table.get("measure")),
        text=text,
    )


def _labs(reader: _Reader, name: str, value: Any) -> tuple[ReplyLab, ...]:
    found = []
    for item in reader.items(name, value):
        if isinstance(item, str) and item.strip():
            found.append(ReplyLab(name=item.strip()[:TEXT], text=item.strip()[:TEXT]))
        elif isinstance(item, Mapping):
            label = reader.text(name, item.get("name"))
            if label:
                found.append(
                    ReplyLab(
                        name=label,
                        value=reader.number(name, item.get("value")),
                        unit=reader.text(name, item.get("unit")),
                        text=reader.text(name, item.get("text")) or "",
                    )
                )
        else:
            reader.drop(name)
    return tuple(found)


def _context(reader: _Reader, name: str, value: Any) -> ReplyContext:
    table = reader.table(name, value) or {}
    lists = ("comorbidities", "allergies", "adverse_reactions", "current_medications")
    return ReplyContext(
        **{part: _entries(reader, f"{name}.{part}", table.get(part)) for part in lists},
        renal=_organ(reader, f"{name}.renal", table.get("renal")),
        hepatic=_organ(reader, f"{name}.hepatic", table.get("hepatic")),
        # "no" is a statement here, unlike "none".
        pregnancy=reader.text(f"{name}.pregnancy", table.get("pregnancy")),
        labs=_labs(reader, f"{name}.labs", table.get("labs")),
    )


def _entities(reader: _Reader, name: str, value: Any) -> ReplyEntities:
    table = reader.table(name, value) or {}

    def listed(plural: str, singular: str) -> tuple[str, ...]:
        given = table.get(plural, table.get(singular))
        return reader.texts(f"{name}.{plural}", [given] if isinstance(given, str) else given)

    return ReplyEntities(
        conditions=listed("conditions", "condition"),
        departments=listed("departments", "department"),
        doctors=listed("doctors", "doctor"),
        procedures=listed("procedures", "procedure"),
        list_request=reader.flag(f"{name}.list_request", table.get("list_request")),
    )


def _pending(reader: _Reader, name: str, value: Any) -> tuple[ReplyPending, ...]:
    found = []
    for item in reader.items(name, value):
        table = reader.table(name, item)
        id_ = reader.text(name, table.get("id")) if table else None
        if table and id_:
            found.append(
                ReplyPending(
                    kind=reader.text(name, table.get("kind")) or "drug",
                    id=id_,
                    text=reader.text(name, table.get("text")) or "",
                    quick_reply=reader.text(name, table.get("quick_reply")) or "",
                )
            )
    return tuple(found)


def _terms(reader: _Reader, name: str, value: Any) -> tuple[CanonicalTerm, ...]:
    found = []
    for item in reader.items(name, value):
        if isinstance(item, str) and item.strip():
            found.append(CanonicalTerm(term=item.strip()[:TEXT]))
        elif isinstance(item, Mapping):
            term = reader.text(name, item.get("term"))
            if term:
                found.append(CanonicalTerm(term=term, text=reader.text(name, item.get("text"))))
        else:
            reader.drop(name)
    return tuple(found)


def _fields(names: Iterable[str], read: Callable[[_Reader, str, Any], Any]) -> dict[str, _Field]:
    return {name: _Field(read) for name in names}


_FIELDS: dict[str, _Field] = {
    **_fields(
        ("turn_type", "attribute", "population", "age_text", "indication", "context_action", "route",
         "standalone_query", "clarify_reason", "reformulated_query", "understood_by"),
        _Reader.text,
    ),
    "condition_relation": _Field(lambda r, n, v: r.text(n, v, none=frozenset({"", "none", "null"}))),
    "weight_kg": _Field(_Reader.number),
    **_fields(("section_overview", "depends_on_previous_turn", "needs_clarify"), _Reader.flag),
    **_fields(("unknown_drugs", "quick_replies"), _Reader.texts),
    "drugs": _Field(_drugs),
    "condition": _Field(_condition),
    "patient_context": _Field(_context),
    "pending": _Field(_pending),
    "entities": _Field(_entities),
    "canonical_terms": _Field(_terms),
}  # fmt: skip
_SILENT = frozenset({"system_error", "raw", "drug_mentions"})  # a frame's own, which no reply decides
