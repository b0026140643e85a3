"""Meanings in pgvector, exact and approximate, and both rankings as one, on a real server."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from dragoman.errors import ConfigError, DataError, ServiceError
from dragoman.retrieve.dense import DenseRetriever, Matrix
from dragoman.retrieve.fusion import reciprocal_ranks
from dragoman.retrieve.postgres import PostgresRetriever, statement
from dragoman.retrieve.postgres_hybrid import PostgresHybrid
from dragoman.retrieve.postgres_vectors import PostgresVectors

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
_numbers = itertools.count()


class Letters:
    name = "letters"

    def query(self, texts: Sequence[str]) -> Matrix:
        return self.passage(texts)

    def passage(self, texts: Sequence[str]) -> Matrix:
        rows = np.array([[1 + text.count(c) for c in "abcdefgh"] for text in texts], dtype=np.float32)
        unit: Matrix = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


@pytest.mark.service
def test_vectors_are_searched_exactly(postgres: str) -> None:
    pages = [(str(i), "abcdefgh"[i % 8] * (i % 5 + 1) + "abcdefgh"[i % 7]) for i in range(40)] + [("leeg", " ")]
    here = DenseRetriever(Letters())
    here.index(pages)
    with PostgresVectors(postgres, Letters(), f"vectors_{next(_numbers)}") as base:
        base.index(pages)
        for asked in ([("abba", 1.0)], [("c", 1.0), ("hh", 0.3)]):
            found, expected = base.search(asked, 10), here.search(asked, 10)
            assert [s for _, s in found] == pytest.approx([s for _, s in expected], abs=1e-5)
        assert base.search([("", 1.0)], 5) == []
        assert base.search([("a", 1.0)], 0) == []
        base.index([])
        with pytest.raises(DataError, match="twice"):
            base.index([("3", "x")])


class Scattered:
    """Gives each text a direction of its own, near to that of texts with the same first letter."""

    name = "scattered"

    def query(self, texts: Sequence[str]) -> Matrix:
        return self.passage(texts)

    def passage(self, texts: Sequence[str]) -> Matrix:
        rows = []
        for text in texts:
            middle = np.random.default_rng(ord(text[0])).normal(size=32)
            rows.append(middle + 0.4 * np.random.default_rng(list(text.encode())).normal(size=32))
        found = np.array(rows, dtype=np.float32)
        unit: Matrix = found / np.linalg.norm(found, axis=1, keepdims=True)
        return unit


@pytest.mark.service
def test_an_approximate_search_finds_nearly_all_and_uses_its_index(database: str) -> None:
    pages = [(str(i), f"{'abcdefgh'[i % 8]}{i}") for i in range(2000)]
    here = DenseRetriever(Scattered())
    here.index(pages)
    with PostgresVectors(database, Scattered(), "near") as base:
        base.index(pages)
        base.approximate()
        base.approximate()  # nothing more
        asked = [f"{letter}x{n}" for letter in "abcdefgh" for n in range(5)]
        hits = 0
        for text in asked:
            expected = {i for i, _ in here.search([(text, 1.0)], 10)}
            hits += len(expected & {i for i, _ in base.search([(text, 1.0)], 10)})
        assert hits >= 0.95 * 10 * len(asked)
        assert len(base.search([("ax", 1.0)], 300)) == 300  # more than the breadth that was given
    with psycopg.connect(database) as server:
        sql = psycopg.sql.SQL(statement("vectors_search")).format(vectors=psycopg.sql.Identifier("near"))
        target = "[" + ",".join(["0.1"] * 32) + "]"
        plan = server.execute(psycopg.sql.SQL("EXPLAIN ") + sql, {"target": target, "k": 10}).fetchall()
    assert any("near_hnsw" in line for (line,) in plan)


PAGES = [
    ("lever", "Leververvetting\nBij leververvetting zit er te veel vet in de lever."),
    ("nier", "Nierstenen\nStenen in de nier geven hevige pijn in de flank."),
    ("rug", "Rugpijn\nPijn in de rug gaat meestal vanzelf over."),
]


@pytest.mark.service
def test_both_rankings_are_fused_on_one_connection(database: str) -> None:
    with PostgresHybrid(database, Letters(), weights_of_ranks=(2.0, 1.0)) as both:
        both.index(PAGES, {"nier": ["nefrolithiasis"]})
        terms = [("pijn in de rug", 1.0), ("nefrolithiasis", 0.3)]
        for dense, meant in ((None, terms), ("rugpijn", [("rugpijn", 1.0)])):
            parts = [both.words.search(terms, 200), both.meanings.search(meant, 200)]
            assert both.search(terms, 2, dense=dense) == reciprocal_ranks(parts, 2, weights=(2.0, 1.0))
        assert both.search(terms, 0) == []
        assert {i for i, _ in both.search([("nefrolithiasis", 1.0)], 1)} == {"nier"}


@pytest.mark.service
def test_a_page_stands_in_both_or_in_neither(database: str) -> None:
    with PostgresHybrid(database, Letters()) as both:
        both.index(PAGES[:1])
        with psycopg.connect(database) as server:  # a page that only one of the two has
            server.execute("DELETE FROM dragoman_pages WHERE id = 'lever'")
        with pytest.raises(DataError, match="twice"):
            both.index(PAGES)
        with psycopg.connect(database) as server:
            assert server.execute("SELECT id FROM dragoman_pages").fetchall() == []


@pytest.mark.service
def test_what_the_server_lacks_is_told(database: str) -> None:
    role = f"makes_nothing_{psycopg.conninfo.conninfo_to_dict(database)['dbname']}"
    with psycopg.connect(database, autocommit=True) as base:
        base.execute(f"CREATE ROLE {role} LOGIN")
    try:
        with pytest.raises(ConfigError, match="may not do that"):
            PostgresRetriever(psycopg.conninfo.make_conninfo(database, user=role))
    finally:
        with psycopg.connect(database, autocommit=True) as base:
            base.execute(f"DROP ROLE {role}")


def test_a_server_that_does_not_answer() -> None:
    for kind in (PostgresVectors, PostgresHybrid):
        with pytest.raises(ServiceError, match="did not answer") as caught:
            kind("host=/nonexistent user=nobody password=geheim", Letters())
        assert "geheim" not in str(caught.value)
