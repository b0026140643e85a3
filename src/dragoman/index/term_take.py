"""Decides which terms that a span may be really count: the hits, of which ``term_found`` makes candidates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from dragoman.index.term_text import SHORT_NAME, TermText
from dragoman.index.term_values import (
    ABBREVIATION,
    CAPITAL,
    COMPOUND,
    EVERYDAY,
    INFLECTION,
    MARKS,
    SHORT,
    SHORT_CAPITALS,
    SHORT_NO_EVIDENCE,
    SHORT_WHOLE,
    SPELLING,
    digest32,
)
from dragoman.text.tokens import LONGEST_WORD, Tokens, tokenize
from dragoman.types import Match

if TYPE_CHECKING:
    from dragoman.index.term_match import Matcher

_ENDS = frozenset("!?;")  # a term never goes over the end of a sentence
_BREAKS = frozenset("!?;,:.()")  # nor does anything but an exact match over any sign
NAME_LENGTH = 7  # letters of a word that is a name by its capital, where it is no term as it stands
COGNATE = 6  # letters of a word that two languages hardly ever have by chance: migraine, diabetes
FOLDED = 0.95  # score of a match that gave up the marks of a language where they carry meaning
VARIANT = 0.9
FUZZY = 0.7


class Hit(NamedTuple):
    """One owner of one span."""

    owner: int
    match: Match
    why: str | None
    score: float


class Take(TermText):
    """The hits in one message, and which of its keys they cover."""

    def __init__(self, matcher: Matcher, tokens: Tokens, message: int) -> None:
        super().__init__(matcher, tokens, message)
        self.hits: dict[tuple[int, int], list[Hit]] = {}
        self._covered = bytearray(len(self.keys))

    def open(self, least: int) -> list[int]:
        """The places of words of at least ``least`` letters, and no more than any has, that no hit covers and that are
        no stop words."""
        stops, covered = self.matcher.stops, self._covered
        return [
            i
            for i, key in enumerate(self.keys)
            if not covered[i] and least <= len(key) <= LONGEST_WORD and key not in stops and not key.isdigit()
        ]

    def covered(self, first: int, last: int) -> bool:
        """Whether hits cover all keys from ``first`` up to ``last``."""
        return all(self._covered[first:last])

    def offer(self, first: int, last: int, terms: Iterable[int], why: str | None, match: Match | None = None) -> bool:
        """Take those of ``terms`` that count for the keys ``first`` up to ``last``; whether any does.

        ``why``: how the span leads to the terms, None where its words are theirs; then a term's digest tells an exact
        match from an inflected one.
        """
        matcher = self.matcher
        flags_of, digest_of = matcher.flags, matcher.digest
        low, high = self.bounds(first, last)
        if last - first > 1 and self._crosses(first, last, _ENDS):
            return False
        if last - first == 1 and self.keys[first] in matcher.composer.rules.behind_determiner:
            determined = first and self.keys[first - 1] in matcher.composer.rules.determiners
            if not determined and len(self.keys) > 1:
                return False
        digest = digest32(self.tokens.key(low, high)) if why is None else -1
        marked = 0
        taken: list[Hit] = []
        for term in terms:
            flags = flags_of[term]
            reason, score = why, 1.0
            kind: Match = match or "variant"
            if flags & MARKS:
                if not marked:
                    marked = digest32(self.tokens.marked_key(low, high))
                same = marked == digest_of[term]
                if not same and not (why is None and self.typed_bare()):
                    continue
                kind, score = "exact", 1.0 if same else FOLDED
            elif why is None:
                if digest == digest_of[term]:
                    kind = "exact"
                else:
                    reason = INFLECTION
                if matcher.marks and not self.free_of_marks(low, high):
                    continue
            if kind != "exact":
                if last - first > 1 and self._crosses(first, last, _BREAKS):
                    # a term that has the sign itself may stand over it
                    own = _BREAKS.difference(matcher.index.text[term])
                    if self._crosses(first, last, own):
                        continue
                if last - first > 2 and self._denies(first, last, term):
                    continue
                score = FUZZY if kind == "fuzzy" else VARIANT
            if flags & CAPITAL and not self.tokens.surface(low, high)[:1].isupper():
                continue
            if flags & ABBREVIATION:
                if kind == "variant" and not self.short_plural(low, high):
                    continue
                evidence = self._evidence(low, high, flags, kind)
                if evidence is None:
                    continue
                reason = evidence
            if last - first == 1 and (self._foreign(term, first, kind) or self._name(term, first, kind, why)):
                continue
            taken.append(Hit(matcher.owner[term], kind, reason, score))
        if not taken:
            return False
        self.hits.setdefault((first, last), []).extend(taken)
        for at in range(first, last):
            self._covered[at] = 1
        return True

    def _crosses(self, first: int, last: int, signs: frozenset[str]) -> bool:
        for at in range(first, last - 1):
            gap = self.gap(at)
            if gap != " " and any(c in signs for c in gap):
                return True
            # a full stop ends a sentence unless it is an abbreviation's or stands inside a word
            if gap.startswith(". ") and len(self.keys[at]) > 3:
                return True
        return False

    def _denies(self, first: int, last: int, term: int) -> bool:
        """Whether a word inside denies what the words around it would name: a knie that is *niet* gezwollen."""
        found = self.matcher.denials.intersection(self.keys[first + 1 : last - 1])
        return bool(found) and not found.issubset(tokenize(self.matcher.index.text[term]).keys)

    def _foreign(self, term: int, at: int, kind: Match) -> bool:
        """Whether a word is everyday in the language that the text is written in, and the term is of another.

        ``long`` is no lung in an English sentence. The text's language shows in its function words.
        """
        matcher = self.matcher
        index = matcher.index
        if len(matcher.stops_of) < 2:
            return False
        language = index.term_languages[matcher.term_language[term]]
        key = self.keys[at]
        own = self.functions.get(language, 0)
        at_home = index.everyday(key, language if language in matcher.stops_of else None)
        if (len(key) > 3 and not at_home) or (len(key) >= COGNATE and kind == "exact"):
            return False  # a term that both languages share: no everyday word of its own language, or written alike
        return any(
            count > own and count > 1 and code != language and index.everyday(key, code)
            for code, count in self.functions.items()
        )

    def _name(self, term: int, at: int, kind: Match, why: str | None) -> bool:
        """Whether the word is somebody's or a place's name, and ``term`` only looks like it.

        An unknown word with a capital is no inflection (``Heeze`` is not hoarse), and a short one is not the term that
        is written small (``Cor`` is not the heart). An abbreviation has all its capitals or none.
        """
        matcher, key = self.matcher, self.keys[at]
        if self.addressed(at):
            return True
        short = matcher.flags[term] & ABBREVIATION
        inflected = kind == "variant" and (why is None or not why.startswith((SPELLING, COMPOUND)))
        if len(key) > NAME_LENGTH or not (short or inflected or len(key) <= SHORT_NAME):
            return False
        if short and key in matcher.names.small:
            return False
        if not self.named(at, at + 1):
            return len(key) <= SHORT_NAME and not matcher.index.everyday(key) and self.said_of_a_person(at)
        written = matcher.index.text[term]
        language = matcher.index.term_languages[matcher.term_language[term]]
        word = matcher.index.everyday(key, language if matcher.index.has_words(language) else None)
        if written[:1].isupper() and written[1:].islower():
            return inflected and not word
        return bool(short) or not word

    def _evidence(self, low: int, high: int, flags: int, kind: Match) -> str | None:
        """What speaks for an abbreviation here; None where it is none."""
        if kind == "fuzzy":
            return None
        surface = self.tokens.surface(low, high)
        letters = [c for c in surface if c.isalpha()]
        capitals = sum(c.isupper() for c in letters)
        whole = high - low == len(self.tokens)
        if capitals >= 2 and not self.shouted() and not self.loud_around(low, high):
            return SHORT_CAPITALS
        key = self.tokens.key(low, high)
        if key in self.matcher.stops:
            return SHORT_WHOLE if whole and capitals == len(letters) else None
        if whole:
            return SHORT_WHOLE
        if key in self.matcher.names.small:
            return SHORT
        if flags & EVERYDAY:
            return None
        return SHORT_NO_EVIDENCE if len(letters) <= 2 or self.among_strangers(low) else SHORT
