"""The post-conditions: narrow, knowledge-free corrections of unambiguous words that an understanding routes wrongly.

They are the profile's cues with ``post = true`` (``cues.<language>.toml``), each with examples and counter-examples.
None creates a candidate: they set the turn type, the attribute or the relation, for what is named already. Four kinds
of them are the source document's: a known condition with words that ask for a drug; a broad question for a disease's
drugs without any drug named; the reverse relations ("which drug causes", "which drug is contraindicated"); and a named
drug with "what is it for", "has it contraindications".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from dragoman.evidence.gather import Evidence
from dragoman.evidence.settle import settle
from dragoman.types import QueryFrame


class Corrected(NamedTuple):
    """The corrected frame, and the name of the cue that did it."""

    frame: QueryFrame
    cue: str | None


def correct(frame: QueryFrame, evidence: Evidence) -> Corrected:
    """Apply the strongest post-condition that the turn's words meet, if any does."""
    # A stronger cue of the rules' own, such as two drugs taken together, is not overruled by a weaker post-condition.
    best = settle(evidence).cue
    if best is None or not best.post:
        return Corrected(frame, None)
    changes: dict[str, Any] = {"turn_type": best.set.turn_type}
    if best.set.attribute is not None:
        changes["attribute"] = best.set.attribute
    elif best.set.turn_type in evidence.profile.condition_types:
        changes["attribute"] = None
    if best.set.condition_relation is not None:
        changes["condition_relation"] = best.set.condition_relation
    changed = msgspec.structs.replace(frame, **changes)
    return Corrected(changed, best.name if changed != frame else None)
