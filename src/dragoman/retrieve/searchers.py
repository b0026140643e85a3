"""Retrievers as an evaluation uses them: over the pages alone, and over the pages with their terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from dragoman.retrieve.dense import DenseRetriever
from dragoman.retrieve.fusion import Fielded, reciprocal_ranks
from dragoman.retrieve.sqlite import SqliteRetriever
from dragoman.types import WeightedTerm

DEEP = 1000  # pages of each ranking that are fused

Terms = Mapping[str, Sequence[str]]
"""Page id → terms that people may use for it."""


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


class Part(Protocol):
    """One of these searchers."""

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    def search(self, asked: Asked, k: int, documents: float) -> Sequence[tuple[str, float]]:
        """Best ``k`` pages; ``documents`` is the weight of their terms, 0 where these are not looked at."""
        ...


class Words:
    """Full-text search. The pages with their terms stand apart, so that these do not lengthen the others."""

    name = "sqlite"

    def __init__(
        self, pages: Sequence[tuple[str, str]], terms: Terms | None, *, marks_matter: bool, stop: Sequence[str]
    ) -> None:
        self._plain = SqliteRetriever(marks_matter=marks_matter, stop=stop)
        self._plain.index(pages)
        self._with_terms = self._plain
        if terms is not None:
            self._with_terms = SqliteRetriever(marks_matter=marks_matter, stop=stop)
            self._with_terms.index(pages, terms)

    def close(self) -> None:
        """Let go of the databases."""
        self._plain.close()
        self._with_terms.close()

    def search(self, asked: Asked, k: int, documents: float) -> list[tuple[str, float]]:
        """Best ``k`` pages for the weighted terms."""
        base = self._with_terms if documents > 0 else self._plain
        return base.search([(t.term, t.weight) for t in asked.sparse], k, terms_weight=documents)


class Meanings:
    """Search by meaning. A page's terms have a vector of their own, whose cosine is added at their weight."""

    name = "dense"

    def __init__(
        self, text: DenseRetriever, field: DenseRetriever, pages: Sequence[tuple[str, str]], terms: Terms | None
    ) -> None:
        self._both = Fielded(text, field, 0.0)
        self._both.index(pages)
        self._both.index_terms((terms or {}).items())

    def search(self, asked: Asked, k: int, documents: float) -> list[tuple[str, float]]:
        """Best ``k`` pages for the text."""
        return self._both.weighted(documents).search([(asked.dense, 1.0)], k)


class Fused:
    """Several as one, by reciprocal ranks."""

    name = "fused"

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    def search(self, asked: Asked, k: int, documents: float) -> list[tuple[str, float]]:
        """Best ``k`` pages of all."""
        return reciprocal_ranks([part.search(asked, DEEP, documents) for part in self._parts], k)
