"""In which of a project's languages a text is written: function words and letters that the packs state.

A handful of function words tells short questions apart better than statistics of letters do, costs microseconds, and
can be read and corrected. What shows nothing at all is taken to be in the first (the corpus) language.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.text.tokens import Tokens, tokenize


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text of this language, as people type it."""

    text: str


class Detect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``detect.toml`` of a language.

    ``words`` are common words with their marks; ``bare`` what they look like typed without, where that is no word of
    another language; ``shared`` count half, for other languages have them as well; ``letters`` are found in this
    language and hardly in others; ``weight`` is what a word with such a letter counts.
    """

    words: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    letters: str = ""
    weight: float = 1.0
    example: tuple[Example, ...] = ()


class _Table(NamedTuple):
    words: dict[str, float]
    letters: frozenset[str]
    weight: float


@lru_cache(maxsize=64)
def _table(pack: Language) -> _Table:
    detect = pack.table("detect.toml", Detect)
    weights: dict[str, float] = {}
    for entries, weight in ((detect.shared, 0.5), (detect.bare, 1.0), (detect.words, 1.0)):
        for entry in entries:
            weights.update({t.marked: weight for t in tokenize(entry).tokens})
    return _Table(weights, frozenset(detect.letters), detect.weight)


def scores(tokens: Tokens, packs: Sequence[Language]) -> list[float]:
    """How much each of ``packs`` recognises in ``tokens``: the sum over its words and letters.

    Several steps ask this of the same tokens; the first one reckons.
    """
    known: dict[tuple[Language, ...], list[float]] = tokens.__dict__.setdefault("_scores", {})
    asked = tuple(packs)
    if asked not in known:
        known[asked] = [_score(tokens, _table(pack)) for pack in asked]
    return known[asked]


def _score(tokens: Tokens, table: _Table) -> float:
    words = table.words
    if not tokens.marked:
        return sum([words[key] for key in tokens.keys if key in words])
    total = 0.0
    for token in tokens.tokens:
        weight = words.get(token.marked, 0.0)
        if not weight and not token.bare and table.letters.intersection(token.marked):
            weight = table.weight
        total += weight
    return total


def detect(tokens: Tokens, packs: Sequence[Language]) -> Language:
    """The pack that recognises most of the text; the first of ``packs`` where none recognises more than another."""
    best = scores(tokens, packs)
    return packs[best.index(max(best))]


def plausible(tokens: Tokens, packs: Sequence[Language]) -> list[Language]:
    """The packs that may read the text, likeliest first: those that recognise at least half of what the best does.

    Without this, a word of one language is read as another's: ``vết`` (a wound) as ``vet``.
    """
    best = scores(tokens, packs)
    order = sorted(range(len(packs)), key=lambda i: (-best[i], i))
    return [packs[i] for i in order if 2 * best[i] >= best[order[0]]]
