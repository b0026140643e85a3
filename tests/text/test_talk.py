"""What a turn does in the conversation: the packs' examples, and that any text gives an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.folder import language
from dragoman.text.talk import Example, TalkWords, small_in, talk
from dragoman.text.tokens import tokenize

CODES = ("vi", "en", "nl", "de")
EXAMPLES = [(code, e) for code in CODES for e in language(code).table("talk.toml", TalkWords).example]


@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=[f"{c}:{e.text}" for c, e in EXAMPLES])
def test_pack_examples(code: str, example: Example) -> None:
    found = talk(tokenize(example.text), language(code))
    acts = ("yes", "no", "small", "refers", "goes_on", "anew", "meant")
    seen = {act for act in acts if getattr(found, act)}
    assert set(example.acts) <= seen
    assert ("small" in seen) is ("small" in example.acts)


@pytest.mark.parametrize("text", ["không, tôi hỏi amlodipin", "Nee, ik bedoel amlodipine", "no, I meant amlodipine"])
def test_a_no_that_goes_on_is_no_bare_no(text: str) -> None:
    for code in CODES:
        assert not talk(tokenize(text), language(code)).no


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("vi", "lỡ uống nhầm hai viên"),
        ("vi", "cho tôi hỏi liều amlodipin"),
        ("vi", "thuốc này không phải kháng sinh à"),
        ("nl", "wat is de bedoeling van dit onderzoek"),
        ("en", "what does that mean for me"),
    ],
)
def test_what_takes_nothing_back(code: str, text: str) -> None:
    assert talk(tokenize(text), language(code)).meant is None


@pytest.mark.parametrize(
    ("text", "small"),
    [("Thanks hoor, bye bye", True), ("Merci and see you", True), ("Thanks hoor, is dat erfelijk?", False)],
)
def test_smalltalk_of_two_languages(text: str, small: bool) -> None:
    packs = [language(c) for c in ("nl", "en")]
    assert not any(talk(tokenize(text), p).small for p in packs)
    assert small_in(tokenize(text), packs) is small


@pytest.mark.parametrize("code", CODES)
@given(st.text(max_size=60))
def test_any_text(code: str, text: str) -> None:
    found = talk(tokenize(text), language(code))
    assert not (found.yes and found.no) or found.yes
