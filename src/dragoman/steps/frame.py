"""The frame: what a reply, a fault, or the rules say of a turn, made trustworthy. Composes the other steps::

    reply → bound → confirm → cues → merge → validate → clarify → QueryFrame

Every frame goes this way, whoever understood the turn. Each step leaves a trace row; its note says what was dropped, in
fixed words, never the person's.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter_ns
from typing import Any, NamedTuple

import msgspec

from dragoman.evidence.gather import Evidence, gather
from dragoman.evidence.settle import settle
from dragoman.evidence.words import Place
from dragoman.folder import Profile
from dragoman.profile import book, labels
from dragoman.protocols import Names
from dragoman.reading import Reading
from dragoman.reply import Fault, Reply
from dragoman.reply_fields import from_mapping
from dragoman.steps.bound import Bounded, Named, bound
from dragoman.steps.clarify import clarify
from dragoman.steps.confirm import Confirmation, confirm, confirmed_before
from dragoman.steps.cues import correct
from dragoman.steps.merge import merge
from dragoman.steps.provenance import STEP, Provenance
from dragoman.steps.validate import validate
from dragoman.types import Condition, QueryFrame, StepOutcome, TraceRow, UnderstoodBy, Value


class DrugMention(Value, frozen=True, kw_only=True):
    """Where the person named a drug of the frame."""

    drug_id: str
    message: int
    start: int
    end: int
    text: str


class FrameResult(NamedTuple):
    """A frame, what each step did, the model's canonical terms (unchecked), where each drug is named, the raw reply."""

    frame: QueryFrame
    trace: tuple[TraceRow, ...]
    canonical_terms: tuple[str, ...] = ()
    drug_mentions: tuple[DrugMention, ...] = ()
    raw: Mapping[str, Any] | None = None


def build_frame(
    reply: Reply | Fault, reading: Reading, profile: Profile, names: Names, understood_by: UnderstoodBy
) -> FrameResult:
    """The frame of a turn. Pure; never raises because of what a reply, a prior frame or a text says."""
    trail = _Trail()
    given = reply.evidence if isinstance(reply, Reply) else None
    evidence = given if isinstance(given, Evidence) and given.reading is reading else gather(reading, profile)
    trail.row("evidence", "hit", len(evidence.found))
    if evidence.patient.others:
        trail.row("patient", "skipped", evidence.patient.others, note="said of another person than who takes the drug")
    if reading.scope.subject == "veterinary":
        frame = _outside(evidence, understood_by)
        trail.row("frame", "skipped", note="about an animal")
        return FrameResult(frame, trail.rows())
    if isinstance(reply, Fault):
        frame = QueryFrame(
            turn_type=evidence.profile.fallback,
            needs_clarify=True,
            understood_by=understood_by,
            system_error=reply.code,
        )
        trail.row("parse", "error", note=reply.kind)
        return FrameResult(frame, trail.rows())
    trail.row("parse", "hit", len(reply.dropped), note=_list("left out", reply.dropped))
    by_model = understood_by == "model"
    prior = _prior(evidence, names)
    if prior is not None:
        trail.row("prior", "hit", len(prior.named), note=_list("dropped", prior.notes))
    answer = confirm(evidence, prior.frame if prior else None)
    allowed = frozenset({answer.item.id}) if answer.item is not None and answer.item.kind == "drug" else frozenset()
    bounded = bound(reply, evidence, names, fuzzy=by_model, confirmed=allowed)
    trail.row("bound", "hit", len(bounded.named), note=_list("dropped", bounded.notes))
    source = Provenance(reply, understood_by)
    source.bounded(bounded.frame, understood_by)
    frame, named = _confirmed(bounded, answer, evidence, prior, by_model=by_model)
    source.step(frame, "confirm")
    if answer.item is not None or answer.cleared:
        trail.row("confirm", "hit", 1, note="confirmed" if answer.item is not None else "cleared")
    replaced = _replaced(evidence) if prior is not None and not by_model else None
    if replaced is not None:
        frame = msgspec.structs.replace(frame, turn_type="", context_action="continue", depends_on_previous_turn=True)
    corrected = correct(frame, evidence)
    source.step(corrected.frame, "cues")
    trail.row("cues", "hit" if corrected.cue else "miss", note=corrected.cue)
    resolved = bool(corrected.frame.turn_type)
    merged = merge(
        corrected.frame,
        prior.frame if prior else None,
        evidence.profile,
        answers=answer.item is not None or answer.weight_kg is not None or _answers(evidence),
        whether="whether" in evidence.facts and "attribute" not in settle(evidence).facts,
        replaced=replaced,
    )
    if prior is not None:
        named = (*named, *(n for n in prior.named if n.id in merged.frame.drugs and n.id not in {m.id for m in named}))
    source.step(merged.frame, "merge")
    trail.row("merge", "hit" if merged.inherited else "miss", len(merged.inherited), note=merged.note)
    resolved = resolved or bool(merged.frame.turn_type)
    frame = msgspec.structs.replace(merged.frame, understood_by=understood_by)
    valid = validate(frame, evidence.profile)
    frame = valid.frame
    source.step(frame, "validate")
    trail.row("validate", "hit", len(valid.dropped), note=_list("dropped", valid.dropped))
    asked = clarify(
        frame,
        evidence,
        profile,
        names,
        bounded.undecided,
        by_model=by_model,
        resolved=resolved,
        cleared=answer.cleared and not frame.drugs,
    )
    source.step(asked.frame, "clarify")
    frame = _standalone(asked.frame, evidence, profile, names)
    source.step(frame, "standalone")
    frame = validate(frame, evidence.profile).frame
    source.step(frame, "validate")
    trail.row("clarify", "hit" if asked.asked else "miss", note=frame.clarify_reason)
    trail.row(STEP, "hit", source.count, note=source.note())
    return FrameResult(
        frame,
        trail.rows(),
        tuple(t.term for t in reply.canonical_terms),
        tuple(_mention(n) for n in named if n.id in frame.drugs),
        reply.raw,
    )


