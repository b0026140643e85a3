"""What a turn inherits from the one before: the backstop for what its understanding left out.

It fires only when the turn goes on with a case (``context_action = continue`` or ``depends_on_previous_turn``), or the
turn before was a question back; never when it begins anew, nor when it names another drug, nor for a turn type that
stands alone. A turn's own values always stand; what neither frame held is never made up. The incident behind the drug
guard: a question about a headache was answered about the omeprazole of the turn before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from dragoman.profile import ProfileFile
from dragoman.types import Entities, PatientContext, QueryFrame

_LISTS = ("comorbidities", "allergies", "adverse_reactions", "current_medications", "labs")
_SINGLE = ("renal", "hepatic", "pregnancy")


class Merged(NamedTuple):
    """The frame after inheriting; ``inherited`` names the fields, ``note`` the guard where nothing was."""

    frame: QueryFrame
    inherited: tuple[str, ...]
    note: str | None


def merge(
    frame: QueryFrame,
    prior: QueryFrame | None,
    profile: ProfileFile,
    *,
    answers: bool = True,
    whether: bool = False,
    replaced: frozenset[str] | None = None,
) -> Merged:
    """``frame`` with what it inherits from ``prior``, which must be bounded and valid.

    ``answers``: the turn may be an answer to the question that ``prior`` asked back (it has no whole question of its
    own). ``whether``: it asks whether the drug may be used, which goes on with no other attribute than one that tells.
    ``replaced``: the turn puts another name in the place of one that the person gave before, these drugs by name or
    none in particular; it is the same question then, of the other name.
    """
    guard = _guard(frame, prior, profile, answers, replaced)
    if guard is not None or prior is None:
        return Merged(frame, (), guard)
    changes: dict[str, Any] = {}
    open_type = not frame.turn_type or (frame.turn_type in profile.alone and prior.needs_clarify and answers)
    if open_type and prior.turn_type in profile.follow_types:
        changes["turn_type"] = prior.turn_type
    kind = changes.get("turn_type", frame.turn_type)
    if replaced is not None and len(prior.drugs) > 1:
        changes["drugs"] = (*(d for d in prior.drugs if d not in replaced), *frame.drugs)
    elif not frame.drugs and kind not in profile.without_drugs and not (replaced is not None and frame.unknown_drugs):
        changes["drugs"] = prior.drugs
    other_patient = _other_patient(frame, prior, profile)
    things = profile.entities and _things(frame.entities)
    for field in ("attribute", "route", "indication", "condition"):
        if getattr(frame, field) is None and not (field == "condition" and things):
            changes[field] = getattr(prior, field)
    if profile.entities and not things:
        changes["entities"] = _entities(frame, prior)
    elif things and replaced is not None and prior.entities.list_request:
        changes["entities"] = msgspec.structs.replace(frame.entities, list_request=True)
    if frame.condition_relation is None and (frame.condition is None or frame.condition == prior.condition):
        changes["condition_relation"] = prior.condition_relation
    if not other_patient:
        for field in ("population", "weight_kg", "age_text"):
            if getattr(frame, field) is None:
                changes[field] = getattr(prior, field)
        changes["patient_context"] = _context(frame.patient_context, prior.patient_context)
    if profile.keeps_attribute and kind not in profile.keeps_attribute:
        changes.pop("attribute", None)
    if whether and profile.relations.get(prior.attribute or "") != "contraindication":
        changes.pop("attribute", None)
    kept = {f: v for f, v in changes.items() if v != getattr(frame, f)}
    return Merged(msgspec.structs.replace(frame, **kept), tuple(kept), None)


def _guard(
    frame: QueryFrame,
    prior: QueryFrame | None,
    profile: ProfileFile,
    answers: bool,
    replaced: frozenset[str] | None = None,
) -> str | None:
    """Why nothing may be inherited, or ``None``."""
    if prior is None:
        return "no prior frame"
    if frame.context_action == "new":
        return "the turn begins anew"
    if frame.turn_type in profile.alone and not (prior.needs_clarify and answers):
        return "the turn type stands alone"
    goes_on = frame.context_action == "continue" or frame.depends_on_previous_turn
    if not goes_on and not (prior.needs_clarify and answers):
        return "the turn does not go on"
    if replaced is not None and (len(prior.drugs) < 2 or not replaced.isdisjoint(prior.drugs)):
        return None
    if frame.drugs and prior.drugs and set(frame.drugs) != set(prior.drugs):
        return "another drug"
    if (
        frame.unknown_drugs
        and not frame.drugs
        and (prior.drugs or set(frame.unknown_drugs) != set(prior.unknown_drugs))
    ):
        return "another drug"
    return None


def _other_patient(frame: QueryFrame, prior: QueryFrame, profile: ProfileFile) -> bool:
    """Whether the turn speaks of somebody else, by age or as a mother, of whom what was said before is not said."""
    ages = {band.population for band in profile.band}
    if frame.population is None or prior.population is None or frame.population == prior.population:
        return False
    mothers = {profile.pregnant, profile.lactating}
    return frame.population in ages or (frame.population in mothers and prior.population in ages)


def _context(own: PatientContext, prior: PatientContext) -> PatientContext:
    """The union of lists by entry, and the prior's single facts where the turn states none."""
    changes: dict[str, Any] = {}
    for name in _LISTS:
        mine, theirs = getattr(own, name), getattr(prior, name)
        have = {_key(e) for e in mine}
        added = tuple(e for e in theirs if _key(e) not in have)
        if added:
            changes[name] = (*mine, *added)
    for name in _SINGLE:
        if getattr(own, name) is None and getattr(prior, name) is not None:
            changes[name] = getattr(prior, name)
    return msgspec.structs.replace(own, **changes) if changes else own


def _things(entities: Entities) -> bool:
    """Whether a turn names what it asks about itself."""
    return bool(entities.conditions or entities.procedures or entities.departments or entities.doctors)


def _entities(frame: QueryFrame, prior: QueryFrame) -> Entities:
    """What the turn before named, with the turn's own wish for a list."""
    conditions = prior.entities.conditions
    if not conditions and not prior.entities.procedures and prior.condition:
        conditions = (prior.condition.name,)
    return msgspec.structs.replace(
        prior.entities, conditions=conditions, doctors=(), list_request=frame.entities.list_request
    )


def _key(entry: Any) -> tuple[Any, ...]:
    drug = getattr(entry, "drug_id", None)
    return (drug,) if drug else (entry.text.casefold(), getattr(entry, "name", None))
