"""Names on too many of the corpus's pages are counted at build and not appended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index import project as small

from dragoman.engine import Dragoman
from dragoman.errors import DataError
from dragoman.index.build import build
from dragoman.index.frequent import LEAST_PAGES, frequent

PAGES = ["Een dikke voet is lastig"] * 12 + ["Iets anders"] * 18


def test_the_share_of_pages_counts() -> None:
    assert frequent(["Dikke voet", "Warme hand", "voet"], PAGES, 0.3) == ["dikke voet", "voet"]
    assert frequent(["Dikke voet"], PAGES, 0.5) == []
    assert frequent(["Dikke voet"], ["dikke voet dikke voet", *(["x"] * 30)], 0.05) == []


def test_few_pages_tell_nothing() -> None:
    assert frequent(["Dikke voet"], ["dikke voet"] * (LEAST_PAGES - 1), 0.1) == []


@given(st.lists(st.text(max_size=30), max_size=40), st.lists(st.text(max_size=12), max_size=5))
def test_any_text(pages: list[str], names: list[str]) -> None:
    assert frequent(names, pages, 1.0) == []  # none is on more than all of them


def opened(tmp_path: Path, more: str) -> Dragoman:
    (tmp_path / "pages.jsonl").write_text(
        "".join(json.dumps({"id": str(n), "title": "Pagina", "text": text}) + "\n" for n, text in enumerate(PAGES)),
        "utf-8",
    )
    project = small.write(tmp_path, more)
    build(project)
    return Dragoman.open(tmp_path)


def test_a_frequent_name_is_not_appended_and_the_trace_says_so(tmp_path: Path) -> None:
    engine = opened(tmp_path, '[enrich]\ncorpus = "pages.jsonl"\nmax_share = 0.3\n')
    answer = engine.enriched("ik heb zwelvoet", without=["taxonomy"])
    assert "Dikke voet" not in answer.enrichment.text
    assert [(r.outcome, r.count) for r in answer.trace if r.step == "corpus"] == [("miss", 1)]
    assert {o.outcome for o in answer.enrichment.concept_outcomes} == {"over_budget"}
    assert "Warme hand" in engine.enrich("ik heb branderhand").text
    assert not any(r.step == "corpus" for r in engine.enriched("ik heb branderhand").trace)


def test_without_a_corpus_every_name_may_be_appended(tmp_path: Path) -> None:
    assert "Dikke voet" in opened(tmp_path, "").enrich("ik heb zwelvoet").text


def test_a_department_that_is_asked_for_is_told(tmp_path: Path) -> None:
    pages = [f"Voetenpoli {n}" for n in range(LEAST_PAGES)]
    (tmp_path / "own.jsonl").write_text(
        "".join(json.dumps({"id": text, "text": text}) + "\n" for text in pages), "utf-8"
    )
    engine = opened(tmp_path, '[enrich]\ncorpus = "own.jsonl"\n')
    assert "Voetenpoli" in engine.enrich("naar welke dienst met zwelvoet?").text


def test_what_is_no_page_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_text('{"id": "1", "text": "x"}\n{"id": "2"}\n', "utf-8")
    project = small.write(tmp_path, '[enrich]\ncorpus = "pages.jsonl"\n')
    with pytest.raises(DataError, match=r"pages\.jsonl:2"):
        build(project)
