"""A message as terms are looked for in it: its words, and what its capitals, marks and function words tell of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.index.term_values import is_apostrophe
from dragoman.text.fold import TONES
from dragoman.text.morphology import Form
from dragoman.text.phrases import typed_bare
from dragoman.text.tokens import Tokens

if TYPE_CHECKING:
    from dragoman.index.term_match import Matcher

SHORT_NAME = 4  # letters of a name that is a term as well: Cor, Lien
_OPENS = frozenset("!?;:.()\n\"'“”‘’«»-–—/")  # signs behind which a capital is no name's


class TermText:
    """One message. ``keys`` are the tokens' keys without the ``s`` behind an apostrophe; places are places in them,
    but for ``low`` and ``high``, which are places in ``tokens``."""

    # worked out when first asked for, as few texts need them
    _language: tuple[str | None] | None = None
    _bare: bool | None = None
    _loud: bool | None = None
    _titled: bool | None = None
    _functions: dict[str, int] | None = None

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
        self._lemmas: list[list[Form] | None] = [None] * len(keys)

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
            return following[:1].isupper() and following[1:].islower() and not self.title_case()
        return not self.title_case()

    def title_case(self) -> bool:
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

    def typed_bare(self) -> bool:
        """Whether the text was typed without marks."""
        if self._bare is None:
            self._bare = typed_bare(self.tokens)
        return self._bare

    def free_of_marks(self, low: int, high: int) -> bool:
        """Whether the words have no mark of a language in which it would make them other words."""
        for token in self.tokens.tokens[low:high]:
            if token.key != token.marked and any(c in TONES or c in self.matcher.letters for c in token.marked):
                return False
        return True

    def addressed(self, at: int) -> bool:
        """Whether the word is a name behind a form of address."""
        here = self.token(at)
        title = self.tokens.keys[here - 1] if here else ""
        if title not in self.matcher.names.titles:
            return False
        if self.tokens.gap(here - 1) not in ((" ", ". ") if len(title) <= SHORT_NAME else (" ",)):
            return False
        surface = self.tokens.surface(here, here + 1)
        return surface[:1].isupper() and surface[1:].islower() and not self.title_case()

    def said_of_a_person(self, at: int) -> bool:
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

    def among_strangers(self, low: int) -> bool:
        """Whether the word before is none of the project's languages: then a short word in small letters may be one of
        that other language (``mon ami``)."""
        if low == 0:
            return False
        key = self.tokens.keys[low - 1]
        matcher = self.matcher
        if len(key) < 3 or key.isdigit() or not key.isalpha() or key in matcher.stops:
            return False
        return matcher.vocabulary.row(key) < 0 and not matcher.index.everyday(key)

    def short_plural(self, low: int, high: int) -> bool:
        """Whether the words are capitals with a small ending, as in ``TIAs``."""
        surface = self.tokens.surface(low, high)
        return len(surface) > 2 and surface[:-1].isupper() and surface[-1].islower()

    def shouted(self) -> bool:
        """Whether the text is all capitals, so that capitals say nothing; one word alone may be an abbreviation."""
        if self._loud is None:
            words = [t for t in self.tokens.tokens if not t.key.isdigit()]
            self._loud = len(words) > 1 and self.tokens.text.upper() == self.tokens.text
        return self._loud

    def loud_around(self, low: int, high: int) -> bool:
        """Whether a word beside is an everyday word in capitals, so that capitals are this line's style."""
        for at in (low - 1, high):
            if 0 <= at < len(self.tokens):
                key = self.tokens.keys[at]
                if len(key) > 3 and self.tokens.surface(at, at + 1).isupper() and self.matcher.index.everyday(key):
                    return True
        return False
