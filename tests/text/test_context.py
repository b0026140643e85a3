"""The examples that each language pack states, the comma-list and label faults, and laws that hold for any text."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.folder import language
from dragoman.text.context import Assertion, assertions
from dragoman.text.context_cues import Context, Example
from dragoman.text.tokens import tokenize
from dragoman.types import Span

CODES = ("nl", "vi", "en", "de")
EXAMPLES = [(code, e) for code in CODES for e in language(code).table("context.toml", Context).example]


def parse(marked: str) -> tuple[str, list[Span]]:
    """``a {b} c`` → the text without braces and the spans that stood in them."""
    text, spans = "", []
    for part in re.split(r"(\{[^}]*\})", marked):
        start = len(text)
        text += part.strip("{}") if part.startswith("{") else part
        if part.startswith("{"):
            spans.append(Span(start, len(text)))
    return text, spans


def read(code: str, marked: str) -> dict[str, Assertion]:
    text, spans = parse(marked)
    found = assertions(tokenize(text), spans, language(code))
    return {text[s.start : s.end]: a for s, a in zip(spans, found, strict=True)}


@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=[f"{c}:{e.text}" for c, e in EXAMPLES])
def test_pack_examples(code: str, example: Example) -> None:
    found = read(code, example.text)
    said = {f: [w for w, a in found.items() if getattr(a, f)] for f in ("negated", "family", "past", "uncertain")}
    stated = {f: list(getattr(example, f)) for f in said}
    assert said == stated


def test_denial_spreads_over_a_comma_list_and_names_its_cue() -> None:
    found = read("en", "patient denies {high blood pressure}, {diabetes}, {smoking} and {chest pain}")
    assert [a.negated for a in found.values()] == ["denies"] * 4


@pytest.mark.parametrize("code", CODES)
def test_each_pack_has_examples(code: str) -> None:
    assert len([e for c, e in EXAMPLES if c == code]) >= 10


def test_a_cue_inside_a_finding_is_its_name() -> None:
    assert read("vi", "Bị {mất ngủ không rõ nguyên nhân}")["mất ngủ không rõ nguyên nhân"] == Assertion()


@pytest.mark.parametrize(
    ("code", "text", "kept"),
    [
        # alone, what is set aside is what is asked about
        ("nl", "iets in plaats van een {keizersnede}", "keizersnede"),
        ("en", "rather than {surgery}", "surgery"),
        ("de", "statt einer {Operation}", "Operation"),
        ("vi", "thay vì {phẫu thuật}", "phẫu thuật"),
        # what holds stands in the same sentence
        ("nl", "Ik heb {reuma}. In plaats van een {operatie}?", "operatie"),
        # words further on are not set aside
        ("en", "{migraine} rather than a {stroke} with {vertigo}", "vertigo"),
        ("nl", "{migraine} in plaats van een {beroerte}, en {duizeligheid}", "duizeligheid"),
        # a list in a question
        ("nl", "zijn {jicht} en {reuma} erfelijk in plaats van {artrose}", "artrose"),
    ],
)
def test_what_a_contrast_leaves(code: str, text: str, kept: str) -> None:
    assert read(code, text)[kept].negated is None


def test_a_contrast_outweighs_doubt_for_what_it_sets_aside() -> None:
    found = read("nl", "misschien heb ik {artrose} in plaats van {jicht}")
    assert found["jicht"] == Assertion(negated="in plaats van")
    assert found["artrose"].uncertain


@pytest.mark.parametrize("code", CODES)
@given(st.text(max_size=80), st.data())
def test_any_text(code: str, text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6).map(sorted))
    spans = [Span(a, b) for a, b in itertools.pairwise(cuts)]
    assert len(assertions(tokenize(text), spans, language(code))) == len(spans)
