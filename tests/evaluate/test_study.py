from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pytest

from dragoman.errors import ConfigError, DataError
from dragoman.evaluate.retrieval import Asked, Weights
from dragoman.evaluate.retrieval_report import RetrievalReport, probability, render
from dragoman.evaluate.study import GRID, Study, run_names, study
from dragoman.evaluate.trec import Query
from dragoman.types import Enrichment, Queries, Turn, WeightedTerm

pytest.importorskip("ir_measures", reason="the extra eval is not installed")

WEIGHTS = Weights(sparse=0.3, documents=0.5)
QUERIES = [Query(id=str(i), text=f"query {i}") for i in range(40)]
JUDGED = {q.id: {f"page {q.id}": 1} for q in QUERIES}


def enrich(turn: Turn, *, without: Iterable[str] = ()) -> Enrichment:
    """Appends ``term N`` in the layer ``terminology`` to the queries with an even number."""
    number = int(turn.text.split()[-1])
    terms = [f"term {number}"] if number % 2 == 0 and "terminology" not in set(without) else []
    sparse = (WeightedTerm(term=turn.text, weight=1.0), *(WeightedTerm(term=t, weight=0.3) for t in terms))
    return Enrichment(
        original=turn.text, text=turn.text, queries=Queries(verbatim=turn.text, dense=turn.text, sparse=sparse)
    )


class Pages:
    """Finds the right page second, first for a query with its term at a weight of at least .5, or with page terms."""

    name = "pages"

    def __init__(self) -> None:
        self.searched = 0

    def search(self, asked: Asked, k: int, documents: float) -> list[tuple[str, float]]:
        self.searched += 1
        number = asked.sparse[0].term.split()[-1]
        helped = any(t.term == f"term {number}" and t.weight >= 0.5 for t in asked.sparse) or documents >= 0.7
        right, wrong = f"page {number}", f"page 0{number}"
        return [(p, 1.0) for p in ((right, wrong) if helped else (wrong, right))][:k]


def run(*names: str, tune: bool = False, **options: object) -> Study:
    return study(
        QUERIES,
        JUDGED,
        [Pages()],
        enrich,
        names,
        WEIGHTS,
        tune=tune,
        today=date(2026, 1, 2),
        **options,  # type: ignore[arg-type]
    )


def test_runs_are_named_and_plain_comes_first():
    assert run_names(["documents", "all"]) == ["plain", "all", "documents"]
    with pytest.raises(ConfigError, match="no run 'al'"):
        run_names(["al"])


def test_every_run_is_compared_with_plain():
    found = run("full-weight", "all")
    plain, all_, full = found.outcomes
    assert [o.run for o in found.outcomes] == ["plain", "all", "full-weight"]
    assert plain.effects == {}
    assert plain.means["RR@10"].mean == 0.5
    assert all_.effects["RR@10"].difference == 0.0  # .3 is too low to help
    assert full.effects["RR@10"].difference == 0.25
    assert full.effects["RR@10"].touched == 20
    assert full.effects["RR@10"].touched_difference == 0.5
    assert full.effects["RR@10"].p_holm >= full.effects["RR@10"].p
    assert (found.queries, found.unjudged, found.card) == (40, 0, None)


def test_tuning_chooses_on_one_half_and_reports_the_other():
    found = run("all", "documents", tune=True)
    assert found.card is not None
    assert found.card.when == "2026-01-02"
    assert found.card.queries + found.queries == len(QUERIES)
    assert found.weights == {"pages": Weights(sparse=0.5, documents=0.7)}  # of equal ones the lowest
    assert set(found.card.tried["pages"]["sparse"]) == {f"{w:g}" for w in GRID["sparse"]}
    assert all(o.effects["RR@10"].difference > 0 for o in found.outcomes[1:])


def test_only_weights_that_a_run_depends_on_are_tried():
    card = run("full-weight", tune=True).card
    assert card is not None
    assert card.tried == {"pages": {}}
    assert card.chosen == {"pages": WEIGHTS}


def test_worst_losses_and_rankings_are_kept():
    kept: dict[tuple[str, str], int] = {}
    run("all", keep=lambda retriever, name, rankings: kept.update({(retriever, name): len(rankings)}))
    assert kept == {("pages", "plain"): 40, ("pages", "all"): 40}


def test_without_judged_queries_there_is_nothing_to_say():
    with pytest.raises(DataError, match="no query has a relevant page"):
        study(QUERIES, {"x": {"p": 1}}, [Pages()], enrich, ["all"], WEIGHTS)
    one_half = [Query(id=str(i), text=f"query {i}", split="test") for i in range(4)]
    with pytest.raises(DataError, match="no query of the dev half"):
        study(one_half, JUDGED, [Pages()], enrich, ["all"], WEIGHTS, tune=True)


def test_the_report_shows_everything_and_loads_nothing():
    found = run("all", "full-weight", tune=True)
    page = render(RetrievalReport(title="<T>", queries="q.jsonl", pages=80, index="abc", version="1", study=found))
    assert "&lt;T&gt;" in page
    for word in ("plain", "full-weight", "nDCG@10", "R@100", "RR@10", "2026-01-02", "<svg"):
        assert word in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert "<script" not in page


def test_a_loss_is_escaped_in_the_report():
    class Worse(Pages):
        def search(self, asked: Asked, k: int, documents: float) -> list[tuple[str, float]]:
            return [] if len(asked.sparse) > 1 else super().search(asked, k, documents)

    queries = [Query(id="0", text="<b>query 0"), *QUERIES[1:]]
    found = study(queries, JUDGED, [Worse()], enrich, ["all"], WEIGHTS)
    assert found.outcomes[1].worst[0].after == 0.0
    page = render(RetrievalReport(title="t", queries="q", pages=1, index="i", version="1", study=found))
    assert "&lt;b&gt;query 0" in page
    assert "<b>query" not in page


def test_probabilities_as_they_are_read():
    assert [probability(p) for p in (0.00005, 0.0123, 0.5, 1.0)] == ["< .001", ".012", ".50", "1.00"]
