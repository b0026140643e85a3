"""The requests that go out over HTTP through the real client, compared with those that were recorded."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from dragoman.errors import ServiceError
from dragoman.retrieve.dense import Matrix
from dragoman.retrieve.opensearch import OpenSearchRetriever, connect
from dragoman.retrieve.opensearch_hybrid import OpenSearchHybrid, hybrid_body, pipeline_body

pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")
RECORDED = Path(__file__).parent / "recorded"
PAGES = [("nier", "Nierstenen\nStenen in de nier."), ("leeg", " "), ("rug", "Rugpijn\nPijn in de rug.")]
TERMS = [("pijn in mijn flank", 1.0), ("Nierstenen", 0.3)]


class Halves:
    """Embeds a text as four halves, the sign by its length."""

    name = "halves"

    def query(self, texts: Sequence[str]) -> Matrix:
        return self.passage(texts)

    def passage(self, texts: Sequence[str]) -> Matrix:
        return np.array([[0.5, 0.5, 0.5, 0.5 - len(text) % 2] for text in texts], dtype=np.float32)


class Cluster:
    """Answers as a cluster would, and keeps every request."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.status = 200
        kept = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                kept.take(self)

            do_GET = do_PUT = do_POST = do_HEAD = answer

            def log_message(self, format: str, *values: object) -> None:
                """Nothing on stderr."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def take(self, handler: BaseHTTPRequestHandler) -> None:
        at = urlsplit(handler.path)
        raw = handler.rfile.read(int(handler.headers.get("Content-Length") or 0)).decode()
        lines = [json.loads(line) for line in raw.splitlines() if line.strip()]
        body = lines if at.path.endswith("_bulk") else lines[0] if lines else None
        self.requests.append(
            {"method": handler.command, "path": at.path, "query": dict(parse_qsl(at.query)), "body": body}
        )
        exists = handler.command != "HEAD"
        data = b""
        if exists:
            hits = [{"_id": "nier", "_score": 0.03}, {"_id": "rug", "_score": 0.02}]
            data = json.dumps({"errors": False, "items": [], "acknowledged": True, "hits": {"hits": hits}}).encode()
        handler.send_response(self.status if exists else 404)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    yield made
    made.close()


def recorded(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (RECORDED / f"{name}.jsonl").read_text("utf-8").splitlines()]


def test_a_hybrid_search_with_its_pipeline(cluster: Cluster) -> None:
    client = connect(cluster.url, max_retries=0)
    both = OpenSearchHybrid(client, "pages", Halves(), pipeline="fuse", weights=(3, 1))
    both.index(PAGES, {"nier": ["nefrolithiasis"]})
    assert both.search(TERMS, 2, dense="pijn in mijn flank (Nierstenen)") == [("nier", 0.03), ("rug", 0.02)]
    both.search(TERMS, 2)
    both.search([("?!", 1.0)], 3)
    assert both.search([(" ", 1.0)], 3) == both.search(TERMS, 0) == []
    assert cluster.requests == recorded("opensearch_hybrid")
    client.transport.close()


def test_a_search_for_words(cluster: Cluster) -> None:
    client = connect(cluster.url, max_retries=0)
    words = OpenSearchRetriever(client, "pages")
    words.index(PAGES, {"nier": ["nefrolithiasis"]})
    assert words.search(TERMS, 2) == [("nier", 0.03), ("rug", 0.02)]
    assert cluster.requests == recorded("opensearch_words")
    client.transport.close()


def test_a_cluster_that_refuses_the_pipeline(cluster: Cluster) -> None:
    cluster.status = 400
    client = connect(cluster.url, max_retries=0)
    with pytest.raises(ServiceError, match="400"):
        OpenSearchHybrid(client, "pages", Halves()).index(PAGES)
    client.transport.close()


def test_weights_are_shares() -> None:
    def weights(given: tuple[float, float] | None) -> Any:
        combination = pipeline_body(given)["phase_results_processors"][0]["score-ranker-processor"]["combination"]
        return combination.get("parameters", {}).get("weights")

    assert weights(None) is None
    assert weights((2, 1)) == [0.666667, 0.333333]
    assert sum(weights((0.3, 0.4))) == pytest.approx(1)


def test_without_a_word_it_is_a_search_by_meaning() -> None:
    assert hybrid_body([], [0.5, 0.5], 3)["query"] == {"knn": {"vector": {"vector": [0.5, 0.5], "k": 3}}}
    queries = hybrid_body(TERMS, [0.5, 0.5], 3)["query"]["hybrid"]["queries"]
    assert [next(iter(q)) for q in queries] == ["bool", "knn"]
