"""Decides which terms that a span may be really count: the hits, of which ``term_found`` makes candidates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

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
    is_apostrophe,
)
from dragoman.text.fold import TONES
from dragoman.text.morphology import Form
from dragoman.text.phrases import typed_bare
from dragoman.text.tokens import Tokens
from dragoman.types import Match

if TYPE_CHECKING:
    from dragoman.index.term_match import Matcher

_ENDS = frozenset("!?;")  # a term never goes over the end of a sentence
_BREAKS = frozenset("!?;,:.()")  # nor does anything but an exact match over any sign
_OPENS = frozenset("!?;:.()\n\"'“”‘’«»-–—/")  # signs behind which a capital is no name's
NAME_LENGTH = 7  # letters of a word that is a name by its capital, where it is no term as it stands
COGNATE = 6  # letters of a word that two languages hardly ever have by chance: migraine, diabetes
SHORT_NAME = 4  # letters of a name that is a term as well: Cor, Lien
FOLDED = 0.95  # score of a match that gave up the marks of a language where they carry meaning
VARIANT = 0.9
FUZZY = 0.7


class Hit(NamedTuple):
    """One owner of one span."""

    owner: int
    match: Match
    why: str | None
    score: float


class Take:
    """The hits in one message. ``keys`` are the tokens' keys without the ``s`` behind an apostrophe."""

    def __init__(self, matcher: Matcher, tokens: Tokens, message: int) -> None:
        self.matcher = matcher
        self.tokens = tokens
        self.message = message
        keys = tokens.keys
        self._place: list[int] | None = None
        if "s" in keys:
            place = [i for i, k in enumerate(keys) if not (k == "s" and i and is_apostrophe(tokens.gap(i - 1)))]
            self._place = place
            keys = [keys[i] for i in place]
        self.keys: list[str] = keys
        self.hits: dict[tuple[int, int], list[Hit]] = {}
        self._covered = bytearray(len(keys))
        self._lemmas: list[list[Form] | None] = [None] * len(keys)
        self._language: tuple[str | None] | None = None
        self._bare: bool | None = None
        self._loud: bool | None = None
        self._titled: bool | None = None
        self._functions: dict[str, int] | None = None

    def token(self, at: int) -> int:
        """The place in ``tokens`` of the key at ``at``."""
        return at if self._place is None else self._place[at]

    def bounds(self, first: int, last: int) -> tuple[int, int]:
        """The places in ``tokens`` of the keys ``first`` up to ``last``."""
        return (first, last) if self._place is None else (self._place[first], self._place[last - 1] + 1)

    def gap(self, at: int) -> str:
        """What stands between the key at ``at`` and the next."""
        if self._place is None or at + 1 >= len(self._place):
            return self.tokens.gap(self.token(at))
        start = self.tokens.tokens[self._place[at]].end
        return self.tokens.text[start : self.tokens.tokens[self._place[at + 1]].start]

    def open(self, least: int) -> list[int]:
        """The places of words of at least ``least`` letters that no hit covers and that are no stop words."""
        stops, covered = self.matcher.stops, self._covered
        return [
            i
            for i, key in enumerate(self.keys)
            if not covered[i] and len(key) >= least and key not in stops and not key.isdigit()
        ]

    def covered(self, first: int, last: int) -> bool:
        """Whether hits cover all keys from ``first`` up to ``last``."""
        return all(self._covered[first:last])

    def lemmas(self, at: int) -> list[Form]:
        """The dictionary forms of the key at ``at``; worked out once a message."""
        if self._lemmas[at] is None:
            self._lemmas[at] = self.matcher.morphology.lemmas(self.keys[at])
        return self._lemmas[at] or []

    def beside_subject(self, at: int) -> bool:
        """Whether a pronoun stands beside the key at ``at`` that a verb's stem goes with."""
        subject = self.matcher.morphology.is_subject
        return any(0 <= i < len(self.keys) and subject(self.keys[i]) for i in (at - 1, at + 1))

    def named(self, first: int, last: int) -> bool:
        """Whether the words look like a name: a capital and small letters, inside a sentence that is not all so."""
        low, high = self.bounds(first, last)
        surface = self.tokens.surface(low, high)
        if not (surface[:1].isupper() and surface[1:].islower()):
            return False
        if low == 0 or any(c in _OPENS for c in self.tokens.gap(low - 1)):
            following = self.tokens.surface(high, high + 1) if high < len(self.tokens) else ""
            if following.islower() and self.tokens.keys[high] in self.matcher.names.after:
                return high - low == 1 and len(surface) <= SHORT_NAME
            return following[:1].isupper() and following[1:].islower() and not self._title_case()
        return not self._title_case()

    def _title_case(self) -> bool:
        """Whether most words have a capital, so that capitals say nothing."""
        if self._titled is None:
            words = [self.tokens.surface(i, i + 1) for i in range(len(self.tokens))]
            self._titled = 2 * sum(w[:1].isupper() for w in words) > len(words)
        return self._titled

    @property
    def functions(self) -> dict[str, int]:
        """How many different function words of each language the text has."""
        if self._functions is None:
            keys = set(self.keys)
            self._functions = {code: len(keys & stops) for code, stops in self.matcher.stops_of.items()}
        return self._functions

    @property
    def language(self) -> str | None:
        """The language that the text's function words speak for, if one has more than all others."""
        if self._language is None:
            ranked = sorted(((count, code) for code, count in self.functions.items()), reverse=True)
            clear = bool(ranked) and ranked[0][0] > (ranked[1][0] if len(ranked) > 1 else 0)
            self._language = (ranked[0][1] if clear else None,)
        return self._language[0]

    # --- deciding -----------------------------------------------------------------------------------------------------

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
                if not same and not (why is None and self._typed_bare()):
                    continue
                kind, score = "exact", 1.0 if same else FOLDED
            elif why is None:
                if digest == digest_of[term]:
                    kind = "exact"
                else:
                    reason = INFLECTION
                if matcher.marks and not self._free_of_marks(low, high):
                    continue
            if kind != "exact":
                if last - first > 1 and self._crosses(first, last, _BREAKS):
                    # a term that has the sign itself may stand over it
                    own = _BREAKS.difference(matcher.index.text[term])
                    if self._crosses(first, last, own):
                        continue
                score = FUZZY if kind == "fuzzy" else VARIANT
            if flags & CAPITAL and not self.tokens.surface(low, high)[:1].isupper():
                continue
            if flags & ABBREVIATION:
                if kind == "variant" and not self._plural(low, high):
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

    def _typed_bare(self) -> bool:
        if self._bare is None:
            self._bare = typed_bare(self.tokens)
        return self._bare

    def _free_of_marks(self, low: int, high: int) -> bool:
        """Whether the words have no mark of a language in which it would make them other words."""
        for token in self.tokens.tokens[low:high]:
            if token.key != token.marked and any(c in TONES or c in self.matcher.letters for c in token.marked):
                return False
        return True

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
        if self._addressed(at):
            return True
        short = matcher.flags[term] & ABBREVIATION
        inflected = kind == "variant" and (why is None or not why.startswith((SPELLING, COMPOUND)))
        if len(key) > NAME_LENGTH or not (short or inflected or len(key) <= SHORT_NAME):
            return False
        if short and key in matcher.names.small:
            return False
        if not self.named(at, at + 1):
            return len(key) <= SHORT_NAME and not matcher.index.everyday(key) and self._said_of_a_person(at)
        written = matcher.index.text[term]
        language = matcher.index.term_languages[matcher.term_language[term]]
        word = matcher.index.everyday(key, language if matcher.index.has_words(language) else None)
        if written[:1].isupper() and written[1:].islower():
            return inflected and not word
        return bool(short) or not word

    def _addressed(self, at: int) -> bool:
        """Whether the word is a name behind a form of address."""
        here = self.token(at)
        title = self.tokens.keys[here - 1] if here else ""
        if title not in self.matcher.names.titles:
            return False
        if self.tokens.gap(here - 1) not in ((" ", ". ") if len(title) <= SHORT_NAME else (" ",)):
            return False
        surface = self.tokens.surface(here, here + 1)
        return surface[:1].isupper() and surface[1:].islower() and not self._title_case()

    def _said_of_a_person(self, at: int) -> bool:
        """Whether a word in small letters begins a sentence that is about a person of this name."""
        here, keys, names = self.token(at), self.tokens.keys, self.matcher.names
        if here and not any(c in _OPENS for c in self.tokens.gap(here - 1)):
            return False
        behind = keys[here + 1 : here + 4]
        return bool(behind) and (
            behind[0] in names.persons
            or (
                len(behind) > 2
                and behind[0] in names.after
                and behind[1] in names.mine
                and behind[2] in names.relatives
            )
        )

    def _evidence(self, low: int, high: int, flags: int, kind: Match) -> str | None:
        """What speaks for an abbreviation here; None where it is none."""
        if kind == "fuzzy":
            return None
        surface = self.tokens.surface(low, high)
        letters = [c for c in surface if c.isalpha()]
        capitals = sum(c.isupper() for c in letters)
        whole = high - low == len(self.tokens)
        if capitals >= 2 and not self._shouted() and not self._loud_around(low, high):
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
        return SHORT_NO_EVIDENCE if len(letters) <= 2 or self._among_strangers(low) else SHORT

    def _among_strangers(self, low: int) -> bool:
        """Whether the word before is none of the project's languages: then a short word in small letters may be one of
        that other language (``mon ami``)."""
        if low == 0:
            return False
        key = self.tokens.keys[low - 1]
        matcher = self.matcher
        if len(key) < 3 or key.isdigit() or not key.isalpha() or key in matcher.stops:
            return False
        return matcher.vocabulary.row(key) < 0 and not matcher.index.everyday(key)

    def _plural(self, low: int, high: int) -> bool:
        """Whether the words are capitals with a small ending, as in ``TIAs``."""
        surface = self.tokens.surface(low, high)
        return len(surface) > 2 and surface[:-1].isupper() and surface[-1].islower()

    def _shouted(self) -> bool:
        """Whether the text is all capitals, so that capitals say nothing; one word alone may be an abbreviation."""
        if self._loud is None:
            words = [t for t in self.tokens.tokens if not t.key.isdigit()]
            self._loud = len(words) > 1 and self.tokens.text.upper() == self.tokens.text
        return self._loud

    def _loud_around(self, low: int, high: int) -> bool:
        """Whether a word beside is an everyday word in capitals, so that capitals are this line's style."""
        for at in (low - 1, high):
            if 0 <= at < len(self.tokens):
                key = self.tokens.keys[at]
                if len(key) > 3 and self.tokens.surface(at, at + 1).isupper() and self.matcher.index.everyday(key):
                    return True
        return False
