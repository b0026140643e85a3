"""What others would do in the same place: a plain dictionary over all spans, and difflib over all names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from dragoman.text.tokens import tokenize


class DictMatcher:
    """The longest terms in a text by a dictionary of folded terms, pruned by their first token."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms: dict[str, int] = {}
        lengths: dict[str, set[int]] = {}
        for number, term in enumerate(terms):
            keys = tokenize(term).keys
            if keys:
                self._terms.setdefault(" ".join(keys), number)
                lengths.setdefault(keys[0], set()).add(len(keys))
        self._lengths = {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}

    def match(self, text: str) -> list[tuple[int, int, int]]:
        """``(start, end, term)`` of the longest terms from left to right, in code points of ``text``."""
        tokens = tokenize(text)
        keys = tokens.keys
        found = []
        at = 0
        while at < len(keys):
            step = 1
            for length in self._lengths.get(keys[at], ()):
                if at + length <= len(keys):
                    number = self._terms.get(" ".join(keys[at : at + length]))
                    if number is not None:
                        found.append((*tokens.span(at, at + length), number))
                        step = length
                        break
            at += step
        return found


def suggest(name: str, names: Sequence[str]) -> list[str]:
    """difflib's five nearest names above its cut-off of 0.55."""
    return difflib.get_close_matches(name, names, n=5, cutoff=0.55)
