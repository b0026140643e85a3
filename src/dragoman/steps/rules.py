"""Understanding a turn without any model: from the profile's cues and what the words show. Narrow, and honest.

Rules that people did not write for the question at hand are right about what is unmistakable and about little else, so
what they cannot tell stays open: no turn type, which ends as ``not_understood``. Another understanding (a learned head)
takes this one's place by giving a ``Reply`` of its own; whatever it says goes the same way through the frame.
"""

from __future__ import annotations

from collections.abc import Mapping

from dragoman.evidence.gather import Evidence, gather
from dragoman.evidence.names import Condition
from dragoman.evidence.settle import Settled, settle
from dragoman.folder import Profile
from dragoman.profile import ProfileFile
from dragoman.protocols import Names
from dragoman.reading import Reading
from dragoman.reply import (
    Reply,
    ReplyCondition,
    ReplyContext,
    ReplyDrug,
    ReplyEntities,
    ReplyEntry,
    ReplyLab,
    ReplyOrgan,
)
from dragoman.types import ContextEntry, OrganFunction, Span

NEAR = 3  # code points between a condition and the words for its subtype


def understand(reading: Reading, profile: Profile, names: Names) -> Reply:
    """What the rules make of the turn. Pure; never raises, whatever the text."""
    return read(gather(reading, profile), names)


def read(evidence: Evidence, names: Names, settled: Settled | None = None) -> Reply:
    """``understand`` from evidence that is there already, and from what another understanding has ``settled``."""
    settled = settled or settle(evidence)
    facts = settled.facts
    table = evidence.profile
    alone = settled.turn_type in table.alone
    condition = None if alone else _asked_condition(evidence, settled)
    relation = settled.relation
    if condition is not None and relation is None:
        relation = table.relations.get(settled.attribute or "", table.relations.get(settled.turn_type or "", "unknown"))
    asked = evidence.asked if settled.turn_type not in table.without_drugs else ()
    if settled.turn_type in table.together:
        asked = tuple(d for d in evidence.drugs if d.role in {"asked", "current"})
    follows = "prior" in facts and not alone and "anew" not in facts
    no_subject = {"no_subject", "prior_drug"} <= facts and not {"drug", "class"} & facts
    goes_on = follows and (no_subject or bool({"goes_on", "refers"} & facts))
    fragment = (
        follows
        and not ({"drug", "condition"} & facts)
        and bool({"attribute", "population", "weight", "age"} & facts)
        and bool({"short", "medicine"} & facts)
    )
    action = "new" if "anew" in facts else "continue" if goes_on or fragment else "none"
    weight, aged = evidence.weight, evidence.ages
    case = evidence.patient
    return Reply(
        turn_type=settled.turn_type,
        drugs=()
        if alone
        else (*(ReplyDrug(id=d.sure, text=d.text) for d in asked if d.sure), *_joined(settled, table, evidence)),
        attribute=settled.attribute,
        population=evidence.population,
        weight_kg=weight.kg if weight else None,
        age_text=aged[0].text if aged else None,
        indication=None if alone else _indication(evidence, condition),
        condition=_reply_condition(evidence, condition, names) if condition is not None else None,
        condition_relation=relation,
        patient_context=ReplyContext(
            comorbidities=_entries(case.comorbidities, condition),
            allergies=_entries(case.allergies),
            adverse_reactions=_entries(case.adverse_reactions),
            current_medications=_entries(case.current_medications),
            renal=_organ(case.renal),
            hepatic=_organ(case.hepatic),
            pregnancy=case.pregnancy,
            labs=tuple(ReplyLab(name=x.name, value=x.value, unit=x.unit, text=x.text) for x in case.labs),
        ),
        context_action=action,
        route=evidence.routes[0] if len(set(evidence.routes)) == 1 else None,
        section_overview=settled.attribute is not None and any(f.cue.set.section_overview for f in evidence.found),
        depends_on_previous_turn=action == "continue",
        evidence=evidence,
        entities=_entities(evidence, settled),
    )


