"""Folding and tokens: forms that must be one, forms that must stay two, and places that must be kept."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.text.tokens import fold_key, marked_key, plain_keys, tokenize

TEXTS = st.text(max_size=200) | st.text(
    alphabet="aáàảãạâấậđĐeéèêếệoơờợòóuưứựïëöü ßæœﬁﬂ\u0301\u0323\u0302\u200b\u00ad&;<>-'’.,0123456789ABKMg", max_size=80
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bệnh", unicodedata.normalize("NFD", "bệnh")),
        ("be\u0302\u0323nh", "be\u0323\u0302nh"),  # two marks in either order
        ("hòa", "hoà"),  # old and new placement of the tone
        ("thủy đậu", "thuỷ đậu"),
        ("Thoái hóa khớp", "THOÁI HOÁ KHỚP"),
        ("hypothyreo\u200bïdie", "hypothyreoïdie"),
        ("hypothyreo\u00adïdie", "hypothyreoïdie"),
        ("hypothyreo&iuml;die", "hypothyreoïdie"),
        ("hypothyreo&#239;die", "hypothyreoïdie"),
        ("ﬁbrose", "fibrose"),
        ("ＡＶＭ", "avm"),
        ("œdème", "oedème"),
        ("acid  folic", "ACID\tfolic"),
        ("co-trimoxazol", "Co trimoxazol"),
    ],
)
def test_forms_that_are_one(one: str, other: str) -> None:
    assert fold_key(one) == fold_key(other)
    assert marked_key(one) == marked_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("sốt", "sót"), ("đường", "dương"), ("năm", "nam"), ("bò", "bo"), ("mưa", "mua"), ("chó", "cho")]
)
def test_marks_are_meaning_in_the_marked_form_alone(one: str, other: str) -> None:
    assert fold_key(one) == fold_key(other)
    assert marked_key(one) != marked_key(other)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("TIA's", ["tia", "s"]),
        ("9kg5, 500mg", ["9kg5", "500mg"]),
        ("<b>Astma</b>?", ["b", "astma", "b"]),
        ("a_b", ["a", "b"]),
        ("Xyzol™ 5 mg", ["xyzol", "5", "mg"]),
        ("Xyzol℠, Xyzol®", ["xyzol", "xyzol"]),
        ("AT&T & co", ["at", "t", "co"]),
        ("đường", ["duong"]),
        ("", []),
        ("🙂 !?", []),
        ("\u0301", []),
    ],
)
def test_tokens(text: str, keys: list[str]) -> None:
    assert tokenize(text).keys == keys


@given(TEXTS)
@example("a&amp;b")
@example("ế\u0301\u0301")
def test_every_token_maps_back_to_the_code_points_it_came_from(text: str) -> None:
    tokens = tokenize(text)
    end = 0
    for token in tokens.tokens:
        assert end <= token.start < token.end <= len(text)
        end = token.end
        assert token.key
        # the stretch alone, read again, is that token and nothing else
        again = tokenize(text[token.start : token.end])
        assert "".join(again.keys) == token.key
        assert again.surface(0, len(again)) == text[token.start : token.end]


@given(TEXTS)
def test_folding_is_stable_and_nothing_of_a_word_is_lost(text: str) -> None:
    key = fold_key(text)
    assert fold_key(key) == key
    assert fold_key(unicodedata.normalize("NFC", text)) == fold_key(unicodedata.normalize("NFD", text))


@given(st.text(alphabet="abcdeáàảãạâấêđ ", max_size=40))
def test_case_does_not_matter(text: str) -> None:
    assert marked_key(text.upper()) == marked_key(text.lower())


@given(TEXTS, st.integers(0, 20), st.integers(1, 5))
def test_spans_of_several_tokens_cover_them(text: str, first: int, width: int) -> None:
    tokens = tokenize(text)
    last = min(first + width, len(tokens))
    if first < last:
        span = tokens.span(first, last)
        assert text[span.start : span.end] == tokens.surface(first, last)
        assert tokens.key(first, last).split(" ") == tokens.keys[first:last]


@given(st.text(alphabet=st.one_of(st.sampled_from("aB9 -'&;`."), st.characters()), max_size=20))
def test_plain_keys_are_the_keys_where_there_are_any(text: str) -> None:
    keys = plain_keys(text)
    assert keys is None or keys == tokenize(text).keys


@given(TEXTS)
def test_plain_keys_know_marks_and_invisible_signs(text: str) -> None:
    keys = plain_keys(text)
    assert keys is None or keys == tokenize(text).keys
