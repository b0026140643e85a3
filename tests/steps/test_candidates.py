"""Overlaps: the longest name wins, equal spans keep every sense, near gives way to sure."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dragoman.index.found import Found
from dragoman.steps.candidates import covered, settle
from dragoman.types import Candidate, Mention, Span


def candidate(start: int, end: int, id_: str = "x", match: str = "exact", kind: str = "concept") -> Candidate:
    return Candidate(span=Span(start, end), text="", kind=kind, source="s", id=id_, name=id_, match=match)  # type: ignore[arg-type]


def ids(found: Found) -> list[str]:
    return [c.id for c in found.candidates]


def test_the_longest_wins() -> None:
    assert ids(settle([Found((candidate(0, 5, "short"), candidate(0, 12, "long"), candidate(6, 12, "tail")))])) == [
        "long"
    ]


def test_equal_spans_keep_every_sense() -> None:
    found = settle([Found((candidate(0, 2, "a"),)), Found((candidate(0, 2, "b", kind="drug"),))])
    assert set(ids(found)) == {"a", "b"}


def test_fuzzy_gives_way_to_what_is_sure_where_they_cross() -> None:
    assert ids(settle([Found((candidate(0, 5, "near", "fuzzy"), candidate(3, 8, "sure", "variant")))])) == ["sure"]
    assert ids(settle([Found((candidate(3, 5, "near", "fuzzy"), candidate(0, 8, "sure", "variant")))])) == ["sure"]


def test_a_longer_fuzzy_term_stands_beside_the_sure_ones_inside_it() -> None:
    found = settle([Found((candidate(0, 20, "near", "fuzzy"), candidate(3, 6, "sure", "variant")))])
    assert set(ids(found)) == {"near", "sure"}


def test_no_fuzzy_term_stands_beside_a_drug() -> None:
    found = settle([Found((candidate(0, 20, "near", "fuzzy"), candidate(3, 6, "sure", kind="drug")))])
    assert ids(found) == ["sure"]


def test_a_mention_whose_words_another_took_is_left_out() -> None:
    lost = Mention(span=Span(0, 5), text="", status="unknown", kind="drug")
    alone = Mention(span=Span(30, 35), text="", status="unknown", kind="drug")
    found = settle([Found((candidate(0, 12),), (lost, alone))])
    assert found.mentions == (alone,)


CANDIDATES = st.lists(
    st.builds(
        lambda start, width, id_, match: candidate(start, start + width, id_, match),
        st.integers(0, 30),
        st.integers(1, 10),
        st.sampled_from("abc"),
        st.sampled_from(["exact", "variant", "fuzzy"]),
    ),
    max_size=12,
)


@given(CANDIDATES)
def test_what_is_left_never_crosses_and_the_order_it_came_in_does_not_matter(candidates: list[Candidate]) -> None:
    found = settle([Found(tuple(candidates))])
    for a in found.candidates:
        for b in found.candidates:
            beside = {a.match == "fuzzy", b.match == "fuzzy"} == {True, False} and (
                (a.span.start <= b.span.start and b.span.end <= a.span.end)
                or (b.span.start <= a.span.start and a.span.end <= b.span.end)
            )
            assert a.span == b.span or not a.span.overlaps(b.span) or beside
    assert settle([Found(tuple(reversed(candidates)))]) == found
    assert settle([found]) == found
    assert covered(found) == sorted({c.span for c in found.candidates})
