"""What the profile's cues and defaults settle of a turn: type, attribute and relation, in one order for all steps."""

from __future__ import annotations

from typing import NamedTuple

from dragoman.evidence import cues
from dragoman.evidence.gather import Evidence
from dragoman.profile import Cue, Strength


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
    attribute = attributes[0].cue.set.attribute if attributes else None
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
