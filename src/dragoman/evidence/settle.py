"""What the profile's cues and defaults settle of a turn: type, attribute and relation, in one order for all steps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from dragoman.evidence import cues
from dragoman.evidence.gather import Evidence
from dragoman.profile import Cue, Strength
from dragoman.text.phrases import breaks


class Settled(NamedTuple):
    """What is settled, and the facts that hold then. ``cue`` is the one that told the turn type, if a cue did;
    ``strength`` is the default's that did."""

    turn_type: str | None
    attribute: str | None
    relation: str | None
    facts: frozenset[str]
    cue: Cue | None
    strength: Strength = "told"


def settle(evidence: Evidence) -> Settled:
    """The attribute by its cues first; then the turn type by its cues, else by the profile's defaults."""
    attributes = cues.choose(evidence.found, cues.attribute, evidence.facts)
    attribute = _nearest(attributes, evidence).cue.set.attribute if attributes else None
    facts = evidence.facts | ({"attribute", f"attribute:{attribute}"} if attribute else set())
    chosen = cues.choose(evidence.found, cues.turn_type, facts) if "small" not in facts else []
    cue = chosen[0].cue if chosen else None
    default = None if cue else next((d for d in evidence.profile.default if cues.holds(d.needs, facts)), None)
    sets = cue.set if cue else default.set if default else None
    if sets is None:
        return Settled(None, attribute, None, facts, None)
    strength = default.strength if default else "told"
    if sets.turn_type in evidence.profile.condition_types or sets.turn_type in evidence.profile.alone:
        attribute = None
    return Settled(sets.turn_type, sets.attribute or attribute, sets.condition_relation, facts, cue, strength)


def _nearest(found: Sequence[cues.Found], evidence: Evidence) -> cues.Found:
    """The strongest of ``found``; where several are as strong, the first in a sentence that names a drug which is asked
    about: a story asks with words of its own."""
    best = [f for f in found if f.cue.rank == found[0].cue.rank]
    if len(best) < 2 or not evidence.asked:
        return found[0]
    tokens = evidence.tokens
    ends = [t.end for t, gap in zip(tokens.tokens, breaks(tokens), strict=True) if gap == "."]
    of_drugs = {bisect_left(ends, d.span.end) for d in evidence.asked}
    return next((f for f in best if bisect_left(ends, f.span.end) in of_drugs), found[0])
