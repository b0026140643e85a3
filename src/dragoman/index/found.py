"""What a vocabulary found in one message."""

from __future__ import annotations

from typing import NamedTuple

from dragoman.types import Candidate, Mention, Span


class Found(NamedTuple):
    """Candidates with their spans, and what became of every stretch that was taken for a name. ``doubts``: spans of
    another find's candidates that a misspelt word beside them makes too little."""

    candidates: tuple[Candidate, ...] = ()
    mentions: tuple[Mention, ...] = ()
    doubts: tuple[Span, ...] = ()
