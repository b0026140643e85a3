"""A whole retrieval evaluation: weights chosen on one part of the queries, runs compared on the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

import numpy as np

from dragoman.errors import ConfigError, DataError
from dragoman.evaluate.effects import LEADING, Outcome, Values, corrected, effects, means, measure, worst
from dragoman.evaluate.retrieval import (
    PLAIN,
    RUNS,
    Asker,
    Enrich,
    Run,
    Searched,
    Searcher,
    Weights,
    halves,
    judged_only,
    search,
)
from dragoman.evaluate.trec import Judged, Query, Ranking
from dragoman.types import Value

GRID = {  # weights that are tried
    "sparse": (0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
    "documents": (0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0),
}
TUNED = {"sparse": "all", "documents": "documents"}  # weight → the run that it is chosen on

Tick = Callable[[str, int, int], None]
"""Told what is being done, and how many of how many."""

Keep = Callable[[str, str, dict[str, Ranking]], None]
"""Given retriever, run and its rankings."""


class Card(Value, frozen=True, kw_only=True):
    """Where the weights come from. ``tried``: retriever → weight's name → weight → mean nDCG@10 on the dev queries."""

    chosen: dict[str, Weights]
    measure: str
    when: str
    queries: int
    tried: dict[str, dict[str, dict[str, float]]]


class Study(Value, frozen=True, kw_only=True):
    """A retrieval evaluation. ``weights`` by retriever; ``card`` says how they were chosen, if they were."""

    queries: int
    unjudged: int
    depth: int
    weights: dict[str, Weights]
    outcomes: tuple[Outcome, ...]
    card: Card | None = None


def run_names(names: Sequence[str]) -> list[str]:
    """The runs that are meant, ``plain`` first. ``ConfigError`` for one that there is not."""
    unknown = [n for n in names if n not in RUNS]
    if unknown:
        raise ConfigError(f"there is no run {unknown[0]!r}", where="--runs", advice=f"there are: {', '.join(RUNS)}")
    return [PLAIN, *(n for n in RUNS if n in names and n != PLAIN)]


def study(
    queries: Sequence[Query],
    judged: Judged,
    searchers: Sequence[Searcher],
    enrich: Enrich,
    names: Sequence[str],
    weights: Weights,
    *,
    tune: bool = False,
    depth: int = 100,
    today: date | None = None,
    tick: Tick | None = None,
    keep: Keep | None = None,
) -> Study:
    """Run, measure and compare.

    With ``tune`` the weights are chosen on the dev half of the queries, by nDCG@10, for each retriever, and everything
    that is reported is measured on the test half; without it all queries are reported with the ``weights`` given.
    ``keep`` is given the rankings that are reported.
    Raises ``DataError`` where no query, or none of a half, is judged.
    """
    tell = tick or (lambda what, done, total: None)
    names = run_names(names)
    usable = judged_only(queries, judged)
    dev, test = halves(usable) if tune else ([], usable)
    if not test or (tune and not dev):
        half = "" if not usable or not tune else f" of the {'dev' if not dev else 'test'} half"
        raise DataError(f"no query{half} has a relevant page", advice="check the ids of queries and judgements")
    asker = Asker(usable, enrich, lambda done: tell("enriching", done, len(usable)))
    chosen = {s.name: weights for s in searchers}
    card = None
    if tune:
        tried = {s.name: _try(dev, judged, asker, s, names, weights, tell) for s in searchers}
        chosen = {name: _best(rows, weights) for name, rows in tried.items()}
        when = (today or date.today()).isoformat()
        card = Card(chosen=chosen, measure=LEADING, when=when, queries=len(dev), tried=tried)
    outcomes = []
    for searcher in searchers:
        outcomes += _compare(test, judged, asker, searcher, names, chosen[searcher.name], depth, tell, keep)
    return Study(
        queries=len(test),
        unjudged=len(queries) - len(usable),
        depth=depth,
        weights=chosen,
        outcomes=tuple(corrected(outcomes)),
        card=card,
    )


def _compare(
    queries: Sequence[Query],
    judged: Judged,
    asker: Asker,
    searcher: Searcher,
    names: Sequence[str],
    weights: Weights,
    depth: int,
    tell: Tick,
    keep: Keep | None,
) -> list[Outcome]:
    texts = {q.id: q.text for q in queries}
    base: Values = {}
    plain: Searched | None = None
    outcomes = []
    for done, name in enumerate(names, 1):
        run = RUNS[name]
        found = search(queries, asker, searcher, run, weights, depth)
        values = measure(found.rankings, judged)
        tell(f"searching, {searcher.name}", done, len(names))
        if keep is not None:
            keep(searcher.name, name, found.rankings)
        if plain is None:
            base, plain = values, found
            outcomes.append(Outcome(retriever=searcher.name, run=name, about=run.about, means=means(values)))
            continue
        touched = [q for q in texts if run.documents or found.asked[q] != plain.asked[q]]
        added = {q.id: asker.added(q, run) for q in queries}
        outcomes.append(
            Outcome(
                retriever=searcher.name,
                run=name,
                about=run.about,
                means=means(values),
                effects=effects(base, values, touched),
                worst=worst(base, values, texts, added),
            )
        )
    return outcomes


def _try(
    queries: Sequence[Query],
    judged: Judged,
    asker: Asker,
    searcher: Searcher,
    names: Sequence[str],
    weights: Weights,
    tell: Tick,
) -> dict[str, dict[str, float]]:
    """The mean of the leading measure for every weight of the grid, where a run depends on it."""
    tried: dict[str, dict[str, float]] = {}
    for kind, name in TUNED.items():
        if not any(_depends(RUNS[n], kind) for n in names):
            continue
        row = tried[kind] = {}
        for done, value in enumerate(GRID[kind], 1):
            given = Weights(
                sparse=value if kind == "sparse" else weights.sparse,
                documents=value if kind == "documents" else weights.documents,
            )
            found = search(queries, asker, searcher, RUNS[name], given)
            row[f"{value:g}"] = float(np.mean(list(measure(found.rankings, judged)[LEADING].values())))
            tell(f"choosing weights, {searcher.name}", done, len(GRID[kind]))
    return tried


def _depends(run: Run, kind: str) -> bool:
    return run.documents if kind == "documents" else bool(run.appends) and not run.full


def _best(tried: dict[str, dict[str, float]], weights: Weights) -> Weights:
    """The weight of the highest mean; of equal ones the lowest, which changes least."""

    def best(kind: str, otherwise: float) -> float:
        row = tried.get(kind)
        return float(min(row, key=lambda w: (-row[w], float(w)))) if row else otherwise

    return Weights(sparse=best("sparse", weights.sparse), documents=best("documents", weights.documents))
