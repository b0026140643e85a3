"""What a run is worth against another on the same queries: means, intervals, tests, wins and losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from dragoman.errors import ConfigError
from dragoman.evaluate.statistics import Interval, bootstrap, holm, randomisation
from dragoman.evaluate.trec import Judged, Ranking
from dragoman.types import Value

MEASURES = ("nDCG@10", "R@100", "RR@10")
LEADING = MEASURES[0]  # decides over weights, and which losses are the worst
WORST = 10

Values = dict[str, dict[str, float]]
"""Measure → query id → value, from 0 to 1."""


class Mean(Value, frozen=True, kw_only=True):
    """The mean of one measure with its 95% bootstrap interval."""

    mean: float
    interval: Interval


class Effect(Value, frozen=True, kw_only=True):
    """One measure of a run less that of the run it is compared with.

    ``p`` is the paired randomisation test's; ``p_holm`` the same, corrected for all tests of the report. ``touched``
    of the queries were asked in another way; ``touched_difference`` is the mean over them alone.
    """

    difference: float
    interval: Interval
    p: float
    p_holm: float
    wins: int
    losses: int
    ties: int
    touched: int
    touched_difference: float


class Loss(Value, frozen=True, kw_only=True):
    """A query that a run made worse: by ``nDCG@10``."""

    query: str
    text: str
    before: float
    after: float
    added: tuple[str, ...]


class Outcome(Value, frozen=True, kw_only=True):
    """One run with one retriever. ``effects`` are missing for the run that the others are compared with."""

    retriever: str
    run: str
    about: str
    means: dict[str, Mean]
    effects: dict[str, Effect] = msgspec.field(default_factory=dict)
    worst: tuple[Loss, ...] = ()


def measure(rankings: Mapping[str, Ranking], judged: Judged) -> Values:
    """Every measure of every query. A query that found nothing counts with 0.

    The measures are those of ir-measures; pages are taken in the order of the ranking, whatever their scores. Raises
    ``ConfigError`` where the package is not installed.
    """
    try:
        import ir_measures
    except ImportError:
        raise ConfigError(
            "retrieval cannot be measured without ir-measures", advice="pip install 'dragoman[eval]'"
        ) from None
    # Made of its parts: ir-measures parses names with a part of `ast` that Python 3.14 no longer has.
    parts = ((name, *name.split("@")) for name in MEASURES)
    measures = {getattr(ir_measures, measure) @ int(depth): name for name, measure, depth in parts}
    qrels = [ir_measures.Qrel(q, page, grade) for q in rankings for page, grade in judged[q].items()]
    run = [
        ir_measures.ScoredDoc(q, page, -float(rank))
        for q, ranking in rankings.items()
        for rank, (page, _) in enumerate(ranking)
    ]
    values: Values = {name: dict.fromkeys(rankings, 0.0) for name in MEASURES}
    for metric in ir_measures.iter_calc(list(measures), qrels, run):
        values[measures[metric.measure]][metric.query_id] = metric.value
    return values


def means(values: Values) -> dict[str, Mean]:
    """The mean of each measure."""
    return {
        name: Mean(mean=float(np.mean(list(row.values()))), interval=bootstrap(list(row.values())))
        for name, row in values.items()
    }


def effects(base: Values, values: Values, touched: Sequence[str]) -> dict[str, Effect]:
    """Each measure against ``base``, query by query; ``p_holm`` is filled in by ``corrected``."""
    found: dict[str, Effect] = {}
    changed = set(touched)
    for name, row in values.items():
        differences = {q: value - base[name][q] for q, value in row.items()}
        own = [d for q, d in differences.items() if q in changed]
        all_ = list(differences.values())
        p = randomisation(all_)
        found[name] = Effect(
            difference=float(np.mean(all_)),
            interval=bootstrap(all_),
            p=p,
            p_holm=p,
            wins=sum(d > 0 for d in all_),
            losses=sum(d < 0 for d in all_),
            ties=sum(d == 0 for d in all_),
            touched=len(own),
            touched_difference=float(np.mean(own)) if own else 0.0,
        )
    return found


def corrected(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes with Holm's correction over all tests that they report; where no query differs there is no test."""
    tested = [e for o in outcomes for e in o.effects.values() if e.wins or e.losses]
    p_holm = {id(e): p for e, p in zip(tested, holm([e.p for e in tested]), strict=True)}
    return [
        msgspec.structs.replace(
            o,
            effects={name: msgspec.structs.replace(e, p_holm=p_holm.get(id(e), e.p)) for name, e in o.effects.items()},
        )
        for o in outcomes
    ]


def worst(
    base: Values, values: Values, texts: Mapping[str, str], added: Mapping[str, Sequence[str]], most: int = WORST
) -> tuple[Loss, ...]:
    """The queries that lost most, the worst first."""
    before, after = base[LEADING], values[LEADING]
    lost = sorted((after[q] - before[q], q) for q in after if after[q] < before[q])
    return tuple(
        Loss(query=q, text=texts[q], before=before[q], after=after[q], added=tuple(added[q])) for _, q in lost[:most]
    )
