"""What enrichment does to retrieval: the same queries asked in several ways, judged, compared in pairs.

Each *run* is one way to ask: the query as it stands (``plain``), with what one layer appends, with all of it, with as
many terms of other queries (the control), condensed, or against pages that carry the terms people may use for them
(``documents``). Every run is compared with ``plain`` of the same retriever, query by query.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple, Protocol

from dragoman.enrich.layers import LAYERS
from dragoman.evaluate.trec import Query, Ranking
from dragoman.types import Enrichment, Queries, Turn, Value, WeightedTerm

DEPTH = 100  # pages that a retriever is asked for
PLAIN = "plain"
LAYER_NAMES = tuple(layer.name for layer in LAYERS)


class Asked(Value, frozen=True, kw_only=True):
    """What a retriever is asked: weighted terms for one that matches words, a text for one that compares meanings."""

    sparse: tuple[WeightedTerm, ...]
    dense: str


class Weights(Value, frozen=True, kw_only=True):
    """``sparse``: of an appended term in the query; ``documents``: of the pages' field of terms. The text's is 1."""

    sparse: float
    documents: float


class Searcher(Protocol):
    """A retriever, or several fused, over the pages and over the pages' field of terms."""

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    def search(self, asked: Asked, k: int, documents: float) -> Ranking:
        """Best ``k`` pages; ``documents`` is the weight of the field of terms, 0 where it is not looked at."""
        ...


class Enrich(Protocol):
    """How a query is enriched; ``Dragoman.enrich`` is one."""

    def __call__(self, turn: Turn, *, without: Iterable[str] = ()) -> Enrichment:
        """The enrichment with some layers switched off."""
        ...


class Run(NamedTuple):
    """One way to ask. ``appends`` names the layers that are on; ``full`` gives their terms the weight of the text."""

    name: str
    about: str
    appends: frozenset[str] = frozenset()
    full: bool = False
    random: bool = False
    condensed: bool = False
    documents: bool = False


ALL = frozenset(LAYER_NAMES)
RUNS = {
    run.name: run
    for run in (
        Run(PLAIN, "the query as it stands"),
        *(Run(name, f"with what the layer {name} appends", frozenset({name})) for name in LAYER_NAMES),
        Run("all", "with what all layers append, at their weight", ALL),
        Run("full-weight", "the same terms, weighing as much as the query", ALL, full=True),
        Run("random", "the control: as many terms that other queries were given, at the same weight", ALL, random=True),
        Run("condensed", "the condensed query, where the query is long enough to have one", condensed=True),
        Run("documents", "the query as it stands, on pages with the terms people may use for them", documents=True),
        Run("together", "condensed, enriched, and on pages with terms", ALL, condensed=True, documents=True),
    )
}


class Asker:
    """Turns queries into what each run asks. Enriches each query once for each set of layers."""

    def __init__(self, queries: Sequence[Query], enrich: Enrich, tick: Callable[[int], None] | None = None) -> None:
        self._enrich = enrich
        self._queries = {q.id: q for q in queries}
        self._made: dict[tuple[str, frozenset[str]], Queries] = {}
        for done, query in enumerate(queries, 1):
            self.made(query, ALL)
            if tick is not None:
                tick(done)
        appended = (t.term for q in queries for t in self.made(q, ALL).sparse[1:])
        self._pool = sorted(dict.fromkeys(appended))

    def made(self, query: Query, layers: frozenset[str]) -> Queries:
        """The queries of an enrichment with ``layers`` alone."""
        key = (query.id, layers)
        if key not in self._made:
            off = [name for name in LAYER_NAMES if name not in layers]
            self._made[key] = self._enrich(query.turn, without=off).queries
        return self._made[key]

    def added(self, query: Query, run: Run) -> tuple[str, ...]:
        """The terms that a run appends to a query."""
        if not run.appends:
            return ()
        terms = tuple(t.term for t in self.made(query, run.appends).sparse[1:])
        return self._others(query, terms) if run.random else terms

    def ask(self, query: Query, run: Run, weight: float) -> Asked:
        """What a run asks; ``weight`` is that of appended terms."""
        made = self.made(query, ALL)
        text = query.text
        if run.condensed:
            text = made.condensed or made.standalone or text
        elif run.appends:
            text = made.sparse[0].term
        added = self.added(query, run)
        each = 1.0 if run.full else weight
        return Asked(
            sparse=(WeightedTerm(term=text, weight=1.0), *(WeightedTerm(term=t, weight=each) for t in added)),
            dense=f"{text} ({', '.join(added)})" if added else text,
        )

    def _others(self, query: Query, terms: Sequence[str]) -> tuple[str, ...]:
        """As many terms of other queries; the same ones each time."""
        pool = [t for t in self._pool if t not in terms]
        draw = random.Random(sha256(query.id.encode("utf-8", "surrogatepass")).digest())
        return tuple(draw.sample(pool, min(len(terms), len(pool))))


class Searched(NamedTuple):
    """The rankings of one run with one retriever, and what was asked."""

    rankings: dict[str, Ranking]
    asked: dict[str, Asked]


def search(
    queries: Sequence[Query], asker: Asker, searcher: Searcher, run: Run, weights: Weights, depth: int = DEPTH
) -> Searched:
    """Ask every query in one way."""
    asked = {q.id: asker.ask(q, run, weights.sparse) for q in queries}
    documents = weights.documents if run.documents else 0.0
    return Searched({id_: searcher.search(a, depth, documents) for id_, a in asked.items()}, asked)


def judged_only(queries: Iterable[Query], judged: Mapping[str, Mapping[str, int]]) -> list[Query]:
    """The queries for which there is a relevant page: of the others nothing can be measured."""
    return [q for q in queries if judged.get(q.id)]


def halves(queries: Sequence[Query]) -> tuple[list[Query], list[Query]]:
    """``(dev, test)``: by the queries' own ``split``; those without one by a hash of their id, so that a query stays
    on its side whatever else is in the file."""
    dev: list[Query] = []
    test: list[Query] = []
    for query in queries:
        side = query.split or ("dev" if sha256(query.id.encode("utf-8", "surrogatepass")).digest()[0] & 1 else "test")
        (dev if side == "dev" else test).append(query)
    return dev, test
