"""Whom a statement speaks of, and who takes the drug that is asked about: only the taker's facts are the patient's.

A statement is about the person named last before it, a drug about the person named in its own part of the sentence,
else last before it. Where the two are not the same person, or several persons take the drugs, the statement is left
out: an allergy too few is asked for again, one too many is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.text.phrases import Phrasebook, breaks, longest
from dragoman.text.tokens import Tokens
from dragoman.types import Span

FILE = "persons.toml"
SELF = "self"


class Person(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words for one person.

    ``key``: who it is, ``self`` for the one who writes, ``""`` for words that only look like a person (*baby aspirin*).
    ``sex``: ``m``, ``f`` or ``""``. ``like``: keys that may be the same person (a child and a son). ``pronoun``: the
    words stand for the person of that sex who was named last.
    """

    key: str
    words: tuple[str, ...]
    sex: str = ""
    like: tuple[str, ...] = ()
    pronoun: bool = False


class Persons(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``persons.toml`` of a language."""

    person: tuple[Person, ...] = ()


class _Named(NamedTuple):
    first: int
    last: int
    person: Person


@lru_cache(maxsize=32)
def _book(pack: Language) -> Phrasebook[Person]:
    persons = pack.table(FILE, Persons).person
    return Phrasebook(
        ((word, p) for p in persons for word in p.words), marks_matter=pack.marks_matter, where=str(pack.path / FILE)
    )


def bound_to_taker(tokens: Tokens, pack: Language, asked: Sequence[Span]) -> Callable[[Span], bool]:
    """Whether a statement at a span may be about who takes the drugs at ``asked``."""
    named = _named(tokens, pack)
    takers = [p for span in asked if (p := _taker(tokens, named, span)) is not None]
    if not takers or all(p.key == SELF for p in takers):
        return lambda span: True

    def bound(span: Span) -> bool:
        person = _before(tokens, named, span)
        return person is None or all(_same(person, taker) for taker in takers)

    return bound


class Whose:
    """What ``bound_to_taker`` gives, counting in ``others`` what is not the taker's."""

    def __init__(self, bound: Callable[[Span], bool]) -> None:
        self._bound = bound
        self.others = 0

    def bound(self, span: Span) -> bool:
        """Whether what stands at ``span`` may be the taker's."""
        mine = self._bound(span)
        self.others += not mine
        return mine


def _named(tokens: Tokens, pack: Language) -> list[_Named]:
    """The persons of the text by place, pronouns as the person they stand for."""
    found: list[_Named] = []
    for hit in sorted(longest(_book(pack).find(tokens)), key=lambda h: h.first):
        person = hit.value
        if person.pronoun:
            before = (n.person for n in reversed(found) if n.person.key != SELF)
            antecedent = next((p for p in before if p.sex in {"", person.sex} or not person.sex), None)
            if antecedent is not None:
                found.append(_Named(hit.first, hit.last, antecedent))
        elif person.key:
            found.append(_Named(hit.first, hit.last, person))
    return found


def _before(tokens: Tokens, named: Sequence[_Named], span: Span) -> Person | None:
    return next((n.person for n in reversed(named) if tokens.tokens[n.first].start <= span.start), None)


def _taker(tokens: Tokens, named: Sequence[_Named], span: Span) -> Person | None:
    separators = breaks(tokens)
    at = next((i for i, t in enumerate(tokens.tokens) if t.end > span.start), len(tokens))
    first = last = at
    while first > 0 and not separators[first - 1]:
        first -= 1
    while last < len(tokens) - 1 and not separators[last]:
        last += 1
    here = [n for n in named if first <= n.first <= last]
    before = [n.person for n in here if n.first <= at]
    after = [n.person for n in here if n.first > at]
    nearest = before[-1:] or after[:1] or [p for p in [_before(tokens, named, span)] if p is not None]
    if nearest and nearest[0].key == SELF:  # "may I give X to my son"
        nearest = [p for p in after if p.key != SELF][:1] or nearest
    return nearest[0] if nearest else None


def _same(one: Person, other: Person) -> bool:
    return one.key == other.key or other.key in one.like or one.key in other.like
