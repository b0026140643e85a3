"""Every layer and feature earns its place: on the demos' golden questions, switching it off alone loses something.

A layer that silently stopped contributing would pass every test of its own; here it fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from dragoman.engine import Dragoman
from dragoman.enrich.layers import LAYERS
from dragoman.enrich.work import FEATURES
from dragoman.evaluate import cases
from dragoman.evaluate.golden import Result, run

LONG = (
    "Geachte dokter, mijn naam is Jan. Vorige maand zei de huisarts dat ik hypothyreoïdie heb. Sindsdien slaap ik "
    "slecht en kom ik bij. Ik had graag geweten of ik met hypothyreoïdie mag sporten? Alvast bedankt."
)
# What the demos' golden questions cannot show, with the reason.
ELSEWHERE = {
    "overrides": "the demos override nothing: see tests of enrich.overrides",
    "condensing": "golden questions do not speak of the condensed query: see below",
    "offline": "finds no terms, it tells turn types: see tests of dragoman.offline",
}
NAMES = [*(layer.name for layer in LAYERS), *FEATURES]


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
        results.cache_clear()


@cache
def results(demo: str) -> tuple[Dragoman, list[Result]]:
    """A demo and the golden questions that pass in it."""
    engine = Dragoman.demo(demo)
    loaded = cases.load(engine.project.base / "golden.jsonl")
    return engine, [r for r in run(engine, loaded, has_model=False) if r.passed and not r.skipped]


def uses(result: Result, name: str) -> bool:
    """Whether the answer owes something to a layer or feature."""
    if result.answer is None:
        return False
    why = FEATURES.get(name)
    if why is None:
        return any(e.layer == name for e in result.answer.enrichment.expansions)
    return any((c.why or "").startswith(why) for c in result.answer.candidates)


def missed(demo: str, name: str) -> str | None:
    """The first golden question that fails with ``name`` off."""
    engine, passed = results(demo)
    for result in passed:
        if uses(result, name) and not run(engine, [result.case], without=(name,), has_model=False)[0].passed:
            return result.case.id
    return None


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ELSEWHERE])
def test_switched_off_it_is_missed(demos: None, name: str):
    # The layer of the catalogue has nothing to do in a hospital without one.
    assert missed("hospital", name) or missed("formulary", name), f"{name} contributes nothing to the demos' questions"


def test_nothing_is_exempt_that_is_not_there():
    assert set(ELSEWHERE) <= set(NAMES)


def test_the_condensed_query_is_there_and_can_be_switched_off(demos: None):
    engine = Dragoman.demo("hospital")
    condensed = engine.enrich(LONG).queries.condensed
    assert condensed is not None
    assert {"hypothyreoïdie", "sporten?"} <= set(condensed.split())
    assert engine.enrich(LONG, without=["condensing"]).queries.condensed is None
    assert engine.enrich("Wat is hypothyreoïdie?").queries.condensed is None
    assert {row.step: row.outcome for row in engine.ask(LONG).trace}["condensing"] == "hit"


def test_what_the_frame_names_the_enrichment_resolves(demos: None):
    """The silent loss: an entity that the understanding found and the enrichment ignored is a counted trace row."""
    _, passed = results("hospital")
    ignored = {
        r.case.id: r.answer.frame.entities.conditions
        for r in passed
        if r.answer is not None
        and r.case.reply is None  # a model's words need not be in the vocabularies
        and any(row.step == "entities_ignored" for row in r.answer.trace)
    }
    assert ignored == {}
