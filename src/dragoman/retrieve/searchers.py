"""Retrievers as an evaluation uses them: each over the pages, and over the pages' field of terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from dragoman.protocols import Retriever
from dragoman.retrieve.fusion import Fielded, reciprocal_ranks
from dragoman.types import WeightedTerm

DEEP = 1000  # pages of each ranking that are fused


class Asked(Protocol):
    """Weighted terms for a retriever that matches words, a text for one that compares meanings."""

    @property
    def sparse(self) -> Sequence[WeightedTerm]:
        """The terms with their weights."""
        ...

    @property
    def dense(self) -> str:
        """The text."""
        ...


class Single:
    """One retriever for the text of the pages and one of its kind for their terms. ``dense`` says what it is asked."""

    def __init__(self, name: str, text: Retriever, terms: Retriever, *, dense: bool = False) -> None:
        self.name = name
        self._both = Fielded(text, terms, 0.0)
        self._dense = dense

    def index(self, pages: Iterable[tuple[str, str]], terms: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Take ``(id, text)`` and ``(id, terms)``."""
        self._both.index(pages)
        self._both.index_terms(terms)

    def search(self, asked: Asked, k: int, documents: float) -> list[tuple[str, float]]:
        """Best ``k`` pages; ``documents`` is the weight of the field of terms."""
        terms = [(asked.dense, 1.0)] if self._dense else [(t.term, t.weight) for t in asked.sparse]
        return self._both.weighted(documents).search(terms, k)


class Fused:
    """Several as one, by reciprocal ranks."""

    def __init__(self, name: str, parts: Sequence[Single]) -> None:
        self.name = name
        self._parts = parts

    def search(self, asked: Asked, k: int, documents: float) -> list[tuple[str, float]]:
        """Best ``k`` pages; ``documents`` is the weight of the field of terms in each."""
        return reciprocal_ranks([part.search(asked, DEEP, documents) for part in self._parts], k)
