"""The question back: when, why, and what may be answered to it with one tap.

A near name is always asked back, never picked; then the profile's own questions, first match first; then what was not
understood. Nothing is asked back of a turn about an animal, of smalltalk, or after a provider's fault: a guard before
every question, for the corpus has no answer to any reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from dragoman.evidence.cues import holds
from dragoman.evidence.gather import Evidence
from dragoman.evidence.names import Drug
from dragoman.folder import Profile
from dragoman.profile import book, labels
from dragoman.protocols import Names
from dragoman.types import Candidate, PendingItem, QueryFrame, Span


class Clarified(NamedTuple):
    """The frame with its question back, if there is one."""

    frame: QueryFrame
    asked: bool


def clarify(
    frame: QueryFrame,
    evidence: Evidence,
    profile: Profile,
    names: Names,
    undecided: Sequence[Candidate],
    *,
    by_model: bool,
    resolved: bool,
    cleared: bool,
) -> Clarified:
    """Ask back where something is missing or in doubt.

    ``undecided``: candidates of the same words between which the understanding did not choose; ``resolved``: it told
    the turn type; ``cleared``: the person has just said no, so that the same is not asked again.
    """
    if evidence.reading.scope.subject == "veterinary" or frame.turn_type == evidence.profile.smalltalk:
        return Clarified(_ask(frame, None), False)
    items = [] if cleared else _near(frame, evidence, names, undecided, by_model=by_model)
    if items:
        return Clarified(_ask(frame, "drug_name", items), True)
    if by_model and frame.needs_clarify:
        given: str | None = frame.clarify_reason
        reason = given or _reason(frame, evidence) or "not_understood"
        replies = frame.quick_replies
        if not replies:
            items = _offers(reason, evidence, profile, names)
        return Clarified(_ask(frame, reason, items, replies), True)
    if by_model:
        return Clarified(_ask(frame, None), False)
    missing = _reason(frame, evidence) or ("drug_name" if cleared and not frame.drugs else None)
    if missing is not None:
        return Clarified(_ask(frame, missing, _offers(missing, evidence, profile, names)), True)
    if not resolved:
        return Clarified(_ask(frame, "not_understood"), True)
    return Clarified(_ask(frame, None), False)


def _ask(
    frame: QueryFrame, reason: str | None, items: Sequence[PendingItem] = (), replies: Sequence[str] = ()
) -> QueryFrame:
    return msgspec.structs.replace(
        frame,
        needs_clarify=reason is not None,
        clarify_reason=reason,
        quick_replies=tuple(replies) or tuple(i.quick_reply for i in items if i.quick_reply),
        pending=tuple(i for i in items if i.id),
    )


def _near(
    frame: QueryFrame, evidence: Evidence, names: Names, undecided: Sequence[Candidate], *, by_model: bool
) -> list[PendingItem]:
    """What the person may have meant by words that are only near a drug's name, or that name several drugs."""
    doubtful: list[Drug] = []
    if not by_model:  # a model that was shown the near names has made its choice
        doubtful = [d for d in evidence.drugs if d.ids and not d.sure and not set(d.ids) & set(frame.drugs)]
    found = {
        (d.span, i): PendingItem(kind="drug", id=i, text=d.text, span=d.span, quick_reply=names.drug_name(i) or n)
        for d in doubtful
        for i, n in zip(d.ids, d.names if len(d.names) == len(d.ids) else d.ids, strict=True)
    }
    for c in undecided:
        reply = names.drug_name(c.id) or c.name
        found.setdefault(
            (c.span, c.id),
            PendingItem(kind="drug", id=c.id, text=c.text, message=c.message, span=Span(*c.span), quick_reply=reply),
        )
    # One of each doubtful name first, so that no name is left out where four replies do not hold all.
    spans = list(dict.fromkeys(span for span, _ in found))
    ranked = [[item for (s, _), item in found.items() if s == span] for span in spans]
    return [row[i] for i in range(max(map(len, ranked), default=0)) for row in ranked if i < len(row)]


def _reason(frame: QueryFrame, evidence: Evidence) -> str | None:
    """The first of the profile's questions whose needs hold for the frame as it is now."""
    have: dict[str, Any] = {
        "drug": frame.drugs or frame.unknown_drugs or evidence.drugs,
        "weight": frame.weight_kg,
        "age": frame.age_text,
        "population": frame.population,
        "named_condition": frame.condition,
        "attribute": frame.attribute,
        f"attribute:{frame.attribute}": frame.attribute,
        f"turn:{frame.turn_type}": True,
        "unclear": frame.drugs
        and frame.attribute is None
        and not (
            frame.population
            or frame.condition
            or frame.indication
            or frame.weight_kg
            or frame.age_text
            or frame.patient_context != type(frame.patient_context)()
        ),
        "by_age": any(f.cue.name.endswith("by_age") for f in evidence.found),
    }
    facts = evidence.facts | {name for name, holds_ in have.items() if holds_}
    return next((q.reason for q in evidence.profile.question if holds(q.needs, facts)), None)


def _offers(reason: str, evidence: Evidence, profile: Profile, names: Names) -> list[PendingItem]:
    """What may be answered to a question of this kind."""
    words = book(profile, evidence.pack).file.words
    if reason == "attribute":
        label = labels(profile, evidence.pack.code).get("attribute", {})
        return [
            PendingItem(kind="attribute", id=k, text=label.get(k, k), quick_reply=label.get(k, k))
            for k in words.ask_attributes
        ]
    if reason == "condition":
        several = next((c for c in evidence.conditions if len(c.ids) > 1), None)
        return [
            PendingItem(kind="condition", id=i, text=several.text, span=several.span, quick_reply=name)
            for i in (several.ids if several else ())
            if several and (name := names.concept_name(i))
        ]
    texts = words.replies.get(reason, evidence.profile.replies.get(reason, ()))
    if reason == "weight" and evidence.unitless is not None:  # most likely, and still to be confirmed
        texts = (f"{evidence.unitless:g} kg", *texts)
    return [PendingItem(kind=reason, id="", text=t, quick_reply=t) for t in texts]
