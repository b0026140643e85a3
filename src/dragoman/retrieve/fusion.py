"""Several searches as one: by rank where their scores do not compare, by sum where they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dragoman.protocols import Retriever

RANK_CONSTANT = 60  # Cormack, Clarke and Büttcher (2009): dampens how much the very first ranks decide
_DEEP = 1000  # pages taken from each side before they are summed


def reciprocal_ranks(
    rankings: Sequence[Iterable[tuple[str, float]]],
    k: int,
    *,
    weights: Sequence[float] | None = None,
    constant: int = RANK_CONSTANT,
) -> list[tuple[str, float]]:
    """Reciprocal rank fusion: a page scores the sum of ``weight / (constant + rank)`` over the rankings that hold it.

    Scores of the rankings are not looked at; ranks count from 1. Equal pages stand in the order in which they are
    first met, the first ranking's before the second's. Best ``k``. Raises ``ValueError`` unless there are as many
    ``weights`` as rankings.
    """
    shares = [1.0] * len(rankings) if weights is None else list(weights)
    totals: dict[str, float] = {}
    for ranking, share in zip(rankings, shares, strict=True):
        for rank, (id_, _) in enumerate(ranking, 1):
            totals[id_] = totals.get(id_, 0.0) + share / (constant + rank)
    return sorted(totals.items(), key=lambda item: -item[1])[: max(0, k)]


class Fielded:
    """Pages with a second field of terms that people may use (``dragoman annotate``), as one ``Retriever``.

    A page's score is that of its text plus ``weight`` times that of its terms: each field has its own statistics, as
    with a weighted multi-field query of a search engine. Exact among the best thousand of either field.
    """

    def __init__(self, text: Retriever, terms: Retriever, weight: float) -> None:
        self._text = text
        self._terms = terms
        self.weight = weight

    def index(self, pages: Iterable[tuple[str, str]]) -> None:
        """Take ``(id, text)`` pages without terms."""
        self._text.index(pages)

    def index_terms(self, pages: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Take ``(id, terms)``: the second field of pages; one without terms has none."""
        self._terms.index((id_, "; ".join(terms)) for id_, terms in pages if terms)

    def weighted(self, weight: float) -> Fielded:
        """The same pages with another weight of the second field."""
        return Fielded(self._text, self._terms, weight)

    def search(self, terms: Iterable[tuple[str, float]], k: int) -> list[tuple[str, float]]:
        """Best ``k`` pages for weighted terms, as ``(id, score)``, best first."""
        asked = list(terms)
        deep = max(k, _DEEP)
        totals = dict(self._text.search(asked, deep))
        if self.weight > 0:
            for id_, score in self._terms.search(asked, deep):
                totals[id_] = totals.get(id_, 0.0) + self.weight * score
        return sorted(totals.items(), key=lambda item: -item[1])[: max(0, k)]
