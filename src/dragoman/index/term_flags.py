"""Which terms are abbreviations, everyday words or names, and so need more than their letters to be meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dragoman.folder import Language
from dragoman.index.term_lists import COMMON, Lists
from dragoman.index.term_rows import Rows
from dragoman.index.term_values import ABBREVIATION, CAPITAL, EPONYM, EVERYDAY, SYNONYM
from dragoman.index.terms_read import Term
from dragoman.text.abbreviations import initials, is_abbreviation
from dragoman.text.morphology import PLURAL, Morphology
from dragoman.text.tokens import fold_key
from dragoman.text.words import words

SHORT_NAME = 5  # letters of a name that needs its capital where it is an everyday word too: Down, Still
SPELT = 3  # letters of an abbreviation that may be told from a word by its letters
LONG_WORD = 4  # letters that are too few to show how words begin and end
RARE = 10  # words that are too few for that


class Flags:
    """The rules of the project's languages."""

    def __init__(self, languages: Sequence[Language], lists: Lists, stops: frozenset[str]) -> None:
        self.languages = languages
        self.everyday = lists.everyday
        self.stops = stops
        self._edges: dict[str, tuple[frozenset[str], frozenset[str], Counter[str]]] | None = None

    def mark(self, rows: Rows, concepts: int) -> list[str]:
        """Mark in ``rows.flags`` abbreviations (by their capitals, or as the initials of another term of their owner)
        and everyday words; returns the terms that are both or are stop words. Owners below ``concepts`` are
        concepts."""
        found: list[str] = []
        flags, tokens = rows.flags, rows.tokens
        of = _by_owner(rows)
        for number, (term, keys) in enumerate(zip(rows.terms, tokens, strict=True)):
            if len(keys) > 2 or len(term.text) > 9:
                continue
            key = "".join(keys)
            common = key in self.everyday
            short = is_abbreviation(term.text)
            if not short and _may_be_initials(keys):
                others = [tokens[n] for n in of[term.owner] if n != number]
                short = any(initials(key, o, self.stops) for o in (*others, *rows.there.get(term.owner, ())))
            # a short word that is everyday too, and not the name of what it stands for: Latin "ren" for the kidney
            bare = term.text.casefold() == key  # "sốt" is not "sot": marks make it another word
            stray = common and bare and len(key) <= 3 and term.type == SYNONYM and term.owner < concepts
            short = short or stray
            if short and common and self._spelt(key):
                common = False
            if term.type == EPONYM and common and (len(key) <= SHORT_NAME or self._plain(key)):
                flags[number] |= CAPITAL
            if short:
                flags[number] |= ABBREVIATION
            if common:
                flags[number] |= EVERYDAY
            if (short and common) or (len(keys) == 1 and key in self.stops):
                flags[number] |= ABBREVIATION
                found.append(term.text)
        return found

    def _plain(self, name: str) -> bool:
        """Whether a name is a form of a frequent word too: Graves."""
        return any(
            form.word in pack.words(COMMON)
            for pack in self.languages
            if name in pack.words(COMMON)
            for form in Morphology([pack]).lemmas(name, PLURAL)
        )

    def _spelt(self, key: str) -> bool:
        """Whether ``key``, which lists of words have, is spelt and not read (``ivf``): it begins or ends as hardly any
        long word of those languages does, and is not so frequent that it may be a measure or a thing (``dvd``)."""
        if len(key) < SPELT:
            return False
        if self._edges is None:
            self._edges = {}
            for pack in self.languages:
                own = words([pack])
                edges = Counter(e for w in own if len(w) > LONG_WORD for e in (w[:2], f"-{w[-2:]}"))
                self._edges[pack.code] = (own, frozenset(pack.lines(COMMON)), edges)
        return all(
            key not in own or (key not in frequent and min(edges[key[:2]], edges[f"-{key[-2:]}"]) < RARE)
            for own, frequent, edges in self._edges.values()
        )


def _may_be_initials(keys: list[str]) -> bool:
    return len(keys) == 1 and 2 <= len(keys[0]) <= 6


def _by_owner(rows: Rows) -> dict[int, list[int]]:
    """The terms of each owner one of whose terms may be the initials of another."""
    pairs = zip(rows.terms, rows.tokens, strict=True)
    found: dict[int, list[int]] = {term.owner: [] for term, keys in pairs if _may_be_initials(keys)}
    for number, term in enumerate(rows.terms):
        if term.owner in found:
            found[term.owner].append(number)
    return found


def proper(terms: Sequence[Term]) -> frozenset[str]:
    """Words that stand with a capital inside terms, or are eponyms, and are never written without."""
    capital: set[str] = set()
    small: set[str] = set()
    for term in terms:
        for place, word in enumerate(term.text.split()):
            if word[:1].islower():
                small.add(word)
            elif word[1:].islower() and (place or term.type == EPONYM):
                capital.add(word)
    small_keys = {fold_key(w) for w in small if w.isascii()}
    return frozenset(key for w in capital if (key := fold_key(w)) not in small_keys and w.casefold() not in small)
