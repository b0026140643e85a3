"""``demo``: the tour over both built-in deployments."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Dragoman

from dragoman import demo
from dragoman.errors import ConfigError


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Demos are built into a cache of their own, once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "demo-cache"))


def test_two_demos_in_two_languages_with_questions_in_three() -> None:
    assert demo.names() == ["formulary", "hospital"]
    asked = [q for name in demo.names() for q in demo.questions(name)]
    assert len(asked) >= 12
    assert {q.language for q in asked} == {"nl", "vi", "en"}
    with pytest.raises(ConfigError, match="formulary, hospital"):
        demo.folder("zoo")


@pytest.mark.parametrize("name", ["formulary", "hospital"])
def test_every_expected_page_is_there(name: str) -> None:
    pages = [p.id for p in demo.pages(name)]
    assert len(pages) == len(set(pages)) >= 60
    assert {q.expects_page for q in demo.questions(name)} - {None} <= set(pages)


def test_the_demo_finds_its_pages(dragoman: Dragoman) -> None:
    ran = dragoman("demo", "--json")
    assert ran.code == 0, [
        (q["text"], q["expects_page"])
        for d in ran.json["demos"]
        for q in d["questions"]
        if q["expects_page"] and not q["rank"]["enriched"]
    ]
    summary = ran.json["summary"]
    assert summary["found"]["enriched"] == summary["with_a_page"] > summary["found"]["plain"]
    assert summary["first"]["enriched"] > summary["first"]["plain"]


def test_the_demo_reads_well(dragoman: Dragoman) -> None:
    ran = dragoman("demo")
    assert "demo-hospital" in ran.out
    assert "with enrichment" in ran.out


def test_built_in_projects_are_named_like_files(dragoman: Dragoman) -> None:
    ran = dragoman("ask", "hypothyreoïdie", "--project", "demo-hospital", "--json")
    assert ran.json["enrichment"]["expansions"]
    assert dragoman("index", "check", "--project", "demo-hospital").code == 0
    assert dragoman("doctor", "--project", "demo-hospital").code == 0


@pytest.mark.parametrize("name", ["demo-formulary", "demo-hospital"])
def test_the_demos_pass_their_own_golden_questions(dragoman: Dragoman, name: str) -> None:
    ran = dragoman("eval", "--project", name, "--min", "0.95")
    assert ran.code == 0, ran.out
