"""The tab *Ask* in a real browser: what it shows of a turn, and what it hands out."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman import Dragoman
from dragoman.evaluate import cases, golden

pytestmark = pytest.mark.service

QUESTION = "amoxicillin 500 cho bé 12 kg bị dị ứng penicillin, có dùng Losec với Aspirinol được không?"
FOLLOW_UP = "còn tác dụng phụ?"


def rows(page: Any, caption: str) -> list[list[str]]:
    """The rows of a table, cell by cell."""
    found: list[list[str]] = page.eval_on_selector_all(
        f'table[aria-label="{caption}"] tbody tr',
        "rows => rows.map(row => [...row.children].map(cell => cell.innerText.trim()))",
    )
    return found


def test_spans_are_underlined_by_kind_and_say_why(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary)
    one.open()
    page = one.ask(QUESTION)
    marks = {m.locator("button").inner_text(): m.get_attribute("class") for m in page.locator(".reading .mark").all()}
    assert marks == {
        "amoxicillin": "mark drug variant",
        "penicillin": "mark drug class",
        "Losec": "mark drug exact",
        "Aspirinol": "mark drug unknown",
    }
    tip = page.locator(".reading .mark.unknown .tip")
    assert not tip.is_visible()
    page.hover(".reading .mark.unknown > button")
    assert "a drug's name with an ending that makes another of it" in tip.inner_text()
    page.mouse.move(0, 0)
    assert not tip.is_visible()
    assert page.locator(".reading").get_attribute("lang") == "vi"


def test_the_frame_says_what_set_each_field(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary)
    one.open()
    page = one.ask(QUESTION)
    frame = {row[0]: row[1:] for row in rows(page, "Fields of the frame")}
    assert frame["weight kg"] in (["12 kg", "rules"], ["12 kg", "offline heads"])
    assert frame["unknown drugs"][0] == "Aspirinol"
    assert "Omeprazol" in frame["drugs"][0]
    found = rows(page, "Candidates")
    assert ["Losec", "drug", "Omeprazol", "catalog omeprazol", "exact", "1.00", ""] in found
    assert rows(page, "Appended terms")[0][:2] == ["Amoxicilin", "catalog"]
    steps = {row[0]: row for row in rows(page, "What each step did")}
    assert steps["catalog"][3].endswith((" µs", " ms"))


def test_a_follow_up_shows_what_is_carried_over(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary)
    one.open()
    one.ask(QUESTION)
    page = one.ask(FOLLOW_UP)
    frame = {row[0]: row[1:] for row in rows(page, "Fields of the frame")}
    assert frame["weight kg"] == ["12 kg", "carried over"]
    turns = page.locator(".turns button")
    assert turns.count() == 2
    assert "carried over: drugs" in turns.nth(1).inner_text()
    turns.nth(0).click()
    assert page.locator(".reading").inner_text() == QUESTION
    page.click("#afresh")
    assert page.locator(".turns").count() == 0
    assert page.locator("#examples button").first.is_visible()


def test_search_with_and_without_enrichment_side_by_side(visit: Callable[..., Any], hospital: str) -> None:
    one = visit(hospital)
    one.open()
    page = one.ask("Ik heb last van hypothyreoïdie")
    plain, enriched = page.locator(".hit-lists > div").all()
    assert "Te traag werkende schildklier" not in plain.inner_text()
    first = enriched.locator("li").first.inner_text()
    assert "Te traag werkende schildklier" in first
    assert "new" in first
    assert "Enrichment brings" in page.locator("#searched").inner_text()


def test_a_question_back_is_answered_with_one_tap(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary)
    one.open()
    page = one.ask("paracetmol có tác dụng phụ gì?")
    reply = page.locator(".replies button").first
    text = reply.inner_text()
    reply.click()
    page.wait_for_selector(".turns")
    frame = {row[0]: row[1:] for row in rows(page, "Fields of the frame")}
    assert "paracetamol" in frame["drugs"][0], text


def copied(page: Any, kind: str) -> str:
    page.click(f'[data-copy="{kind}"]')
    text: str = page.inner_text("#code-box")
    page.click("#code-close")
    return text


def test_what_is_copied_works(visit: Callable[..., Any], formulary: str, tmp_path: Path) -> None:
    one = visit(formulary)
    one.open()
    one.ask(QUESTION)
    page = one.ask(FOLLOW_UP)
    answer = json.loads(copied(page, "json"))
    if shutil.which("curl"):
        command = copied(page, "curl")
        ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
        assert json.loads(ran.stdout)["frame"] == answer["frame"], ran.stderr
    program = copied(page, "python")
    ast.parse(program)
    printed: list[Any] = []
    scope = {"print": lambda *values: printed.append(values)}
    exec(program.replace('Dragoman.open("dragoman.toml")', 'Dragoman.demo("formulary")'), scope)
    assert printed[0] == (answer["frame"]["turn_type"], tuple(answer["frame"]["drugs"]))
    (tmp_path / "golden.jsonl").write_text(copied(page, "golden") + "\n", "utf-8")
    (result,) = golden.run(Dragoman.demo("formulary"), cases.load(tmp_path / "golden.jsonl"))
    assert result.passed, result.why


def test_a_link_holds_no_question_unless_asked_for(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary)
    page = one.open()
    page.click(".options summary")
    page.uncheck('#switches input[value="near"]')
    one.ask(QUESTION)
    page.click('[data-copy="link"]')
    link = page.inner_text("#code-box")
    assert link == f"{formulary}/#ask?without=near"
    page.check("#code-text")
    link = page.inner_text("#code-box")
    assert "question=amoxicillin" in link
    other = visit(formulary)
    other.page.goto(link)
    other.page.wait_for_selector(".reading")
    assert other.page.locator(".reading").inner_text() == QUESTION
    assert other.page.url == f"{formulary}/#ask"
    assert not other.page.is_checked('#switches input[value="near"]')


def test_no_address_holds_a_text(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary)
    one.open()
    one.ask(QUESTION)
    page = one.ask(FOLLOW_UP)
    panel = one.tab("terms")
    page.fill("#term", "Glucophage")
    page.press("#term", "Enter")
    panel.locator(".found").first.wait_for()
    addresses = [r.url for r in one.asked] + [page.url]
    assert any(a.endswith("/page/search") for a in addresses)
    assert not [a for a in addresses for word in ("amoxicillin", "Losec", "Glucophage", "%") if word in a]
    assert page.evaluate("JSON.stringify([{...localStorage}, document.cookie])") == '[{"dragoman.theme":"auto"},""]'


def test_markup_in_a_question_is_text(visit: Callable[..., Any], formulary: str) -> None:
    text = "<img src=x onerror=alert(1)> 💊 paracetamol <b>500</b>"
    one = visit(formulary)
    one.open()
    page = one.ask(text)
    assert page.locator(".reading .mark > button").first.inner_text() == "paracetamol"  # spans count code points
    assert page.locator("#answer img, #answer b").count() == 0


def test_a_refusal_is_told(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary)
    page = one.open()
    page.route("**/v1/ask", lambda route: route.abort())
    page.fill("#question", "x")
    page.click("#ask-button")
    page.wait_for_selector("#answer [role=alert]")
    assert "cannot be reached" in page.inner_text("#answer")
    assert page.is_enabled("#ask-button")
    one.said.clear()  # the browser's own word on the request that was cut off
