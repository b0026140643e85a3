"""Words and meanings in OpenSearch: a hybrid query, and the search pipeline that fuses its two rankings.

The pipeline is reciprocal rank fusion (``score-ranker-processor``, OpenSearch 2.19 or later).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dragoman.retrieve.fusion import RANK_CONSTANT
from dragoman.retrieve.opensearch import FIELDS, Client, OpenSearchRetriever, index_body, query_body, vector_body

if TYPE_CHECKING:
    from dragoman.retrieve.dense import Embedder

DEEP = 200  # pages of the ranking by meanings that are fused
_PORTION = 256  # pages that are embedded at once


def pipeline_body(weights: tuple[float, float] | None = None, *, constant: int = RANK_CONSTANT) -> dict[str, Any]:
    """A search pipeline that fuses by reciprocal ranks; ``weights`` of words and meanings, else equal ones.

    Weights are shares, and are made to sum to 1; they need a cluster that knows weights of this processor.
    """
    combination: dict[str, Any] = {"technique": "rrf", "rank_constant": constant}
    if weights is not None:
        words = round(weights[0] / sum(weights), 6)
        combination["parameters"] = {"weights": [words, round(1 - words, 6)]}
    return {
        "description": "words and meanings, fused by reciprocal ranks",
        "phase_results_processors": [{"score-ranker-processor": {"combination": combination}}],
    }


def hybrid_body(terms: Iterable[tuple[str, float]], vector: Sequence[float], k: int, **options: Any) -> dict[str, Any]:
    """A search for weighted terms and for nearness to ``vector`` at once, for a pipeline to fuse.

    ``options`` are those of ``query_body``. Without any term it is a search by meaning alone.
    """
    words = query_body(terms, k, **options)["query"]
    if "match_none" in words:
        return vector_body(vector, k)
    near = vector_body(vector, max(k, DEEP))["query"]
    return {"size": max(0, k), "_source": False, "query": {"hybrid": {"queries": [words, near]}}}


class OpenSearchHybrid(OpenSearchRetriever):
    """A ``Retriever`` by words and meanings over one index and one search pipeline, which ``index`` makes.

    ``weights`` are those of words and meanings. Raises as ``OpenSearchRetriever`` does.
    """

    def __init__(
        self,
        client: Client,
        index: str,
        embedder: Embedder,
        *,
        pipeline: str = "dragoman",
        weights: tuple[float, float] | None = None,
        marks_matter: bool = False,
        fields: Mapping[str, float] = FIELDS,
        characters: int = 600,
    ) -> None:
        super().__init__(client, index, marks_matter=marks_matter, fields=fields)
        self._embedder = embedder
        self._pipeline = pipeline
        self._pipeline_body = pipeline_body(weights)
        self._characters = characters
        self._vectors: dict[str, list[float]] = {}  # of the pages that are going out

    def index(self, pages: Iterable[tuple[str, str]], terms: Mapping[str, Sequence[str]] | None = None) -> None:
        """Make the pipeline, and add or replace ``(id, text)`` pages with their vectors."""
        # The client's methods differ between versions; a request is a request.
        self._ask(
            lambda: self._client.transport.perform_request(
                "PUT", f"/_search/pipeline/{self._pipeline}", body=self._pipeline_body
            )
        )
        remaining = iter(pages)
        while portion := list(itertools.islice(remaining, _PORTION)):
            self._vectors = self._embedded(portion)
            super().index(portion, terms)

    def search(
        self, terms: Iterable[tuple[str, float]], k: int, *, dense: str | None = None
    ) -> list[tuple[str, float]]:
        """Best ``k`` pages as ``(id, score)``, best first: ``terms`` are an enrichment's ``queries.sparse``, ``dense``
        its ``queries.dense``, by default the heaviest of the terms."""
        asked = [(text, weight) for text, weight in terms if weight > 0 and text.strip()]
        if k < 1 or not asked:
            return []
        meant = dense if dense is not None else max(asked, key=lambda term: term[1])[0]
        vector = [float(x) for x in self._embedder.query([meant])[0]]
        body = hybrid_body(asked, vector, k, marks_matter=self._marks_matter, fields=self._fields)
        return self._found(body, {"search_pipeline": self._pipeline} if "hybrid" in body["query"] else {})

    def _index_body(self) -> dict[str, Any]:
        return index_body(dimensions=int(self._embedder.passage(["x"]).shape[1]))

    def _page(self, id_: str, text: str, terms: Sequence[str]) -> dict[str, Any]:
        page = super()._page(id_, text, terms)
        return {**page, "vector": self._vectors[id_]} if id_ in self._vectors else page

    def _embedded(self, pages: Sequence[tuple[str, str]]) -> dict[str, list[float]]:
        given = [(id_, text[: self._characters]) for id_, text in pages if text.strip()]
        if not given:
            return {}
        rows = self._embedder.passage([text for _, text in given])
        return {id_: [float(x) for x in row] for (id_, _), row in zip(given, rows, strict=True)}
