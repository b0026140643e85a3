"""The HTML report: complete, escaped, and nothing from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest

from dragoman.evaluate.cases import Case
from dragoman.evaluate.compare import Comparison
from dragoman.evaluate.golden import Result, run
from dragoman.evaluate.report import Report, render

VOID = {"meta"}


class Balanced(HTMLParser):
    """Fails on a tag that is closed in the wrong place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def case(id: str, **changes: Any) -> Case:
    plain = {
        "id": id,
        "language": "nl",
        "category": "lay",
        "turn": {"text": "<b>pijn</b> & koorts"},
        "expect": {"frame": {"turn_type": "smalltalk"}},
    }
    return msgspec.convert(plain | changes, Case)


@pytest.fixture
def results(fake: Any, answer: Any) -> list[Result]:
    engine = fake(lambda turn, options: answer(turn, turn_type="smalltalk" if "goed" in turn.text else "x"))
    return run(
        engine,
        [
            case("fails"),
            case("holds", turn={"text": "goed"}),
            case("guarded", category="scope"),
            case("known", known_failure="later"),
            case("model", category="clarify", needs="llm"),
        ],
    )


def page(results: list[Result], **more: Any) -> str:
    return render(
        Report(
            title="Golden questions",
            golden="golden.jsonl",
            project="test",
            index="0f0f",
            version="1.2.3",
            results=results,
            safety=frozenset({"scope"}),
            **more,
        )
    )


def test_the_page_is_whole_and_stands_alone(results: list[Result]) -> None:
    html = page(results)
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert not re.search(r"""(src|href)=|url\(|@import|<script""", html)
    assert "http" not in html


def test_what_comes_from_a_case_is_escaped(results: list[Result]) -> None:
    html = page(results)
    assert "<b>pijn" not in html
    assert "&lt;b&gt;pijn&lt;/b&gt; &amp; koorts" in html


def test_failures_are_shown_with_what_was_expected_and_came_safety_first(results: list[Result]) -> None:
    html = page(results)
    assert html.index("<code>guarded</code>") < html.index("<code>fails</code>")
    assert "frame.turn_type: expected &quot;smalltalk&quot;, got &quot;x&quot;" in html
    assert "Known failures (1)" in html
    assert "1 need a model" in html
    assert "all 1 skipped" in html
    assert "scope ⚠" in html


def test_thresholds_and_comparisons(results: list[Result]) -> None:
    assert "Every stated threshold is met" in page(results)
    found = Comparison(paired=4, before=3, after=1, lost=("fails", "guarded"), won=(), p=0.5)
    html = page(results, missed=["1 of 4 passed"], ablations={"near": found}, against=("earlier.json", found))
    assert "1 of 4 passed" in html
    assert "Newly failing: <code>fails, guarded</code>" in html
    assert "<td>near</td><td class=n>3</td><td class=n>1</td><td class=n>-2</td>" in html
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
