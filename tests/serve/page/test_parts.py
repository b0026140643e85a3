"""The other tabs in a real browser, keys, and what is said of privacy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import msgspec
import pytest
from tests.serve.page.support import served, with_tables

from dragoman import Dragoman
from dragoman.project_tables import LlmTable
from dragoman.serve import keys
from dragoman.serve_tables import PrivacyTable

pytestmark = pytest.mark.service


def test_terms_show_parents_pages_and_gaps(visit: Callable[..., Any], hospital: str) -> None:
    one = visit(hospital)
    page = one.open("#terms")
    page.fill("#term", "hypothyreoidie")
    page.press("#term", "Enter")
    cards = page.locator("#terms-found .found")
    cards.first.wait_for()
    text = cards.first.inner_text()
    for word in ("sct:40930008", "parents", "schildklieraandoening", "underactive thyroid", "expanded"):
        assert word in text
    cards.first.get_by_role("button", name="schildklieraandoening").click()
    page.wait_for_function("document.querySelector('#term').value !== 'hypothyreoidie'")
    cards.first.get_by_text("gap").wait_for()
    assert "no published page is about it" in cards.first.inner_text()
    page.fill("#term", "xyzzy")
    page.press("#term", "Enter")
    page.get_by_text("Nothing is known of it").wait_for()


def test_golden_questions_are_run_listed_and_compared(
    visit: Callable[..., Any], hospital: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    one = visit(hospital)
    page = one.open("#golden")
    page.get_by_text("No runs yet").wait_for()
    page.click("#golden-run")
    page.locator("#golden-one .tiles").wait_for()
    assert "100.0%" in page.inner_text("#golden-one")
    report = max(tmp_path_factory.getbasetemp().glob("hospital[0-9]*/reports/*.json"), key=lambda p: p.stat().st_mtime)
    assert report.stat().st_mode & 0o777 == 0o600
    earlier = msgspec.json.decode(report.read_bytes())
    earlier["cases"][0]["passed"] = False
    (report.parent / "earlier.json").write_bytes(msgspec.json.encode(earlier))
    (report.parent / "broken.json").write_bytes(b"{")
    page.reload()
    page.locator("#golden tbody tr").nth(2).wait_for()
    assert "broken.json is no run" in page.inner_text("#golden")
    page.check('input[name="before"][value="earlier"]')
    page.check(f'input[name="after"][value="{report.stem}"]')
    page.click("#golden-compare")
    page.get_by_text("newly passing").wait_for()
    assert earlier["cases"][0]["id"] in page.inner_text("#golden-paired")


def test_gaps_show_what_was_asked_for_in_vain(visit: Callable[..., Any], formulary: str) -> None:
    one = visit(formulary)
    one.open()
    one.ask("Hydroxyzin có gây buồn ngủ không?")
    panel = one.tab("gaps")
    panel.get_by_text("Asked for, and not in the catalogue").wait_for()
    assert "hydroxyzin" in panel.inner_text().lower()
    assert "buồn ngủ không" not in panel.inner_text()


def test_the_system_shows_index_licences_and_layers(visit: Callable[..., Any], hospital: str) -> None:
    one = visit(hospital)
    page = one.open("#system")
    page.get_by_text("Sources and licences").wait_for()
    text = page.inner_text("#system")
    for word in ("sint-elooi", "hospital", "nl, en", "open", "terminology", "No model is asked"):
        assert word in text
    assert Dragoman.demo("hospital").info.id in text


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service that sends what is asked to a model which does not answer, and keeps it."""
    folder = tmp_path_factory.mktemp("told")
    engine = with_tables(Dragoman.demo("formulary"), folder)
    file = msgspec.structs.replace(
        engine.project.file,
        llm=LlmTable(provider="openai", model="m-1", base_url="http://127.0.0.1:9/v1", timeout_s=2, redact=True),
        privacy=PrivacyTable(keep_text=True, path=str(folder / "kept"), keep_days=7),
    )
    with served(Dragoman(msgspec.structs.replace(engine.project, file=file), engine.vocabularies)) as address:
        yield address
    engine.close()


def test_the_page_says_who_is_told_what(visit: Callable[..., Any], told: str) -> None:
    one = visit(told)
    page = one.open()
    said = page.inner_text("#privacy")
    assert "is sent to http://127.0.0.1:9/v1 (model m-1), with obvious identifiers masked" in said
    assert "keeps what is asked for 7 days" in said
    panel = one.tab("system")
    panel.get_by_text("Sent with each question").wait_for()
    assert "earlier messages of the conversation" in panel.inner_text()
    page.click("#probe")
    page.get_by_text("gave no usable answer").wait_for()
    one.tab("ask")
    one.ask("amoxicilin có tác dụng phụ gì?")
    assert "understanding provider unavailable" in page.inner_text("#answer")


def test_a_key_stays_in_the_tab(visit: Callable[..., Any], tmp_path: Path) -> None:
    made = keys.make("test")
    engine = with_tables(Dragoman.demo("formulary"), tmp_path, key=(made.table,))
    with served(engine) as address:
        one = visit(address, http_credentials={"username": "any", "password": made.text, "send": "always"})
        page = one.open()
        page.click("#key")
        page.fill("#key-input", made.text)
        page.get_by_role("button", name="Use it").click()
        with page.expect_request("**/v1/ask") as sent:
            one.ask("amoxicilin có tác dụng phụ gì?")
        assert sent.value.headers["x-api-key"] == made.text
        kept = page.evaluate("[{...sessionStorage}, {...localStorage}, document.cookie]")
        assert kept == [{"dragoman.key": made.text}, {"dragoman.theme": "auto"}, ""]
        page.click('[data-copy="curl"]')
        assert made.text not in page.inner_text("#code-box")
        assert "$DRAGOMAN_KEY" in page.inner_text("#code-box")
        page.click("#code-close")
        assert not [r.url for r in one.asked if made.text in r.url]
        with pytest.raises(HTTPError, match="401"):
            urlopen(address)
    engine.close()
