"""Search in OpenSearch (or Elasticsearch): the mapping, the query with its weights, and a thin ``Retriever`` over both.

The requests are plain dictionaries, so that they can go out through any client. Pages have the fields ``title``,
``text`` and ``terms`` (those that people may use, see ``dragoman annotate``), each with its marks, and folded in
``<field>.folded``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from dragoman.errors import ConfigError, DataError, ServiceError
from dragoman.text.tokens import tokenize

FIELDS: Mapping[str, float] = {"title": 2.0, "text": 1.0, "terms": 0.3}
_BULK = 500  # pages in one request


class Client(Protocol):
    """What is used of a client of opensearch-py (or elasticsearch-py)."""

    @property
    def indices(self) -> Any:
        """Has ``exists(index=...)`` and ``create(index=..., body=...)``."""
        ...

    def bulk(self, *, body: Any, refresh: bool) -> Any:
        """Take several operations in one request."""
        ...

    def search(self, *, index: str, body: Any, params: Any = None) -> Any:
        """Run one search."""
        ...

    @property
    def transport(self) -> Any:
        """Has ``perform_request(method, url, body=...)``."""
        ...


def index_body(*, shards: int = 1, dimensions: int | None = None) -> dict[str, Any]:
    """Settings and mapping of an index; ``dimensions`` adds a field ``vector`` for search by meaning."""
    field = {
        "type": "text",
        "analyzer": "dragoman_marked",
        "fields": {"folded": {"type": "text", "analyzer": "dragoman_folded"}},
    }
    properties: dict[str, Any] = dict.fromkeys(FIELDS, field)
    index: dict[str, Any] = {"number_of_shards": shards}
    if dimensions is not None:
        index["knn"] = True
        method = {"name": "hnsw", "space_type": "cosinesimil", "engine": "lucene"}
        properties["vector"] = {"type": "knn_vector", "dimension": dimensions, "method": method}
    analysis = {
        "analyzer": {
            "dragoman_marked": {"type": "custom", "tokenizer": "standard", "filter": ["lowercase"]},
            "dragoman_folded": {"type": "custom", "tokenizer": "standard", "filter": ["lowercase", "asciifolding"]},
        }
    }
    return {"settings": {"index": index, "analysis": analysis}, "mappings": {"properties": properties}}


def query_body(
    terms: Iterable[tuple[str, float]],
    k: int,
    *,
    marks_matter: bool = False,
    fields: Mapping[str, float] = FIELDS,
) -> dict[str, Any]:
    """A search for weighted terms: each is matched in all fields, and the scores are summed.

    Marks: where they are meaning, a text typed with marks is matched with its marks; everything else is matched folded.
    Weights that are not positive are left out, fields of weight 0 as well; without any term the search finds nothing.
    """
    asked = [(tokenize(text), text, weight) for text, weight in terms if weight > 0]
    heaviest = max((weight for _, _, weight in asked), default=0.0)
    typed = any(tokens.marked for tokens, _, weight in asked if weight == heaviest)
    clauses = []
    for tokens, text, weight in asked:
        if not len(tokens):
            continue
        marked = marks_matter and (typed or tokens.marked)
        suffix = "" if marked else ".folded"
        match = {
            "query": unicodedata.normalize("NFC", text),
            "type": "most_fields",
            "fields": [f"{name}{suffix}^{value:g}" for name, value in fields.items() if value > 0],
            "operator": "or",
            "boost": weight,
        }
        clauses.append({"multi_match": match})
    query: dict[str, Any] = {"bool": {"should": clauses, "minimum_should_match": 1}} if clauses else {"match_none": {}}
    return {"size": max(0, k), "_source": False, "query": query}


def vector_body(vector: Sequence[float], k: int) -> dict[str, Any]:
    """A search for the pages whose meaning is nearest."""
    query = {"knn": {"vector": {"vector": list(vector), "k": k}}}
    return {"size": k, "_source": False, "query": query}


class OpenSearchRetriever:
    """A ``Retriever`` over one index of a cluster. The index is made where there is none.

    ``client`` is one of opensearch-py's, or ``connect(url)``. Raises ``ServiceError`` where the cluster does not answer
    or refuses.
    """

    def __init__(
        self, client: Client, index: str, *, marks_matter: bool = False, fields: Mapping[str, float] = FIELDS
    ) -> None:
        self._client = client
        self._index = index
        self._marks_matter = marks_matter
        self._fields = dict(fields)

    def index(self, pages: Iterable[tuple[str, str]], terms: Mapping[str, Sequence[str]] | None = None) -> None:
        """Add or replace ``(id, text)`` pages; the first line of a text is its title, ``terms`` by page id.

        Raises ``DataError`` for a page that the cluster did not take.
        """
        if not self._ask(lambda: self._client.indices.exists(index=self._index)):
            self._ask(lambda: self._client.indices.create(index=self._index, body=self._index_body()))
        for operations in _portions(self._operations(pages, terms or {})):
            answer = self._ask(lambda body=operations: self._client.bulk(body=body, refresh=True))
            if answer.get("errors"):
                bad: dict[str, Any] = next((i["index"] for i in answer["items"] if i["index"].get("error")), {})
                raise DataError(
                    f"the page {bad.get('_id')!r} was not taken", where=self._index, advice="check the index's mapping"
                )

    def search(self, terms: Iterable[tuple[str, float]], k: int) -> list[tuple[str, float]]:
        """Best ``k`` pages for weighted terms, as ``(id, score)``, best first."""
        body = query_body(terms, k, marks_matter=self._marks_matter, fields=self._fields)
        if k < 1 or "match_none" in body["query"]:
            return []
        return self._found(body, {})

    def _found(self, body: dict[str, Any], params: dict[str, str]) -> list[tuple[str, float]]:
        answer = self._ask(lambda: self._client.search(index=self._index, body=body, params=params))
        return [(hit["_id"], float(hit["_score"])) for hit in answer["hits"]["hits"]]

    def _index_body(self) -> dict[str, Any]:
        return index_body()

    def _page(self, id_: str, text: str, terms: Sequence[str]) -> dict[str, Any]:
        """The fields of one page."""
        title, _, body = unicodedata.normalize("NFC", text).partition("\n")
        return {"title": title, "text": body, "terms": [unicodedata.normalize("NFC", t) for t in terms]}

    def _operations(
        self, pages: Iterable[tuple[str, str]], terms: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        for id_, text in pages:
            yield {"index": {"_index": self._index, "_id": id_}}, self._page(id_, text, terms.get(id_, ()))

    def _ask(self, call: Any) -> Any:
        try:
            return call()
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("opensearchpy", "elasticsearch", "elastic_transport"):
                raise
            status = getattr(error, "status_code", None) or type(error).__name__
            raise ServiceError(
                f"the search cluster did not answer as it should ({status})",
                where=self._index,
                advice="check the address of the cluster and what it may be asked",
            ) from None


def connect(url: str, **options: Any) -> Client:
    """A client for the cluster at ``url``; ``ConfigError`` where opensearch-py is not installed."""
    try:
        from opensearchpy import OpenSearch
    except ImportError:
        raise ConfigError("opensearch-py is not installed", advice="pip install 'dragoman[opensearch]'") from None
    client: Client = OpenSearch(url, **options)
    return client


def _portions(operations: Iterable[tuple[Any, Any]]) -> Iterator[list[Any]]:
    """The lines of a few hundred operations at once."""
    lines: list[Any] = []
    for operation in operations:
        lines.extend(operation)
        if len(lines) >= 2 * _BULK:
            yield lines
            lines = []
    if lines:
        yield lines
