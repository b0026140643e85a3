"""What the person is allergic to where no vocabulary knows it: it must be seen, though nothing can be looked up for it.

Behind words that announce an allergen (``allergen`` of ``patient.toml``) stands one: a word that is none of the
language's, or the few words up to where the statement ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from dragoman.folder import Language
from dragoman.text.context import Assertion, assertions, endings, reached
from dragoman.text.context_cues import Reaches
from dragoman.text.phrases import Phrasebook, breaks, longest
from dragoman.text.tokens import Tokens, fold_key
from dragoman.text.words import words
from dragoman.types import ContextEntry, Span

_MOST = 3  # words of an allergen
_LEAST = 4  # letters of a word that no language has and that therefore is a name
_LISTS = ("commonwords.txt", "otherwords.txt")  # folded as they stand
_LABEL = frozenset({"", ":", "-"})


@lru_cache(maxsize=8)
def _known(pack: Language) -> frozenset[str]:
    return words((pack,)).union(*(pack.lines(name) for name in _LISTS))


@lru_cache(maxsize=8)
def _stops(pack: Language) -> frozenset[str]:
    return frozenset(w if pack.marks_matter else fold_key(w) for w in pack.words("stopwords.txt"))


def unlisted(
    tokens: Tokens,
    pack: Language,
    announced: Phrasebook[None],
    roles: Reaches,
    held: Sequence[Span],
    named: Sequence[Span] = (),
) -> list[tuple[ContextEntry, dict[str, str], Assertion]]:
    """What stands behind ``announced`` words where no span of ``held`` does, with the cues of ``roles`` that reach it
    and what is said of it; what is in doubt is left out, and what is all one name of a condition (``named``)."""
    spans = dict.fromkeys(_spans(tokens, pack, announced, roles, held))
    found = [s for s in spans if not any(n.start < s.start and s.end <= n.end for n in named)]
    cues, said = reached(tokens, found, roles), assertions(tokens, found, pack)
    return [
        (ContextEntry(text=tokens.text[span.start : span.end], span=span), c, a)
        for span, c, a in zip(found, cues, said, strict=True)
        if not a.uncertain
    ]


def _spans(
    tokens: Tokens, pack: Language, announced: Phrasebook[None], roles: Reaches, held: Sequence[Span]
) -> Iterator[Span]:
    separators = breaks(tokens)
    hits = longest(announced.find(tokens, None, separators))
    ends = endings(tokens, roles) if hits else frozenset()
    for hit in hits:
        first = hit.last
        while first < len(tokens) and separators[first - 1] in _LABEL and _stop(tokens, first, pack):
            first += 1
        if first == len(tokens) or separators[first - 1] not in _LABEL:
            continue
        last = _end(tokens, first, pack, separators, ends)
        span = tokens.span(first, last) if last > first else None
        if span is not None and not any(span.overlaps(other) for other in held):
            yield span


def _end(tokens: Tokens, first: int, pack: Language, separators: Sequence[str], ends: frozenset[int]) -> int:
    """The token after the allergen that begins at ``first``; ``first`` where it cannot be told."""
    last = first
    while last < len(tokens) and _strange(tokens, last, pack) and (last == first or not separators[last - 1]):
        last += 1
    if last > first:
        return last
    while last < len(tokens) and last - first < _MOST and not _stop(tokens, last, pack) and last not in ends:
        last += 1
        if separators[last - 1]:
            return last
    stopped = last == len(tokens) or last in ends or _stop(tokens, last, pack)
    return last if stopped else first


def _stop(tokens: Tokens, at: int, pack: Language) -> bool:
    token = tokens.tokens[at]
    return (token.marked if pack.marks_matter else token.key) in _stops(pack)


def _strange(tokens: Tokens, at: int, pack: Language) -> bool:
    key = tokens.keys[at]
    return len(key) >= _LEAST and key.isascii() and key.isalpha() and key not in _known(pack)
