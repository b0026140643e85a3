"""Whether the person's text holds a term already: equal words after case, Unicode form, marks and inflection.

Not under spelling rules: a page that is spelt another way is another string for the search engine.
"""

from __future__ import annotations

from dragoman.index.term_values import INFLECTION, content_keys
from dragoman.index.terms import TermIndex
from dragoman.text.tokens import Tokens, tokenize

LEAST = 3  # letters of a word that may be inflected


class Held:
    """Asks one text."""

    def __init__(self, tokens: Tokens, terms: TermIndex) -> None:
        self._keys = content_keys(tokens)
        self._line = f" {' '.join(self._keys)} "
        self._terms = terms
        self._readings: dict[int, frozenset[int]] = {}

    def __call__(self, name: str) -> bool:
        """Whether ``name`` stands in the text."""
        keys = content_keys(tokenize(name))
        if not keys or f" {' '.join(keys)} " in self._line:
            return True
        size = len(keys)
        classes: list[int] | None = None
        begins = keys[0]
        for first in range(len(self._keys) - size + 1):
            if not _alike(self._keys[first], begins) or not all(
                _alike(self._keys[first + i], keys[i]) for i in range(size)
            ):
                continue
            if classes is None:
                classes = self._terms.matcher.classes(keys)
            if all(self._keys[first + i] == keys[i] or classes[i] in self._read(first + i) for i in range(size)):
                return True
        return False

    def _read(self, at: int) -> frozenset[int]:
        """The classes that a word of the text belongs to, by itself or as an inflection."""
        if at not in self._readings:
            matcher, key = self._terms.matcher, self._keys[at]
            own = matcher.classes([key])[0]
            if own >= 0:
                self._readings[at] = frozenset((own,))
            elif key in matcher.stops or len(key) < LEAST:
                self._readings[at] = frozenset()
            else:
                inflected = (o.class_ for o in matcher.options(key) if (o.why or "").startswith(INFLECTION))
                self._readings[at] = frozenset(inflected)
        return self._readings[at]


def _alike(word: str, other: str) -> bool:
    """Whether one may be an inflection of the other, at a glance: they begin alike, or one has the other's beginning
    inside, as a participle has (``ge-braak-t``); a vowel may be written once or twice."""
    return word[:2] == other[:2] or other[:2] in word[1:]
