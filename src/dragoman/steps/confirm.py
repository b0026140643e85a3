"""The person's answer to a question back, understood without a model: a quick reply, a bare yes, a no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dragoman.evidence.gather import Evidence
from dragoman.evidence.words import key
from dragoman.reading import Reading
from dragoman.text.numbers import numeric, value
from dragoman.text.talk import talk
from dragoman.types import Candidate, PendingItem, QueryFrame, Span


class Confirmation(NamedTuple):
    """What the turn confirms; the weight that it gives as a mere number; or that it takes back what was asked."""

    item: PendingItem | None = None
    cleared: bool = False
    weight_kg: float | None = None


def confirm(evidence: Evidence, prior: QueryFrame | None) -> Confirmation:
    """Whether the turn answers ``prior``'s question: it equals one quick reply, or is a bare yes to a single one."""
    if prior is None or not prior.needs_clarify:
        return Confirmation()
    items = _pending(prior, evidence.reading.candidates)
    said = key(evidence.reading.turn.text)
    chosen = [item for item in items if said and said in {key(item.quick_reply), key(item.id)}]
    if len(chosen) == 1:
        return Confirmation(chosen[0])
    if evidence.talk.yes and len(items) == 1 and len(prior.quick_replies) <= 1:
        # Where more was offered than is borne out, a bare yes was said to all of it.
        return Confirmation(items[0])
    if prior.clarify_reason == "weight":
        figures = [n for t in numeric(evidence.tokens).tokens if (n := value(t)) is not None]
        if len(figures) == 1 and evidence.talk.figure:
            return Confirmation(weight_kg=figures[0])
    if evidence.talk.no or evidence.talk.starts_no:
        return Confirmation(cleared=True)
    return Confirmation()


def confirmed_before(reading: Reading) -> frozenset[str]:
    """Drugs that were only near what the person wrote, which the person then said yes to in an earlier message.

    The yes counts for a drug whose name the message right before it (the question back) has.
    """
    fuzzy = [c for c in reading.candidates if c.kind == "drug" and c.match == "fuzzy" and c.message >= 0]
    found: set[str] = set()
    for message, tokens in reading.messages:
        if message < 1 or not talk(tokens, reading.pack).yes:
            continue
        asked = f" {key(reading.turn.history[message - 1].text)} "
        named = {c.id for c in fuzzy if c.message < message and f" {key(c.name)} " in asked}
        if len(named) == 1:
            found |= named
    return frozenset(found)


def _pending(prior: QueryFrame, candidates: Sequence[Candidate]) -> list[PendingItem]:
    """What the question was about: as the prior frame says, or as its quick replies name it."""
    if prior.pending:
        return list(prior.pending)
    found: dict[tuple[str, str], PendingItem] = {}
    for reply in prior.quick_replies:
        for c in candidates:
            kind = "drug" if c.kind == "drug" else "condition"
            if key(c.name) == key(reply) or key(c.id) == key(reply):
                found.setdefault(
                    (kind, c.id),
                    PendingItem(
                        kind=kind, id=c.id, text=c.text, message=c.message, span=Span(*c.span), quick_reply=reply
                    ),
                )
    return list(found.values())
