"""A pattern needs a word; whatever its shape, it is found where its words stand."""

from __future__ import annotations

import pytest

from dragoman.errors import ConfigError
from dragoman.text.phrases import Phrasebook
from dragoman.text.tokens import tokenize


@pytest.mark.parametrize("pattern", ["", "^", "$", "…", "[a]", "[a] [b]", "(a|^)", "(|a)", "^ $", "([a]|b)"])
def test_a_pattern_that_may_be_empty_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="may be empty"):
        Phrasebook([(pattern, 1)], marks_matter=False, where="pack.toml")


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("geen hoofdpijn", "Ik heb GEEN hoofdpijn.", ["GEEN hoofdpijn"]),
        ("geen [erge] hoofdpijn", "geen erge hoofdpijn", ["geen erge hoofdpijn"]),
        ("geen [erge] hoofdpijn", "geen hoofdpijn", ["geen hoofdpijn"]),
        ("(ik|hij) heeft|heb", "hij heeft", ["hij heeft"]),
        ("(ik [ook]|hij) heb", "ik ook heb", ["ik ook heb"]),
        ("^ help", "help mij", ["help"]),
        ("^ help", "mij help", []),
        ("help $", "help. nee", ["help"]),
        ("één", "een", ["een"]),
        ("geen …1 pijn", "geen erge pijn", ["geen erge pijn"]),
        ("geen …1 pijn", "geen hele erge pijn", []),
    ],
)
def test_a_pattern_is_found_where_its_words_stand(pattern: str, text: str, found: list[str]) -> None:
    tokens = tokenize(text)
    hits = Phrasebook([(pattern, 1)], marks_matter=False).find(tokens)
    assert [tokens.surface(h.first, h.last) for h in hits] == found


def test_books_do_not_share_their_states() -> None:
    one = Phrasebook([("a b", 1)], marks_matter=False)
    other = Phrasebook([("c", 2)], marks_matter=False)
    assert [h.value for h in one.find(tokenize("a b c"))] == [1]
    assert [h.value for h in other.find(tokenize("a b c"))] == [2]


@pytest.mark.parametrize(("typed", "count"), [("sốt", 1), ("sot cao qua", 1), ("sót", 0)])
def test_where_marks_carry_meaning_a_text_without_any_matches_all_the_same(typed: str, count: int) -> None:
    assert len(Phrasebook([("sốt", 1)], marks_matter=True).find(tokenize(typed))) == count
