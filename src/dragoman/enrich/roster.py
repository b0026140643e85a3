"""The request for a list of doctors: of which departments, and which words said so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.text.tokens import tokenize
from dragoman.types import Roster

if TYPE_CHECKING:
    from dragoman.enrich.work import Work


def roster(work: Work) -> Roster | None:
    """A roster where doctors are looked for (the frame says so, or a cue where there is no frame) as a list."""
    frame = work.frame
    if frame is not None and frame.turn_type != "doctor_lookup":
        return None
    terms = work.terms
    named = [e for s in work.spans if not s.negated for e in s.entities if terms.is_department(e)]
    if not named and frame is not None and frame.depends_on_previous_turn:  # of the department that was named before
        owners = [o for name in frame.entities.departments for o in terms.matcher.owners(tokenize(name).keys)]
        named = [o - terms.count for o in owners if o >= terms.count and terms.is_department(o - terms.count)]
    found = named or [o.entity for o in work.offers if o.entity is not None and not o.page]
    signal = work.cues.signal("roster") if found else None
    if signal is None:
        return None
    return Roster(department_ids=tuple(terms.entity_ids[e] for e in dict.fromkeys(found)), signal=signal)
