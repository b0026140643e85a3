"""The profile's cues in a turn: which fields the words settle, field by field (see ``dragoman.profile``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from dragoman.folder import Language, Profile
from dragoman.profile import Book, Cue, book
from dragoman.text.context import assertions
from dragoman.text.phrases import Hit, Slots, longest
from dragoman.text.tokens import Tokens
from dragoman.types import Span


class Found(NamedTuple):
    """A cue in the turn, with the place of its words; ``denied`` where the text denies them."""

    cue: Cue
    span: Span
    length: int
    denied: bool


def find(
    tokens: Tokens, slots: Slots, separators: Sequence[str], profile: Profile, packs: Sequence[Language]
) -> list[Found]:
    """The cues of the first of ``packs`` that has any in the text; by place, overlapping ones all there.

    The first pack is the turn's own language. The others read what is theirs beyond doubt: words with their marks.
    """
    for i, pack in enumerate(packs):
        compiled = book(profile, pack)
        hits = compiled.cues.find(tokens, slots, separators, folds=None if i == 0 else False)
        if hits:
            return _with_denial(tokens, hits, compiled, pack)
    return []


def _with_denial(tokens: Tokens, hits: list[Hit[int]], compiled: Book, pack: Language) -> list[Found]:
    spans = [tokens.span(h.first, h.last) for h in hits]
    states = [i for i, h in enumerate(hits) if compiled.file.cue[h.value].set.population]
    denied = set()
    for i, said in zip(states, assertions(tokens, [spans[i] for i in states], pack), strict=True):
        if said.negated:
            denied.add(i)
    return [
        Found(compiled.file.cue[h.value], spans[i], h.last - h.first, i in denied)
        for i, h in enumerate(hits)
    ]  # fmt: skip


def holds(needs: Iterable[str], facts: frozenset[str]) -> bool:
    """Whether all of ``needs`` are among ``facts`` (``!x``: is not)."""
    return all((need[1:] not in facts) if need.startswith("!") else (need in facts) for need in needs)


def choose(found: Iterable[Found], group: Callable[[Cue], bool], facts: frozenset[str]) -> list[Found]:
    """The cues of a group whose needs hold, the strongest first, then by place.

    Among attributes a longer cue takes the words of a shorter one it overlaps, for it says more ("overdose" of "dose");
    turn types are told by patterns of the whole question, and there the rank alone decides.
    """
    mine = [f for f in found if group(f.cue) and not f.denied and holds(f.cue.needs, facts)]
    mine.sort(key=lambda f: (-f.cue.rank, f.span))
    if group is turn_type:
        return mine
    kept = [h.value for h in longest([Hit(f.span.start, f.span.end, f, f.cue.name) for f in mine])]
    return sorted(kept, key=lambda f: (-f.cue.rank, f.span))


def attribute(cue: Cue) -> bool:
    """Cues that settle the attribute alone."""
    return cue.set.attribute is not None and cue.set.turn_type is None


def turn_type(cue: Cue) -> bool:
    """Cues that settle the turn type, with whatever else."""
    return cue.set.turn_type is not None


def population(cue: Cue) -> bool:
    """Cues that settle the population."""
    return cue.set.population is not None


def route(cue: Cue) -> bool:
    """Cues that settle the route."""
    return cue.set.route is not None
