from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.adapters.conftest import ENRICHED, TEXT, without_text

from dragoman import Dragoman, Turn
from dragoman.adapters.carry import Asker
from dragoman.errors import IndexUnusable, LimitExceeded


def test_the_query_its_terms_and_what_led_to_them(engine: Dragoman) -> None:
    found = Asker(engine).ask(TEXT)
    assert found.text == found.dense == ENRICHED
    assert [(t.term, t.weight) for t in found.terms] == [(TEXT, 1.0), ("Dikke voet", 0.3)]
    data = found.metadata
    assert json.loads(json.dumps(data)) == data
    assert data["index"]["id"] == engine.info.id
    assert [(s["kind"], s["id"], TEXT[slice(*s["span"])]) for s in data["spans"]] == [
        ("concept", "k1", "zwelvoet"),
        ("drug", "r1", "zorbalin"),
    ]
    (term,) = data["terms"]
    assert (term["term"], term["weight"], term["entity_id"], term["via"]) == ("Dikke voet", 0.3, "c-1", "same_concept")
    assert [o["outcome"] for o in data["outcomes"]] == ["expanded"]
    assert {row["step"] for row in data["trace"]} >= {"candidates", "terminology"}
    assert "frame" not in data


@pytest.mark.parametrize("understand", [False, True])
def test_nothing_of_the_text_stands_in_the_metadata(engine: Dragoman, understand: bool) -> None:
    text = "mijn oom Wiebrand uit Zierikzee heeft een zwelvoet en slikt plixobrand"
    found = json.dumps(Asker(engine, understand=understand).ask(text).metadata).lower()
    for word in ("wiebrand", "zierikzee", "plixobrand", "oom"):
        assert word not in found


def test_understanding_adds_the_frame(engine: Dragoman) -> None:
    frame = Asker(engine, understand=True).ask(TEXT).metadata["frame"]
    assert frame["drugs"] == ["r1"]
    assert frame["understood_by"] in ("rules", "offline")
    assert without_text(frame)


@pytest.mark.parametrize("understand", [False, True])
def test_waiting_gives_the_same(engine: Dragoman, understand: bool) -> None:
    asker = Asker(engine, understand=understand)

    def still(data: dict[str, Any]) -> dict[str, Any]:
        return data | {"trace": [{**row, "us": 0} for row in data["trace"]]}

    now, later = asker.ask(TEXT), asyncio.run(asker.aask(Turn(TEXT)))
    assert (now.text, still(now.metadata)) == (later.text, still(later.metadata))


def test_layers_may_be_switched_off(engine: Dragoman) -> None:
    assert Asker(engine, without=["terminology", "taxonomy"]).ask(TEXT).text == TEXT


def test_a_project_is_opened_by_its_path_or_told_why_not(project: Path, tmp_path: Path) -> None:
    assert Asker(project).ask(TEXT).text == ENRICHED
    with pytest.raises(LimitExceeded):
        Asker(project).ask("x" * 5000)
    (tmp_path / "dragoman.toml").write_text('[project]\nprofile = "hospital"\nlanguages = ["nl"]\n')
    with pytest.raises(IndexUnusable):
        Asker(tmp_path)
