"""Misspelt words: near is one letter, or two swapped, in a long word; in a very long one, two.

A word of one of the languages is never a misspelt one, the first letter is right (as in 97 to 100% of real
misspellings), and edits stay inside one word.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from dragoman.index.found import Found
from dragoman.index.term_options import Option, readings
from dragoman.index.term_take import Take
from dragoman.index.words_build import FUZZY, deletes
from dragoman.text.tokens import Tokens
from dragoman.types import Span

if TYPE_CHECKING:
    from dragoman.index.term_match import Matcher

ALONE = 8  # letters of a misspelt word that is a term of its own
TWO = 12  # letters from which two edits are near
OWNERS = 3  # more owners than these say nothing


def near(matcher: Matcher, tokens: Tokens, message: int, covered: Iterable[Span]) -> Found:
    """See ``TermIndex.near``."""
    if not tokens.tokens:
        return Found()
    take = Take(matcher, tokens, message)
    held = list(covered)
    free = [at for at in take.open(FUZZY) if not any(_inside(tokens, take.token(at), span) for span in held)]
    free = [
        at for at in free if matcher.vocabulary.row(take.keys[at]) < 0 and not matcher.index.everyday(take.keys[at])
    ]
    if not free:
        return Found()
    classes = matcher.classes(take.keys)
    choices: list[list[Option]] = [[Option(c, None)] if c >= 0 else [] for c in classes]
    changed: set[int] = set()
    for at in free:
        for word, distance in neighbours(matcher, take.keys[at]):
            class_ = matcher.class_of[matcher.vocabulary.row(word)]
            choices[at].append(Option(class_, f"fuzzy: {distance} edit{'s' if distance > 1 else ''}"))
            changed.add(at)
    if changed:
        _walk(matcher, choices, changed, take)
    return take.found()


def neighbours(matcher: Matcher, key: str) -> list[tuple[str, int]]:
    """Words of the vocabulary near ``key``, the nearest only."""
    folded = matcher.spelling.fold(key)
    best: dict[str, int] = {}
    limit = 2 if len(key) >= TWO else 1
    seen: set[int] = set()
    for form in deletes(folded):
        for number in matcher.deletes.get(form) or ():
            if number in seen:
                continue
            seen.add(number)
            word = matcher.words[number]
            if word[0] != key[0]:
                continue
            distance = OSA.distance(folded, matcher.spelling.fold(word), score_cutoff=limit)
            if distance <= limit:
                best[word] = max(1, distance)
    if not best:
        return []
    least = min(best.values())
    return sorted((w, d) for w, d in best.items() if d == least)


def _walk(matcher: Matcher, choices: list[list[Option]], changed: set[int], take: Take) -> None:
    """Offer the spans with one misspelt word, long enough as a whole."""
    size = len(choices)
    for first in range(size):
        for option in choices[first]:
            lengths = matcher.starts[option.class_]
            for length in range(min(lengths.bit_length() - 1, size - first), 0, -1):
                last = first + length
                if not lengths >> length & 1 or sum(map(len, take.keys[first:last])) < ALONE:
                    continue
                if sum(first <= at < last for at in changed) != 1:
                    continue
                for reading in readings(option, choices[first + 1 : last]):
                    why = next((o.why for o in reading if o.why is not None), None)
                    terms = matcher.spans.get(" ".join(str(o.class_) for o in reading))
                    if why is not None and terms is not None:
                        take.offer(first, last, terms, why, "fuzzy")


def _inside(tokens: Tokens, at: int, span: Span) -> bool:
    token = tokens.tokens[at]
    return token.start < span.end and span.start < token.end
