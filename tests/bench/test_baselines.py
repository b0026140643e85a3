"""The baselines do what they are compared for."""

from __future__ import annotations

from dragoman.bench.baselines import DictMatcher, suggest


def test_the_longest_terms_from_left_to_right() -> None:
    matcher = DictMatcher(["rode hond", "hond", "Rode", "..."])
    text = "de Rode  Hond en een rodé hond-je, hond"
    assert [text[start:end] for start, end, _ in matcher.match(text)] == ["Rode  Hond", "rodé hond", "hond"]
    assert [number for _, _, number in matcher.match(text)] == [0, 0, 1]
    assert matcher.match("rode") == [(0, 4, 2)]
    assert matcher.match("niets") == []


def test_difflib_suggests_near_names() -> None:
    assert suggest("paracetamal", ["paracetamol", "ibuprofen"]) == ["paracetamol"]
