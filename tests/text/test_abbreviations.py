"""What an abbreviation looks like and stands for."""

from __future__ import annotations

import pytest

from dragoman.text.abbreviations import initials, is_abbreviation, pair, stands_for


@pytest.mark.parametrize("term", ["AVM", "CVA", "pAVK", "HbA1c", "T1DM", "COPD", "X-BB"])
def test_abbreviations(term: str) -> None:
    assert is_abbreviation(term)


@pytest.mark.parametrize("term", ["jicht", "Crohn", "A", "hartfalen", "ziekte van Graves", "IJsland", ""])
def test_other_words(term: str) -> None:
    assert not is_abbreviation(term)


def test_a_term_that_gives_both_forms() -> None:
    assert pair("TKP - totale knieprothese") == ("TKP", "totale knieprothese")
    assert pair("pijn - chronisch") is None
    assert pair("knie-operatie") is None


def test_initials_are_exact() -> None:
    assert initials("men", ["multiple", "endocrine", "neoplasia"])
    assert initials("lvo", ["last", "van", "oren"])
    assert initials("lo", ["last", "van", "oren"], frozenset({"van"}))
    assert not initials("gout", ["gouty", "arthritis"])
    assert not initials("m", ["malaria"])


def test_letters_may_come_from_inside_words_in_order() -> None:
    assert stands_for("mm", ["multiple", "myeloma"])
    assert stands_for("ecg", ["elektrocardiogram"])
    assert not stands_for("mm", ["lymfoom", "van", "de", "milt"])
    assert not stands_for("", ["x"])