def _joined(settled: Settled, table: ProfileFile, evidence: Evidence) -> tuple[ReplyDrug, ...]:
    """The drugs of the turn before, where this one asks whether another may be taken with them. They are bounded like
    any reply's: one that no message of the person's own names is dropped."""
    prior = evidence.reading.turn.prior_frame
    if settled.turn_type not in table.together or "joins" not in settled.facts or not isinstance(prior, Mapping):
        return ()
    before = prior.get("drugs")
    return tuple(ReplyDrug(id=d) for d in before if isinstance(d, str)) if isinstance(before, list | tuple) else ()


def _asked_condition(evidence: Evidence, settled: Settled) -> Condition | None:
    """The condition that the turn asks about: not one that the patient merely has, or that a drug is meant for."""
    present = [c for c in evidence.conditions if not c.said.negated]
    if settled.turn_type in evidence.profile.condition_types:
        return next((c for c in present if not c.symptom), present[0] if present else None)
    if settled.turn_type is None or "asked" not in settled.facts:
        return None
    aside = {e.span for e in evidence.patient.comorbidities} | set(evidence.patient.indications)
    related = settled.attribute in evidence.profile.relations or settled.turn_type in evidence.profile.relations
    return next((c for c in present if c.span not in aside), None) if related else None


def _indication(evidence: Evidence, condition: Condition | None) -> str | None:
    """What the named drug is meant for, in the person's words."""
    if "asked" not in evidence.facts:
        return None
    present = [c for c in evidence.conditions if not c.said.negated and c is not condition]
    meant = [c for c in present if c.span in evidence.patient.indications]
    ails = [c for c in present if c.symptom and condition is None]
    return next((c.text for c in (*meant, *ails)), None)


def _reply_condition(evidence: Evidence, condition: Condition, names: Names) -> ReplyCondition:
    name = names.concept_name(condition.ids[0]) if len(condition.ids) == 1 else None
    return ReplyCondition(
        name=name or (condition.names[0] if len(condition.names) == 1 else condition.text),
        subtype=_subtype(evidence, condition),
        ambiguous=len(condition.ids) > 1,
        concept_ids=condition.ids,
    )


def _subtype(evidence: Evidence, condition: Condition) -> str | None:
    """The words that tell the condition's type, grade or course: in its name, or right behind it."""
    near = Span(condition.span.start, condition.span.end + NEAR)
    text = evidence.reading.turn.text
    return next(
        (text[f.span.start : f.span.end] for f in evidence.found if f.cue.set.subtype and f.span.overlaps(near)), None
    )


def _entries(entries: tuple[ContextEntry, ...], asked: Condition | None = None) -> tuple[ReplyEntry, ...]:
    return tuple(
        ReplyEntry(text=e.text, drug_id=e.drug_id) for e in entries if asked is None or e.span != asked.span
    )  # fmt: skip


def _organ(organ: OrganFunction | None) -> ReplyOrgan | None:
    if organ is None:
        return None
    return ReplyOrgan(status=organ.status, value=organ.value, unit=organ.unit, measure=organ.measure, text=organ.text)


def _entities(evidence: Evidence, settled: Settled) -> ReplyEntities:
    """The organisation's entities that the turn names, in the person's words."""
    if not evidence.profile.entities:
        return ReplyEntities()

    def of(kind: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(e.text for e in evidence.entities if e.type == kind and not e.said.negated))

    doctors_listed = "list" in settled.facts and "doctors_asked" in settled.facts
    return ReplyEntities(
        conditions=tuple(dict.fromkeys(c.text for c in evidence.conditions if not c.said.negated)),
        departments=of("department"),
        doctors=of("doctor"),
        procedures=of("procedure"),
        list_request=doctors_listed or any(f.cue.set.list_request for f in evidence.found),
    )
