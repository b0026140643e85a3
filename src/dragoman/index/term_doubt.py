"""Names that are too little of what was asked: of *uterne cancer* nothing is known but *cancer*.

Where the longer name is known, the misspelt word is read as part of it (``index.term_near``). Where it is not, what is
left of the question is one of its words, which may be a name by itself. It is too little where the word beside it, read
as it was meant, names a kind of that: some narrower concept has it in its name. The same holds for a misspelt name
beside a word that is spelt as it should be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dragoman.index.term_values import TAXONOMY, content_keys
from dragoman.text.tokens import tokenize
from dragoman.types import Candidate, Span

if TYPE_CHECKING:
    from dragoman.index.term_match import Matcher
    from dragoman.index.term_take import Take
    from dragoman.index.terms import TermIndex

LEAST = 4  # letters of a word that names a kind
REACH = 3  # words between it and the name
KINDS = 500  # narrower concepts that are asked


class Near(NamedTuple):
    """A word of the vocabulary near a word of the text."""

    word: str
    class_: int
    distance: int


def too_little(
    take: Take,
    sure: Iterable[Candidate],
    fuzzy: Iterable[Candidate],
    misspelt: Iterable[tuple[int, Sequence[Near]]],
    covered: Iterable[Span],
) -> tuple[Span, ...]:
    """The spans of candidates that are too little: of ``sure`` ones beside ``misspelt`` words (places that nothing
    explains, with the words that may be meant), of ``fuzzy`` ones beside words outside ``covered``."""
    matcher = take.matcher
    odd = []
    for at, words in misspelt:
        key = take.keys[at]
        kept = [n for n in words if len(n.word) >= LEAST and n.word not in matcher.stops]
        if kept and len(key) >= LEAST and key.isalpha() and not matcher.index.seen(key):
            odd.append((at, kept))
    found = _beside(take, sure, odd) if odd else []
    doubted = list(fuzzy)
    if doubted:
        held = [*covered, *(c.span for c in doubted)]
        plain = []
        for at in take.open(LEAST):
            class_ = matcher.classes([take.keys[at]])[0]
            token = take.tokens.tokens[take.token(at)]
            if class_ >= 0 and not any(token.start < span.end and span.start < token.end for span in held):
                plain.append((at, [Near(take.keys[at], class_, 0)]))
        found += _beside(take, doubted, plain)
    return tuple(found)


def _beside(take: Take, candidates: Iterable[Candidate], places: Sequence[tuple[int, Sequence[Near]]]) -> list[Span]:
    """The spans of those of ``candidates`` of which a word at one of ``places`` names a kind."""
    found: list[Span] = []
    starts = {t.start: i for i, t in enumerate(take.tokens.tokens)}
    ends = {t.end: i + 1 for i, t in enumerate(take.tokens.tokens)}
    for candidate in candidates:
        span = candidate.span
        first, last = starts.get(span.start), ends.get(span.end)
        if candidate.kind == "drug" or span in found or first is None or last is None:
            continue
        if any(
            _within_reach(take, first, last, take.token(at)) and _names_a_kind(take.matcher, candidate, words)
            for at, words in places
        ):
            found.append(span)
    return found


def _within_reach(take: Take, first: int, last: int, at: int) -> bool:
    """Whether the token at ``at`` and the tokens ``first`` up to ``last`` may be one phrase: no sign but a hyphen is
    between them, and of the function words only those that say where or whose."""
    low, high = (last - 1, at) if at >= last else (at, first)
    if not 0 < high - low <= REACH + 1 or any(take.tokens.gap(i) not in (" ", "-") for i in range(low, high)):
        return False
    rules, stops = take.matcher.composer.rules, take.matcher.stops
    within = (rules.links, rules.links_any, rules.determiners)
    return all(key not in stops or any(key in words for words in within) for key in take.tokens.keys[low + 1 : high])


def _names_a_kind(matcher: Matcher, candidate: Candidate, words: Sequence[Near]) -> bool:
    """Whether a concept below what ``candidate`` names has one of ``words`` in a name, or begins a word of it so."""
    index = matcher.index
    classes = {near.class_ for near in words}
    beginnings = tuple({near.word[:LEAST] for near in words})
    whole = tuple(near.word for near in words)
    level = _concepts(index, candidate)
    seen = set(level)
    while level and len(seen) < KINDS:
        below = [c for concept in level for c in index.children[concept] if c not in seen]
        level = list(dict.fromkeys(below))
        seen.update(level)
        for concept in level:
            for term in index.terms_of[concept]:
                text = index.text[term].casefold()
                if not any(beginning in text for beginning in beginnings):
                    continue
                keys = content_keys(tokenize(text))
                if any(key.startswith(whole) for key in keys) or not classes.isdisjoint(matcher.classes(keys)):
                    return True
    return False


def _concepts(index: TermIndex, candidate: Candidate) -> list[int]:
    if candidate.kind == "concept":
        number = index.number(candidate.id, candidate.source)
        return [] if number is None else [number]
    entity = index.entity(candidate.id) if candidate.source == TAXONOMY else None
    return [] if entity is None else list(index.entity_concepts[entity])
