from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.retrieve.fusion import Fielded, reciprocal_ranks
from dragoman.retrieve.sqlite import SqliteRetriever

rankings = st.lists(
    st.lists(st.sampled_from("abcdefgh"), unique=True).map(lambda ids: [(i, 1.0) for i in ids]), min_size=1, max_size=3
)


def test_ranks_are_summed_by_hand():
    fused = reciprocal_ranks([[("a", 9.0), ("b", 1.0)], [("b", 0.1), ("c", 0.05)]], 10)
    assert [i for i, _ in fused] == ["b", "a", "c"]
    assert dict(fused)["b"] == pytest.approx(1 / 62 + 1 / 61)
    assert dict(fused)["c"] == pytest.approx(1 / 62)


def test_weights_and_the_cut():
    a, b = [("a", 1.0)], [("b", 1.0)]
    assert [i for i, _ in reciprocal_ranks([a, b], 2, weights=(1, 2))] == ["b", "a"]
    assert [i for i, _ in reciprocal_ranks([a, b], 1)] == ["a"]
    assert reciprocal_ranks([], 3) == []
    with pytest.raises(ValueError):
        reciprocal_ranks([a, b], 2, weights=(1,))


@given(rankings)
def test_the_fused_ranking_holds_every_page_once(given_: list[list[tuple[str, float]]]):
    fused = reciprocal_ranks(given_, 100)
    assert sorted(i for i, _ in fused) == sorted({i for ranking in given_ for i, _ in ranking})
    assert [s for _, s in fused] == sorted((s for _, s in fused), reverse=True)


@given(st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_one_ranking_is_left_as_it_is(ids: list[str]):
    assert [i for i, _ in reciprocal_ranks([[(i, 0.0) for i in ids]], 100)] == ids


class Pages(NamedTuple):
    text: SqliteRetriever
    terms: SqliteRetriever


@pytest.fixture
def pages() -> Iterator[Pages]:
    with SqliteRetriever() as text, SqliteRetriever() as terms:
        both = Fielded(text, terms, 1.0)
        both.index(
            [("lever", "leververvetting komt vaak voor"), ("vet", "vet in eten en steatosis"), ("nier", "nierstenen")]
        )
        both.index_terms([("lever", ["steatosis hepatis", "vette lever"]), ("vet", []), ("nier", ["nefrolithiasis"])])
        yield Pages(text, terms)


def test_the_second_field_finds_what_the_text_does_not_say(pages: Pages):
    assert [i for i, _ in Fielded(*pages, 0.5).search([("nefrolithiasis", 1.0)], 5)] == ["nier"]
    assert Fielded(*pages, 0.0).search([("nefrolithiasis", 1.0)], 5) == []


def test_the_score_is_the_sum_of_both_fields(pages: Pages):
    text, half, whole = (dict(Fielded(*pages, w).search([("steatosis", 1.0)], 5)) for w in (0.0, 0.5, 1.0))
    assert half["vet"] == pytest.approx(text["vet"])
    assert half["lever"] == pytest.approx(whole["lever"] / 2)


def test_k_holds_for_the_sum(pages: Pages):
    assert len(Fielded(*pages, 1.0).search([("steatosis", 1.0)], 1)) == 1
    assert Fielded(*pages, 1.0).search([("steatosis", 1.0)], 0) == []
