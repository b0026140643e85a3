"""The words of the vocabulary: which are one word in several forms.

Tokens that are inflections of one word share a *class*, and terms are looked up by the classes of their tokens. A
class is the number of its first word. An organisation's words join classes of the terminologies', and never make one
class of two of those.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import TYPE_CHECKING

from dragoman.folder import Language
from dragoman.index.term_lists import COMMON, Lists
from dragoman.index.term_values import OTHER
from dragoman.text.morphology import EVERYWHERE, NAMING, Kind, Morphology

if TYPE_CHECKING:
    from dragoman.index.words_below import WordsBelow

NOUNS: frozenset[Kind] = frozenset({"noun", "diminutive"})


class WordClasses:
    """The vocabulary's words in classes of one word each.

    ``below``: the vocabulary of the terminologies, which this one continues. ``joins``: whether words have other forms
    at all.
    """

    def __init__(
        self,
        packs: Sequence[Language],
        lists: Lists,
        stops: frozenset[str],
        below: WordsBelow | None = None,
        *,
        joins: bool = True,
    ) -> None:
        shared = [p for p in packs if p.code == EVERYWHERE]
        self.packs = packs
        self.lists = lists
        self.stops = stops
        self.morphologies = {p.code: Morphology([p, *shared]) for p in packs if p.code != EVERYWHERE}
        self.bits = {pack.code: 1 << at for at, pack in enumerate(packs)}
        self.below = below
        self.base = len(below) if below is not None else 0
        self.vocabulary: dict[str, int] = {}
        self.languages: list[set[str]] = []
        # "<language>:<dictionary form>" → classes, for forms that no term has
        self.forms: dict[str, list[int]] = {}
        self.again: dict[int, set[str]] = {}  # of words of ``below``: further languages
        self._joins = joins
        self._shared = Morphology(shared)
        self._common = {p.code: frozenset(p.lines(COMMON)) for p in packs}
        self._parts: list[bool] = []
        self._parent: list[int] = []

    def __contains__(self, word: str) -> bool:
        return word in self.vocabulary or (self.below is not None and self.below.row(word) >= 0)

    def number(self, word: str) -> int | None:
        """The number of a word, or ``None``."""
        found = self.vocabulary.get(word)
        if found is None and self.below is not None:
            row = self.below.row(word)
            return None if row < 0 else row
        return found

    def morphology(self, language: str) -> Morphology:
        """The rules of ``language``, or those that hold in all."""
        return self.morphologies.get(language, self._shared)

    def learn(self, terms: Iterable[tuple[list[str], str]], proper: frozenset[str] = frozenset()) -> None:
        """Take in the words of all terms, once. ``proper`` names do not inflect."""
        if self.below is None:
            self._take(list(terms))
        else:
            self._take_over(terms)
        self._parent = list(range(self.base, self.base + len(self.vocabulary)))
        if self._joins:
            self._classify(proper)

    def _take(self, terms: Sequence[tuple[list[str], str]]) -> None:
        """Number all words, in order of first mention: millions, so that no line of Python sees each."""
        words = dict.fromkeys(chain.from_iterable(keys for keys, _ in terms))
        self.vocabulary = dict(zip(words, count(self.base), strict=False))
        by_language: dict[str, set[str]] = {}
        for keys, language in terms:
            by_language.setdefault(language, set()).update(keys)
        self.languages = [{code for code, spoken in by_language.items() if word in spoken} for word in words]
        parts = set(chain.from_iterable(keys[:-1] for keys, _ in terms))
        self._parts = [word in parts for word in words]

    def _take_over(self, terms: Iterable[tuple[list[str], str]]) -> None:
        """Number the words that ``below`` has not."""
        vocabulary, below = self.vocabulary, self.below
        for keys, language in terms:
            last = len(keys) - 1
            for place, key in enumerate(keys):
                number = vocabulary.get(key)
                if number is None:
                    if below is not None and (row := below.row(key)) >= 0:
                        if not self._spoken(row, language):
                            self.again.setdefault(row, set()).add(language)
                        continue
                    number = vocabulary[key] = self.base + len(vocabulary)
                    self.languages.append(set())
                    self._parts.append(False)
                self.languages[number - self.base].add(language)
                if place < last:
                    self._parts[number - self.base] = True

    def _classify(self, proper: frozenset[str]) -> None:
        pending: list[tuple[str, int]] = []
        again = [] if self.below is None else [(self.below.word(n), n, of) for n, of in self.again.items()]
        new = ((word, number, self.languages[number - self.base]) for word, number in self.vocabulary.items())
        for word, number, languages in (*new, *again):
            if word in self.stops or word in proper:
                continue
            for language, lemma in self._lemmas(word, languages, self._is_part(number)):
                other = self.number(lemma)
                if other is None:
                    pending.append((f"{language}:{lemma}", number))
                elif lemma not in self.stops and self._spoken(other, language):
                    self._join(number, other)
            if self.below is not None and number >= self.base:  # or it is the dictionary form of a word below
                for language in sorted(languages):
                    for class_ in self.below.forms.get(f"{language}:{word}") or ():
                        self._join(number, class_)
        for lemma, number in pending:
            classes = self.forms.setdefault(lemma, [])
            if (found := self.class_of(number)) not in classes:
                classes.append(found)

    def _is_part(self, number: int) -> bool:
        return number < self.base or self._parts[number - self.base]

    def _spoken(self, number: int, language: str) -> bool:
        """Whether a term of ``language`` has the word."""
        if number >= self.base:
            return language in self.languages[number - self.base]
        if language in self.again.get(number, ()):
            return True
        return self.below is not None and bool(self.below.languages[number] & self.bits.get(language, OTHER))

    def _lemmas(self, word: str, languages: Iterable[str], part: bool) -> list[tuple[str, str]]:
        """``(language, dictionary form)``. Names are no finite verbs, and their last word is no adjective."""
        found: list[tuple[str, str]] = []
        parts = NAMING if part else NOUNS
        for language in sorted(languages):
            morphology, common = self.morphology(language), self._common.get(language, frozenset())
            # a small thing that has a name of its own is not the thing: "strontje" and what it is called after
            lemmas = list(
                dict.fromkeys(
                    f.word
                    for f in morphology.lemmas(word, parts)
                    if f.word in self
                    or not (morphology.is_homograph(f.word) or (f.part == "diminutive" and f.word in common))
                )
            )
            everyday = self.lists.long.get(language, self.lists.everyday)
            known = [w for w in lemmas if w in self or w in everyday]
            # where no list knows any of them, the first readings are as good as the rules can tell
            found += [(language, w) for w in known or lemmas[:2]]
        return found

    def _join(self, one: int, other: int) -> None:
        a, b = self.class_of(one), self.class_of(other)
        if a != b and max(a, b) >= self.base:
            self._parent[max(a, b) - self.base] = min(a, b)

    def class_of(self, number: int) -> int:
        """The class of a word, by its number."""
        parent, base = self._parent, self.base
        while number >= base and parent[number - base] != number:
            above = parent[number - base]
            if above >= base:
                parent[number - base] = parent[above - base]
            number = above
        if number < base and self.below is not None:
            return self.below.classes[number]
        return number
