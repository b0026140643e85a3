"""Which drugs the words of a turn make the patient's own, and how far such words reach."""

from __future__ import annotations

import pytest

from dragoman.evidence.names import Drug
from dragoman.evidence.patient import roles
from dragoman.folder import language
from dragoman.text.tokens import tokenize
from dragoman.types import Span

NAMES = ("citalopram", "venlafaxin", "warfarin", "naproxen", "celecoxib")


def told(code: str, text: str) -> dict[str, str]:
    lower = text.lower()
    named = [Drug(Span(lower.index(n), lower.index(n) + len(n)), n, (n,), "exact", (n,)) for n in NAMES if n in lower]
    named.sort(key=lambda d: d.span)
    return {d.text: d.role for d in roles(tokenize(text), language(code), named, relatives=True)}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I stopped taking citalopram and started venlafaxin, what dose?"),
        ("en", "he no longer takes citalopram and began venlafaxin"),
        ("nl", "ik ben gestopt met citalopram en begonnen met venlafaxin, hoeveel mag ik"),
        ("vi", "đã ngưng uống citalopram rồi bắt đầu uống venlafaxin liều bao nhiêu"),
    ],
)
def test_what_is_begun_is_not_what_was_stopped(code: str, text: str):
    assert told(code, text) == {"citalopram": "past", "venlafaxin": "asked"}


@pytest.mark.parametrize(
    "text",
    [
        "không dùng naproxen nữa, chuyển celecoxib thì liều sao",
        "không uống naproxen nữa, celecoxib uống mấy viên",
    ],
)
def test_a_cue_that_closes_around_a_name_does_not_reach_over_the_comma_behind_it(text: str):
    assert told("vi", text) == {"naproxen": "past", "celecoxib": "asked"}


def test_a_list_of_what_was_stopped_is_stopped_whole():
    assert told("en", "I no longer take citalopram or venlafaxin") == {"citalopram": "past", "venlafaxin": "past"}
