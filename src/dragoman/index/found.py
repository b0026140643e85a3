"""What a vocabulary found in one message."""

from __future__ import annotations

from typing import NamedTuple

from dragoman.types import Candidate, Mention


class Found(NamedTuple):
    """Candidates with their spans, and what became of every stretch that was taken for a name."""

    candidates: tuple[Candidate, ...] = ()
    mentions: tuple[Mention, ...] = ()
