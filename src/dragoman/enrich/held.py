"""Whether the person's text holds a term already: equal words after case, Unicode form, marks and inflection.

Not under spelling rules: a page that is spelt another way is another string for the search engine.
"""

from __future__ import annotations

from dragoman.index.term_values import INFLECTION, content_keys
from dragoman.index.terms import TermIndex
from dragoman.text.tokens import Tokens, tokenize

PREFIX = 2  # letters that a word and its inflection have in common, but where something is put before it


class Held:
    """Asks one text."""

    def __init__(self, tokens: Tokens, terms: TermIndex) -> None:
        self._keys = content_keys(tokens)
        self._line = f" {' '.join(self._keys)} "
        self._terms = terms
        self._readings: list[frozenset[int]] | None = None

    def __call__(self, name: str) -> bool:
        """Whether ``name`` stands in the text."""
        keys = content_keys(tokenize(name))
        if not keys:
            return True
        if f" {' '.join(keys)} " in self._line:
            return True
        size = len(keys)
        if size > len(self._keys):
            return False
        matcher = self._terms.matcher
        classes = matcher.classes(keys)
        if self._readings is None:
            self._readings = self._read()
        for first in range(len(self._keys) - size + 1):
            if all(self._keys[first + i] == keys[i] or classes[i] in self._readings[first + i] for i in range(size)):
                return True
        return False

    def _read(self) -> list[frozenset[int]]:
        matcher = self._terms.matcher
        found: list[frozenset[int]] = []
        for key, own in zip(self._keys, matcher.classes(self._keys), strict=True):
            if own >= 0:
                found.append(frozenset((own,)))
            elif key in matcher.stops or len(key) < 3:
                found.append(frozenset())
            else:
                found.append(frozenset(o.class_ for o in matcher.options(key) if (o.why or "").startswith(INFLECTION)))
        return found
