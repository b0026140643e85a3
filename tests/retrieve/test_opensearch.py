from __future__ import annotations

import builtins
import json
from typing import Any

import pytest

from dragoman.errors import ConfigError, DataError, ServiceError
from dragoman.retrieve.opensearch import OpenSearchRetriever, connect, index_body, query_body, vector_body


class Indices:
    def __init__(self) -> None:
        self.made: dict[str, Any] = {}

    def exists(self, *, index: str) -> bool:
        return index in self.made

    def create(self, *, index: str, body: Any) -> None:
        self.made[index] = body


class Client:
    """Keeps every request; answers as told."""

    def __init__(self, answer: Any = None) -> None:
        self.indices = Indices()
        self.bulks: list[Any] = []
        self.searches: list[tuple[str, Any]] = []
        self.answer = answer or {"hits": {"hits": []}}
        self.transport: Any = None

    def bulk(self, *, body: Any, refresh: bool) -> Any:
        self.bulks.append(body)
        json.dumps(body)
        return self.answer if "items" in self.answer else {"errors": False, "items": []}

    def search(self, *, index: str, body: Any, params: Any = None) -> Any:
        self.searches.append((index, body))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def clauses(*terms: tuple[str, float], **options: Any) -> list[dict[str, Any]]:
    return [c["multi_match"] for c in query_body(terms, 10, **options)["query"]["bool"]["should"]]


def test_the_whole_request():
    assert query_body([("luie schildklier", 1.0), ("Hypothyreoïdie", 0.3)], 20) == {
        "size": 20,
        "_source": False,
        "query": {
            "bool": {
                "should": [
                    {
                        "multi_match": {
                            "query": "luie schildklier",
                            "type": "most_fields",
                            "fields": ["title.folded^2", "text.folded^1", "terms.folded^0.3"],
                            "operator": "or",
                            "boost": 1.0,
                        }
                    },
                    {
                        "multi_match": {
                            "query": "Hypothyreoïdie",
                            "type": "most_fields",
                            "fields": ["title.folded^2", "text.folded^1", "terms.folded^0.3"],
                            "operator": "or",
                            "boost": 0.3,
                        }
                    },
                ],
                "minimum_should_match": 1,
            }
        },
    }


def test_what_cannot_be_found_is_not_asked():
    assert [c["query"] for c in clauses(("a", 1.0), ("b", 0.0), ("c", -1.0), ("?!", 1.0))] == ["a"]
    assert query_body([], 5)["query"] == {"match_none": {}}
    client = Client()
    assert OpenSearchRetriever(client, "pages").search([("?", 1.0)], 5) == []
    assert OpenSearchRetriever(client, "pages").search([("a", 1.0)], 0) == []
    assert client.searches == []


def test_marks_are_matched_where_they_are_meaning_and_were_typed():
    marked = clauses(("sốt", 1.0), ("sot", 0.3), marks_matter=True)
    assert [c["fields"][0] for c in marked] == ["title^2", "title^2"]
    bare = clauses(("sot", 1.0), ("sốt", 0.3), marks_matter=True)
    assert [c["fields"][0] for c in bare] == ["title.folded^2", "title^2"]
    assert clauses(("sốt", 1.0))[0]["fields"][0] == "title.folded^2"


def test_texts_are_composed_and_fields_of_weight_0_left_out():
    decomposed = "so\u0302\u0301t"
    assert clauses((decomposed, 1.0), fields={"text": 1.0, "terms": 0.0}) == [
        {"query": "sốt", "type": "most_fields", "fields": ["text.folded^1"], "operator": "or", "boost": 1.0}
    ]


def test_the_mapping():
    body = index_body(shards=2, dimensions=384)
    assert body["settings"]["index"] == {"number_of_shards": 2, "knn": True}
    properties = body["mappings"]["properties"]
    assert set(properties) == {"title", "text", "terms", "vector"}
    analyzers = body["settings"]["analysis"]["analyzer"]
    used = {properties["text"]["analyzer"], properties["text"]["fields"]["folded"]["analyzer"]}
    assert used == set(analyzers)
    assert "vector" not in index_body()["mappings"]["properties"]
    assert vector_body([0.5, 0.25], 3)["query"] == {"knn": {"vector": {"vector": [0.5, 0.25], "k": 3}}}


def test_pages_go_out_in_portions_with_title_text_and_terms():
    client = Client()
    retriever = OpenSearchRetriever(client, "pages")
    retriever.index((str(i), f"Titel {i}\ntekst") for i in range(1201))
    assert [len(b) for b in client.bulks] == [1000, 1000, 402]
    assert client.indices.made == {"pages": index_body()}
    retriever.index([("x", "Nierstenen")], {"x": ["nefrolithiase"]})
    assert client.bulks[-1] == [
        {"index": {"_index": "pages", "_id": "x"}},
        {"title": "Nierstenen", "text": "", "terms": ["nefrolithiase"]},
    ]


def test_hits_come_back_as_they_stand():
    client = Client({"hits": {"hits": [{"_id": "b", "_score": 2.5}, {"_id": "a", "_score": 1}]}})
    assert OpenSearchRetriever(client, "pages").search([("x", 1.0)], 2) == [("b", 2.5), ("a", 1.0)]
    assert client.searches[0][0] == "pages"


def test_a_page_that_was_not_taken_is_named():
    answer = {"errors": True, "items": [{"index": {"_id": "1"}}, {"index": {"_id": "2", "error": {"type": "x"}}}]}
    with pytest.raises(DataError, match="'2' was not taken"):
        OpenSearchRetriever(Client(answer), "pages").index([("1", "a"), ("2", "b")])


def test_a_cluster_that_does_not_answer():
    opensearchpy = pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")
    error = opensearchpy.exceptions.ConnectionError("N/A", "geheim", OSError("x"))
    with pytest.raises(ServiceError) as caught:
        OpenSearchRetriever(Client(error), "pages").search([("a", 1.0)], 2)
    assert "geheim" not in str(caught.value)
    with pytest.raises(ZeroDivisionError):  # not the cluster's
        OpenSearchRetriever(Client(ZeroDivisionError()), "pages").search([("a", 1.0)], 2)


def test_the_real_client_has_what_is_used():
    pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")
    client = connect("http://localhost:1", max_retries=0, timeout=0.2)
    with pytest.raises(ServiceError):
        OpenSearchRetriever(client, "pages").search([("a", 1.0)], 2)
    with pytest.raises(ServiceError):
        OpenSearchRetriever(client, "pages").index([("a", "b")])


def test_without_the_client_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def absent(name: str, *arguments: Any, **named: Any) -> Any:
        if name == "opensearchpy":
            raise ImportError(name)
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ConfigError, match=r"pip install 'dragoman\[opensearch\]'"):
        connect("http://localhost")
