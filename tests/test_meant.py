"""What was meant by a word that is none of those there are."""

from __future__ import annotations

import pytest

from dragoman.meant import did_you_mean, nearest


@pytest.mark.parametrize(
    ("given", "known", "meant"),
    [
        ("conditon", ["condition", "symptom"], "condition"),
        ("Is-A", ["is_a", "due_to"], "is_a"),
        ("treats", ["TREATS", "OFFERS"], "TREATS"),
        ("building", ["condition", "doctor"], None),
        ("ln", ["nl", "vi"], "nl"),
        ("vn", ["nl", "vi"], "vi"),
        ("nld", ["nl", "vi"], "nl"),
        ("fr", ["nl", "vi"], None),
        ("", ["nl"], None),
        ("x", [], None),
    ],
)
def test_the_nearest_is_what_a_person_would_take_it_for(given: str, known: list[str], meant: str | None) -> None:
    assert nearest(given, known) == meant


def test_the_advice_names_the_nearest_or_all() -> None:
    assert did_you_mean("compund", ["compounds", "fuzzy"]) == "did you mean 'compounds'?"
    assert did_you_mean("zzz", ["b", "a"]) == "there are: a, b"
    assert did_you_mean("zzz", []) == "there are: none"
