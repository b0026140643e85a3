"""Signs that stand for many letters make words as long as no real one is: they cost no more than others."""

from __future__ import annotations

import tracemalloc

import pytest

from dragoman import Dragoman
from dragoman.index.drugs_fuzzy import deletions
from dragoman.index.term_values import deletes
from dragoman.text.tokens import LONGEST_WORD


@pytest.mark.parametrize("name", ["hospital", "formulary"])
@pytest.mark.parametrize("sign", ["\ufdfa", "\ufdfb", "\u3388", "\u1e9e", "a"])
def test_a_word_of_many_thousand_letters_takes_no_memory_by_its_square(name: str, sign: str) -> None:
    engine = Dragoman.demo(name)
    engine.enrich("a word")
    tracemalloc.start()
    try:
        engine.enrich(sign * (900 if sign != "a" else 4000))
        assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    finally:
        tracemalloc.stop()


def test_only_words_that_there_may_be_are_near_to_others() -> None:
    longest, longer = "a" * (LONGEST_WORD - 1) + "b", "a" * LONGEST_WORD + "b"
    assert len(deletes(longest)) > 1
    assert len(deletions(longest)) > 1
    assert deletes(longer) == deletions(longer) == [longer]
