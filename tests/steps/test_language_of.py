"""The language of a turn: declared, or read from the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.folder import language
from dragoman.steps.language_of import language_of
from dragoman.text.detect import Detect
from dragoman.text.tokens import tokenize

CODES = ("vi", "en", "nl", "de")
PACKS = tuple(language(code) for code in CODES)
EXAMPLES = [(code, e.text) for code in CODES for e in language(code).table("detect.toml", Detect).example]


@pytest.mark.parametrize(("code", "text"), EXAMPLES)
def test_pack_examples(code: str, text: str) -> None:
    assert language_of(tokenize(text), PACKS, None) == code


@pytest.mark.parametrize(
    ("declared", "code"),
    [("nl", "nl"), ("nl-BE", "nl"), ("EN_us", "en"), ("fr", "vi"), ("", "vi"), (None, "vi")],
)
def test_declared_wins_where_the_project_has_it(declared: str | None, code: str) -> None:
    assert language_of(tokenize("uống lúc nào"), PACKS, declared) == code


def test_what_shows_nothing_is_in_the_corpus_language() -> None:
    assert language_of(tokenize("paracetamol"), PACKS, None) == "vi"
    assert language_of(tokenize("😅 ?"), PACKS[::-1], None) == CODES[-1]


@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    assert language_of(tokenize(text), PACKS, None) in CODES
