"""What every framework is given: the enriched query, the terms, and what led to them as plain data.

The framework carries the query's text itself; the metadata repeat nothing of it: spans say where, ids and the
vocabularies' own names say what.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from dragoman.engine import Dragoman
from dragoman.types import Answer, Candidate, Enrichment, Expansion, QueryFrame, TraceRow, Turn, Value, WeightedTerm

KEY = "dragoman"
"""Under which the metadata stand in a document, a node or an answer."""

_OF_FRAME = (
    "turn_type",
    "drugs",
    "attribute",
    "population",
    "context_action",
    "needs_clarify",
    "clarify_reason",
    "understood_by",
    "system_error",
)


class Carried(Value, frozen=True, kw_only=True):
    """A query on its way to a retriever.

    ``text`` is the person's text with the appended terms, ``dense`` that for an embedder, ``terms`` the weighted terms
    for a retriever that matches words (the first is the person's own text). ``metadata`` is plain data for JSON, with
    ``spans`` (``message``, ``span``, ``kind``, ``id``, ``name``, ...), ``terms`` (``term``, ``weight``, ``layer``,
    ``via``, ids), ``outcomes``, ``roster``, ``index``, ``trace``; after understanding also ``frame``.
    """

    text: str
    dense: str
    terms: tuple[WeightedTerm, ...]
    metadata: dict[str, Any]


class Asker:
    """Reads turns for a component. ``project`` is a path, the name of a demo, or a project that is open already.

    ``understand``: read the whole turn, with a model where the project has one; else candidates and enrichment alone.
    ``without`` switches enrichment layers or features off.
    """

    def __init__(
        self, project: str | Path | Dragoman, *, understand: bool = False, without: Iterable[str] = ()
    ) -> None:
        self.engine = project if isinstance(project, Dragoman) else Dragoman.open(project)
        self.understand = understand
        self.without = tuple(without)

    def ask(self, turn: Turn | str) -> Carried:
        """Read one turn. Raises ``LimitExceeded`` for one that is longer than the project allows."""
        if self.understand:
            return of_answer(self.engine.ask(turn, without=self.without))
        return self._enriched(turn)

    async def aask(self, turn: Turn | str) -> Carried:
        """As ``ask``, waiting for a model without holding up the event loop."""
        if self.understand:
            return of_answer(await self.engine.aask(turn, without=self.without))
        return self._enriched(turn)

    def _enriched(self, turn: Turn | str) -> Carried:
        found = self.engine.enriched(turn, without=self.without)
        return _carried(found.enrichment, found.candidates, found.trace, self.engine.info, None)


def of_answer(answer: Answer) -> Carried:
    """What is carried of an answer."""
    return _carried(answer.enrichment, answer.candidates, answer.trace, answer.index, answer.frame)


def _carried(
    enrichment: Enrichment,
    candidates: tuple[Candidate, ...],
    trace: tuple[TraceRow, ...],
    index: Any,
    frame: QueryFrame | None,
) -> Carried:
    queries = enrichment.queries
    weights = {term.term: term.weight for term in queries.sparse}
    metadata: dict[str, Any] = {
        "index": msgspec.to_builtins(index),
        "spans": [_without(candidate, "text") for candidate in candidates],
        "terms": [_term(expansion, weights) for expansion in enrichment.expansions],
        "outcomes": msgspec.to_builtins(enrichment.concept_outcomes),
        "roster": msgspec.to_builtins(enrichment.roster),
        "trace": msgspec.to_builtins(trace),
    }
    if frame is not None:
        metadata["frame"] = {name: msgspec.to_builtins(getattr(frame, name)) for name in _OF_FRAME}
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(metadata))
    return Carried(text=enrichment.text, dense=queries.dense, terms=queries.sparse, metadata=plain)


def _term(expansion: Expansion, weights: dict[str, float]) -> dict[str, Any]:
    return {**msgspec.to_builtins(expansion), "weight": weights.get(expansion.term, 1.0)}


def _without(value: Value, field: str) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(value)
    del plain[field]
    return plain