def confirms(reading: Reading, profile: Profile, names: Names) -> bool:
    """Whether the turn answers a question back in a way that nobody needs to interpret: a quick reply, a bare yes."""
    if not reading.turn.prior_frame:
        return False
    evidence = gather(reading, profile)
    prior = _prior(evidence, names)
    return prior is not None and confirm(evidence, prior.frame).item is not None


def _outside(evidence: Evidence, by: UnderstoodBy) -> QueryFrame:
    """The frame of a turn about an animal: out of scope, whatever it says; a follow-up still says what it follows."""
    goes_on = len(evidence.reading.messages) > 1
    frame = QueryFrame(
        turn_type=evidence.profile.fallback,
        context_action="continue" if goes_on else "none",
        depends_on_previous_turn=goes_on,
        standalone_query=_joined(evidence) if goes_on else None,
        understood_by=by,
    )
    return validate(frame, evidence.profile).frame


class _Prior(NamedTuple):
    frame: QueryFrame
    named: tuple[Named, ...]
    notes: tuple[str, ...]


def _prior(evidence: Evidence, names: Names) -> _Prior | None:
    """The caller's prior frame, read like a reply: bounded to what the person wrote, and validated."""
    given = evidence.reading.turn.prior_frame
    if not isinstance(given, Mapping) or not given:
        return None
    reply = from_mapping(given)
    bounded = bound(
        reply,
        evidence,
        names,
        fuzzy=reply.understood_by == "model",
        confirmed=confirmed_before(evidence.reading),
        prior=True,
    )
    frame = bounded.frame
    if given.get("turn_type") not in evidence.profile.turn_types:
        frame = msgspec.structs.replace(frame, turn_type="")
    valid = validate(frame, evidence.profile)
    return _Prior(valid.frame, bounded.named, (*bounded.notes, *valid.dropped))


