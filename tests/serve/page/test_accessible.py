"""Whoever uses it: by keyboard, with a screen reader, on a phone, in the dark, in Vietnamese and Dutch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.serve.page.support import DESKTOP, PHONE

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the development group is not installed")

pytestmark = pytest.mark.service

TABS = ("ask", "terms", "golden", "gaps", "system")
QUESTION = "amoxicillin 500 cho bé 12 kg bị dị ứng penicillin, có dùng Losec với Aspirinol được không?"
FOCUSED = "document.activeElement.id || document.activeElement.className || document.activeElement.textContent"


def fill(one: Any) -> None:
    """Something on every tab."""
    one.open()
    one.ask(QUESTION)
    one.ask("còn tác dụng phụ?")
    panel = one.tab("terms")
    one.page.fill("#term", "Glucophage")
    one.page.press("#term", "Enter")
    panel.locator(".found").first.wait_for()
    one.tab("golden")
    one.page.click("#golden-run")
    one.page.locator("#golden-one .tiles").wait_for()
    one.tab("gaps").locator(".card").first.wait_for()
    one.tab("system").locator(".card").first.wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    visit: Callable[..., Any], formulary: str, scheme: str, size: tuple[int, int]
) -> None:
    one = visit(formulary, size, scheme)
    fill(one)
    page = one.page
    for name in TABS:
        one.tab(name)
        if name == "ask":
            page.locator(".turns button").first.click()
            page.click(".options summary")
            page.locator(".reading .mark > button").first.focus()  # its explanation is open
        found = axe.Axe().run(page).response["violations"]
        assert [(v["id"], v["impact"], v["nodes"][0]["html"]) for v in found] == [], name
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name
        if name == "ask":
            page.click(".options summary")
    one.tab("ask")
    page.click('[data-copy="link"]')
    assert [v["id"] for v in axe.Axe().run(page).response["violations"]] == []
    page.keyboard.press("Escape")


def test_the_narrowest_phones_scroll_in_one_direction(visit: Callable[..., Any], hospital: str) -> None:
    one = visit(hospital, (320, 600))
    one.open()
    page = one.ask("Volgens de echo heb ik steatosis hepatis en ook osteoartrose in mijn kniegewricht")
    page.locator(".reading .mark > button").first.click()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    box = page.locator(".mark.open .tip").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320


def test_everything_is_reached_by_keyboard(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary)
    page = one.open()
    press = page.keyboard.press
    press("Tab")
    assert page.evaluate(FOCUSED) == "skip"
    press("Tab")
    assert page.evaluate(FOCUSED) == "tab-ask"
    press("ArrowRight")
    assert page.evaluate(FOCUSED) == "tab-terms"
    assert page.locator("#panel-terms").is_visible()
    press("End")
    assert page.evaluate(FOCUSED) == "tab-system"
    press("Home")
    for _ in range(3):
        press("Tab")
    assert page.evaluate(FOCUSED) == "question"
    page.keyboard.type("Losec")
    press("Enter")
    page.wait_for_selector(".reading")
    assert page.evaluate(FOCUSED) == "question"  # a follow-up can be typed at once
    for _ in range(12):
        press("Tab")
        if page.evaluate("document.activeElement.closest('.mark') !== null"):
            break
    tip = page.locator(".reading .mark .tip")
    assert tip.is_visible()
    described = page.evaluate(
        "document.getElementById(document.activeElement.getAttribute('aria-describedby')).innerText"
    )
    assert "Omeprazol" in described
    press("Escape")
    assert not tip.is_visible()


def test_focus_can_be_seen(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary, scheme="dark")
    page = one.open()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_the_theme_can_be_chosen_and_stays(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary)
    page = one.open()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("#theme")
    page.click("#theme")
    assert page.inner_text("#theme") == "Theme: dark"
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    page.wait_for_selector("#where:not(:empty)")
    assert page.evaluate(ground) == dark


@pytest.mark.parametrize("text", ["Ệ ợ ữ ẵ ỹ Đ đ ẫ ộ", "ï ë é ö ü ĳ"])
def test_every_letter_has_a_glyph(visit: Callable[..., Any], formulary: str, text: str) -> None:
    """A letter without a glyph is drawn as a box of the font's own width: all such letters look the same."""
    one = visit(formulary)
    page = one.open()
    same = page.evaluate(
        """text => {
            const draw = (letter) => {
                const canvas = Object.assign(document.createElement("canvas"), { width: 60, height: 60 });
                const pen = canvas.getContext("2d");
                pen.font = `32px ${getComputedStyle(document.documentElement).getPropertyValue("--serif")}`;
                pen.fillText(letter, 8, 44);
                return canvas.toDataURL();
            };
            const missing = draw("\\u{10FFFE}");
            return text.split(" ").filter((letter) => draw(letter) === missing);
        }""",
        text,
    )
    assert same == []
