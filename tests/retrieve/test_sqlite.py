"""Full-text search: weights, marks, quoting."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import DataError
from dragoman.retrieve.sqlite import SqliteRetriever
from dragoman.text.tokens import tokenize

DUTCH = [
    ("gout", "Jicht. Bij jicht ontsteekt een gewricht plotseling."),
    ("knee", "Artrose van de knie. Het kraakbeen van het gewricht slijt."),
    ("thyroid", "Te traag werkende schildklier. De schildklier maakt te weinig hormoon: hypothyreoïdie."),
    ("hours", "Bezoekuren. U bent welkom van 14 tot 20 uur."),
]
VIETNAMESE = [
    ("fever", "Sốt là gì và khi nào cần đi khám"),
    ("retained", "Sót nhau sau sinh"),
    ("cough", "Ho kéo dài ở trẻ em"),
    ("lake", "Hồ bơi của bệnh viện"),
]


def search(pages: list[tuple[str, str]], *terms: tuple[str, float], marks: bool = False, k: int = 10) -> list[str]:
    with SqliteRetriever(marks_matter=marks) as engine:
        engine.index(pages)
        return [id_ for id_, _ in engine.search(terms, k)]


def test_the_best_page_comes_first() -> None:
    assert search(DUTCH, ("jicht in een gewricht", 1.0))[:2] == ["gout", "knee"]
    assert search(DUTCH, ("schildklier", 1.0)) == ["thyroid"]
    assert search(DUTCH, ("migraine", 1.0)) == []


def test_an_appended_term_finds_what_the_words_alone_do_not() -> None:
    assert search(DUTCH, ("arthritis urica", 1.0)) == []
    assert search(DUTCH, ("arthritis urica", 1.0), ("Jicht", 0.3)) == ["gout"]


def test_a_light_term_weighs_less_than_the_persons_own_word() -> None:
    assert search(DUTCH, ("bezoekuren", 1.0), ("jicht", 0.3)) == ["hours", "gout"]
    assert search(DUTCH, ("bezoekuren", 0.3), ("jicht", 1.0)) == ["gout", "hours"]


def test_weighted_scores_are_the_sum_of_their_parts() -> None:
    with SqliteRetriever() as engine:
        engine.index(DUTCH)
        one = dict(engine.search([("gewricht", 1.0)], 10))
        two = dict(engine.search([("jicht", 1.0)], 10))
        both = dict(engine.search([("gewricht", 1.0), ("jicht", 0.3)], 10))
    assert both == pytest.approx({p: one.get(p, 0) + 0.3 * two.get(p, 0) for p in {*one, *two}})


def test_a_word_in_two_terms_counts_at_both_weights() -> None:
    with SqliteRetriever() as engine:
        engine.index(DUTCH)
        ((_, once),) = engine.search([("jicht", 1.0)], 1)
        ((_, twice),) = engine.search([("jicht", 1.0), ("jicht", 0.5)], 1)
        ((_, same),) = engine.search([("jicht jicht JICHT", 1.0)], 1)
    assert twice == pytest.approx(1.5 * once)
    assert same == pytest.approx(once)


def test_marks_and_unicode_forms_do_not_matter_in_dutch() -> None:
    for typed in ("hypothyreoïdie", "hypothyreoidie", "HYPOTHYREOI\u0308DIE"):
        assert search(DUTCH, (typed, 1.0)) == ["thyroid"]


def test_marks_are_meaning_in_vietnamese_where_they_were_typed() -> None:
    assert search(VIETNAMESE, ("sốt", 1.0), marks=True) == ["fever"]
    assert search(VIETNAMESE, ("sót", 1.0), marks=True) == ["retained"]
    assert set(search(VIETNAMESE, ("sot", 1.0), marks=True)) == {"fever", "retained"}
    # a word without a mark in a text typed with marks is that word
    assert search(VIETNAMESE, ("trẻ bị ho", 1.0), marks=True) == ["cough"]
    assert set(search(VIETNAMESE, ("tre bi ho", 1.0), marks=True)) == {"cough", "lake"}


def test_the_two_placements_of_a_tone_are_one_word() -> None:
    pages = [("a", "Sức khoẻ"), ("b", "hòa giải")]
    assert search(pages, ("sức khỏe", 1.0), marks=True) == ["a"]
    assert search(pages, ("hoà", 1.0), marks=True) == ["b"]


def test_an_appended_term_keeps_its_marks_when_the_person_typed_none() -> None:
    found = search(VIETNAMESE, ("nong trong nguoi", 1.0), ("Sốt", 0.3), marks=True)
    assert found == ["fever"]


@pytest.mark.parametrize(
    "text",
    ['"', "jicht OR", 'jicht" AND "x', "jicht*", "folded : jicht", "NEAR(jicht, 2)", "-jicht", "jicht'; --", "(", "^"],
)
def test_query_syntax_in_the_text_is_only_text(text: str) -> None:
    expected = ["gout"] if "jicht" in text else []
    assert search(DUTCH, (text, 1.0)) == expected


@given(st.text(), st.text(), st.floats(0.01, 2))
def test_any_text_can_be_a_page_and_a_query(page: str, text: str, weight: float) -> None:
    with SqliteRetriever(marks_matter=True) as engine:
        engine.index([("p", page), ("other", "iets heel anders")])
        for _, score in engine.search([(text, weight)], 5):
            assert math.isfinite(score)
        found = [id_ for id_, _ in engine.search([(page, weight)], 5)]
        assert ("p" in found) == bool(tokenize(page).tokens)


def test_a_query_does_without_stop_words_unless_it_has_no_others() -> None:
    with SqliteRetriever(stop=["de", "het", "één", "van"]) as engine:
        engine.index(DUTCH)
        assert [p for p, _ in engine.search([("De jicht van Een", 1.0)], 5)] == ["gout"]
        assert [p for p, _ in engine.search([("het", 1.0)], 5)] == ["knee"]


def test_a_stop_word_without_its_mark_is_another_word() -> None:
    pages = [("dog", "Chó cắn"), ("give", "Thuốc cho bé"), ("other", "Bệnh viện")]
    with SqliteRetriever(marks_matter=True, stop=["cho"]) as engine:
        engine.index(pages)
        assert [p for p, _ in engine.search([("bé bị chó cắn cho", 1.0)], 5)] == ["dog", "give"]
        assert {p for p, _ in engine.search([("cho can", 1.0)], 5)} == {"dog", "give"}


def test_nothing_to_search_for_finds_nothing() -> None:
    assert search(DUTCH) == []
    assert search(DUTCH, ("...", 1.0)) == []
    assert search(DUTCH, ("jicht", 0.0), ("knie", -1.0)) == []
    assert search(DUTCH, ("jicht", 1.0), k=0) == []
    assert search([], ("jicht", 1.0)) == []


def test_at_most_k_and_ties_in_the_order_of_the_pages() -> None:
    pages = [(str(n), "zelfde tekst") for n in range(5)]
    assert search(pages, ("tekst", 1.0), k=3) == ["0", "1", "2"]


def test_a_page_stands_once_and_a_failed_batch_leaves_nothing() -> None:
    with SqliteRetriever() as engine:
        with pytest.raises(DataError, match="'a' stands twice"):
            engine.index([("a", "een"), ("a", "twee")])
        assert engine.search([("een twee", 1.0)], 5) == []


def test_a_file_keeps_its_pages(tmp_path: Path) -> None:
    path = tmp_path / "pages.db"
    with SqliteRetriever(path) as engine:
        engine.index(DUTCH)
    with SqliteRetriever(path) as engine:
        assert [id_ for id_, _ in engine.search([("jicht", 1.0)], 5)] == ["gout"]


def test_the_terms_of_a_page_are_a_field_of_their_own() -> None:
    with SqliteRetriever() as engine:
        engine.index([("kidney", "Nierstenen. Pijn in de flank"), ("back", "Rugpijn")], {"kidney": ["nefrolithiase"]})
        assert [id_ for id_, _ in engine.search([("nefrolithiase", 1.0)], 5)] == ["kidney"]
        assert engine.search([("nefrolithiase", 1.0)], 5, terms_weight=0) == []
        low, high = (engine.search([("nefrolithiase", 1.0)], 5, terms_weight=w)[0][1] for w in (0.2, 1.0))
        assert low < high
        assert engine.search([("rugpijn", 1.0)], 5)[0][0] == "back"


def test_a_word_in_text_and_terms_counts_little_more_than_once() -> None:
    with SqliteRetriever() as engine:
        engine.index([("a", "jicht en meer"), ("b", "jicht en meer"), ("c", "anders")], {"b": ["jicht"]})
        scores = dict(engine.search([("jicht", 1.0)], 5))
        assert scores["a"] < scores["b"] < 1.5 * scores["a"]
