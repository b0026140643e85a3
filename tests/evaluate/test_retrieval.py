from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from dragoman.evaluate.retrieval import LAYER_NAMES, RUNS, Asked, Asker, Weights, halves, judged_only, search
from dragoman.evaluate.trec import Query
from dragoman.types import Enrichment, Queries, Turn, WeightedTerm

TERMS = {  # query text → layer → what it appends
    "luie schildklier": {"terminology": ["hypothyreoïdie"], "taxonomy": ["Endocrinologie"]},
    "suiker": {"terminology": ["diabetes"]},
    "jicht": {"near": ["Reumatologie", "artritis"]},
    "parkeren": {},
}
QUERIES = [Query(id=str(i), text=text) for i, text in enumerate(TERMS)]


class Enricher:
    """Appends what ``TERMS`` says, and counts how often it was asked."""

    def __init__(self, condensed: str | None = None) -> None:
        self.calls = 0
        self.condensed = condensed

    def __call__(self, turn: Turn, *, without: Iterable[str] = ()) -> Enrichment:
        self.calls += 1
        off = set(without)
        terms = [t for layer, own in TERMS[turn.text].items() if layer not in off for t in own]
        sparse = (WeightedTerm(term=turn.text, weight=1.0), *(WeightedTerm(term=t, weight=0.3) for t in terms))
        queries = Queries(verbatim=turn.text, dense=turn.text, condensed=self.condensed, sparse=sparse)
        return Enrichment(original=turn.text, text=turn.text, queries=queries)


def asked(run: str, query: int = 0, weight: float = 0.3, **options: str) -> tuple[list[tuple[str, float]], str]:
    found = Asker(QUERIES, Enricher(**options)).ask(QUERIES[query], RUNS[run], weight)
    return [(t.term, t.weight) for t in found.sparse], found.dense


def test_the_runs_are_plain_each_layer_and_the_rest():
    assert next(iter(RUNS)) == "plain"
    assert set(LAYER_NAMES) <= set(RUNS)
    assert {"all", "full-weight", "random", "condensed", "documents", "together"} <= set(RUNS)


def test_plain_is_the_query_as_it_stands():
    assert asked("plain") == ([("luie schildklier", 1.0)], "luie schildklier")
    assert asked("documents") == asked("plain")


def test_a_layer_alone_and_all_of_them():
    assert asked("taxonomy") == (
        [("luie schildklier", 1.0), ("Endocrinologie", 0.3)],
        "luie schildklier (Endocrinologie)",
    )
    terms, text = asked("all", weight=0.5)
    assert terms[1:] == [("hypothyreoïdie", 0.5), ("Endocrinologie", 0.5)]
    assert text == "luie schildklier (hypothyreoïdie, Endocrinologie)"
    assert asked("near") == asked("plain")


def test_full_weight_gives_terms_the_weight_of_the_query():
    assert [w for _, w in asked("full-weight")[0]] == [1.0, 1.0, 1.0]


def test_the_control_has_as_many_terms_of_other_queries():
    terms, _ = asked("random")
    assert len(terms) == len(asked("all")[0])
    assert {w for _, w in terms[1:]} == {0.3}
    assert {t for t, _ in terms[1:]} <= {"diabetes", "Reumatologie", "artritis"}
    assert asked("random") == asked("random")
    assert asked("random", query=3) == asked("plain", query=3)


def test_the_condensed_query_stands_in_for_the_text():
    assert asked("condensed", condensed="schildklier") == ([("schildklier", 1.0)], "schildklier")
    assert asked("condensed") == asked("plain")
    assert asked("together", condensed="schildklier")[0][0] == ("schildklier", 1.0)


def test_each_query_is_enriched_once_for_each_set_of_layers():
    enricher = Enricher()
    asker = Asker(QUERIES, enricher)
    assert enricher.calls == len(QUERIES)
    for name in ("all", "full-weight", "random", "plain", "documents"):
        asker.ask(QUERIES[0], RUNS[name], 0.3)
    assert enricher.calls == len(QUERIES)
    asker.ask(QUERIES[0], RUNS["near"], 0.3)
    assert enricher.calls == len(QUERIES) + 1


class Recorder:
    name = "recorder"

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, float]] = []

    def search(self, asked: Asked, k: int, documents: float) -> list[tuple[str, float]]:
        self.seen.append((asked.dense, k, documents))
        return [("page", 1.0)]


def test_the_field_of_terms_counts_only_where_the_run_says_so():
    recorder = Recorder()
    asker = Asker(QUERIES, Enricher())
    for name in ("plain", "documents"):
        search(QUERIES[:1], asker, recorder, RUNS[name], Weights(sparse=0.3, documents=0.7), depth=5)
    assert recorder.seen == [("luie schildklier", 5, 0.0), ("luie schildklier", 5, 0.7)]


def test_queries_without_a_relevant_page_are_left_out():
    assert judged_only(QUERIES, {"1": {"a": 1}, "2": {}}) == [QUERIES[1]]


@given(st.sets(st.text(min_size=1), max_size=30))
def test_a_query_stays_on_its_side(ids: set[str]):
    queries = [Query(id=i, text="x") for i in sorted(ids)]
    dev, test = halves(queries)
    assert sorted(dev + test, key=lambda q: q.id) == queries
    assert halves(queries[::2])[0] == [q for q in queries[::2] if q in dev]


def test_a_stated_side_is_kept():
    queries = [Query(id=str(i), text="x", split="dev" if i < 3 else "test") for i in range(8)]
    assert halves(queries) == (queries[:3], queries[3:])
