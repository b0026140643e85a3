"""Body weights and ages: what each language pack states by example, and laws for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.folder import language
from dragoman.text.measures import Example, Units, ages, weight, weights
from dragoman.text.tokens import tokenize

CODES = ("nl", "vi", "en", "de")
EXAMPLES = [(code, e) for code in CODES for e in language(code).table("units.toml", Units).example]


@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=[f"{c}:{e.text}" for c, e in EXAMPLES])
def test_pack_examples(code: str, example: Example) -> None:
    tokens, pack = tokenize(example.text), language(code)
    found = weight(tokens, pack)
    assert (found.kg if found else None) == example.weight
    stated = ages(tokens, pack)
    assert [a.text for a in stated] == ([example.age] if example.age else [])
    if example.days is not None:
        assert stated[0].days == pytest.approx(example.days)


@pytest.mark.parametrize("code", CODES)
@given(st.text(max_size=60))
def test_any_text(code: str, text: str) -> None:
    tokens, pack = tokenize(text), language(code)
    spans = [w.span for w in weights(tokens, pack)] + [a.span for a in ages(tokens, pack)]
    for span in spans:
        assert 0 <= span.start < span.end <= len(text)


@given(st.floats(0.1, 400).map(lambda x: round(x, 1)), st.sampled_from([",", "."]), st.sampled_from(["", " "]))
def test_a_weight_is_read_as_written(kg: float, point: str, space: str) -> None:
    text = f"bé nặng {kg:.1f}".replace(".", point) + f"{space}kg"
    found = weight(tokenize(text), language("vi"))
    assert found is not None
    assert found.kg == pytest.approx(kg)
    assert text[found.span.start : found.span.end].startswith(f"{kg:.1f}".replace(".", point))
