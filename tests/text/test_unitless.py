"""A figure behind a word for weighing: a weight without its unit, which is asked and never taken."""

from __future__ import annotations

import pytest

from dragoman.folder import language
from dragoman.text.tokens import tokenize
from dragoman.text.unitless import unitless


@pytest.mark.parametrize(
    ("code", "text", "figure"),
    [
        ("vi", "liều cho bé nặng 12", 12.0),
        ("vi", "bé cân nặng khoảng 9,5, uống mấy ml", 9.5),
        ("nl", "zij weegt 14", 14.0),
        ("nl", "hij weegt nu 20. Hoeveel mag hij?", 20.0),
        ("en", "my son weighs 31", 31.0),
        ("vi", "cho bé nặng 15 uống bao nhiêu", 15.0),
        ("en", "she weighs 25 and is four", 25.0),
        ("vi", "bé nặng 12 kg", None),
        ("vi", "bé bị nặng 3 ngày nay", None),
        ("vi", "bệnh nặng", None),
        ("nl", "zij weegt 14 kilo", None),
        ("nl", "weegt 900", None),
        ("en", "weighs 31 pounds", None),
        ("en", "age 12", None),
    ],
)
def test_figure(code: str, text: str, figure: float | None) -> None:
    assert unitless(tokenize(text), language(code)) == figure