def _confirmed(
    bounded: Bounded, answer: Confirmation, evidence: Evidence, prior: _Prior | None, *, by_model: bool
) -> tuple[QueryFrame, tuple[Named, ...]]:
    """The frame with what the person confirmed, which counts as theirs."""
    frame, named, item = bounded.frame, bounded.named, answer.item
    if prior is None:
        return frame, named
    if answer.weight_kg is not None:
        return msgspec.structs.replace(
            frame, weight_kg=answer.weight_kg, turn_type="", context_action="continue"
        ), named
    if item is None:
        # A bare name that answers "which drug do you mean?" asks what the earlier turn asked.
        open_ = not by_model and prior.frame.needs_clarify and prior.frame.turn_type and "bare" in evidence.facts
        return (msgspec.structs.replace(frame, turn_type=""), named) if open_ else (frame, named)
    # In its own words alone a yes is smalltalk, and a quick reply a bare name: it asks what the turn before asked.
    changes: dict[str, Any] = {"turn_type": "", "context_action": "continue", "depends_on_previous_turn": True}
    if item.kind == "drug" and item.id not in frame.drugs:
        changes["drugs"] = (*frame.drugs, item.id)
        named = (*named, Named(item.id, Place(item.message, item.span, item.text), True))
    elif item.kind == "attribute":
        changes["attribute"] = item.id
    elif item.kind == "condition":
        changes["condition"] = Condition(name=item.quick_reply or item.text, concept_ids=(item.id,))
    return msgspec.structs.replace(frame, **changes), named


def _answers(evidence: Evidence) -> bool:
    """Whether the turn can be an answer to a question back: it has no whole question of its own."""
    facts = evidence.facts
    settled = settle(evidence)
    whole = "asked" in facts and "attribute" in settled.facts
    asks = any(f.cue.set.turn_type for f in evidence.found) and "condition" in facts
    small = "small" in facts
    return not (whole or asks or small) and bool(
        {"short", "weight", "age"} & facts or evidence.talk.starts_no or evidence.talk.corrects
    )


def _replaced(evidence: Evidence) -> frozenset[str] | None:
    """Whether the turn does no more than put another name in the place of one that was said (*no, I meant X*): then the
    question is that of the turn before. The drugs that it takes back by name; ``None`` where it is no such turn."""
    facts = evidence.facts
    named = {"drug", "condition", "procedure", "department"} & facts
    if "meant" not in facts or "anew" in facts or "small" in facts or not named:
        return None
    settled = settle(evidence)
    if settled.cue is not None or "attribute" in settled.facts:
        return None
    return frozenset(i for d in evidence.drugs if d.role == "denied" for i in d.ids)


def _standalone(frame: QueryFrame, evidence: Evidence, profile: Profile, names: Names) -> QueryFrame:
    """A follow-up rewritten so that it can be read alone: by the profile's template, else with what it follows."""
    if not frame.depends_on_previous_turn or frame.standalone_query:
        return frame
    label = labels(profile, evidence.pack.code)
    parts = {
        "attribute": label.get("attribute", {}).get(frame.attribute or ""),
        "turn_type": label.get("turn_type", {}).get(frame.turn_type),
        "population": label.get("population", {}).get(frame.population or ""),
        "drugs": ", ".join(names.drug_name(d) or d for d in frame.drugs),
        "condition": frame.condition.name if frame.condition else None,
    }
    for fields, template in book(profile, evidence.pack).file.words.standalone.items():
        wanted = fields.split()
        if all(parts.get(f) for f in wanted):
            text = template.format(**{f: parts[f] for f in wanted})
            if frame.weight_kg:
                text = f"{text}, {frame.weight_kg:g} kg"
            return msgspec.structs.replace(frame, standalone_query=text)
    return msgspec.structs.replace(frame, standalone_query=_joined(evidence))


def _joined(evidence: Evidence) -> str | None:
    """The person's message before this one, and this one."""
    messages = evidence.reading.messages
    if len(messages) < 2:
        return None
    return f"{messages[1][1].text.strip()} {evidence.reading.turn.text.strip()}".strip()


def _mention(named: Named) -> DrugMention:
    where = named.place
    return DrugMention(
        drug_id=named.id, message=where.message, start=where.span.start, end=where.span.end, text=where.text
    )


def _list(what: str, names: tuple[str, ...]) -> str | None:
    return f"{what}: {', '.join(names)}" if names else None


class _Trail:
    """Trace rows, each with the microseconds since the one before."""

    def __init__(self) -> None:
        self._rows: list[TraceRow] = []
        self._last = perf_counter_ns()

    def row(self, step: str, outcome: StepOutcome, count: int = 0, note: str | None = None) -> None:
        now = perf_counter_ns()
        self._rows.append(TraceRow(step=step, outcome=outcome, count=count, us=(now - self._last) // 1000, note=note))
        self._last = now

    def rows(self) -> tuple[TraceRow, ...]:
        return tuple(self._rows)
