"""An engine that answers as it is told to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from dragoman.types import (
    Answer,
    Candidate,
    Enrichment,
    Expansion,
    IndexInfo,
    Queries,
    QueryFrame,
    Scope,
    Span,
    Turn,
    TurnEcho,
)


def answer(turn: Turn | str, *, terms: Iterable[str] = (), drugs: Iterable[str] = (), **frame: Any) -> Answer:
    """An answer that found ``drugs`` in the first word of the turn and appended ``terms``."""
    turn = Turn(turn) if isinstance(turn, str) else turn
    end = len(turn.text.split(" ")[0])
    terms = tuple(terms)
    text = f"{turn.text} ({', '.join(terms)})" if terms else turn.text
    return Answer(
        turn=TurnEcho(text=turn.text, language="nl"),
        scope=Scope(),
        candidates=tuple(
            Candidate(
                span=Span(0, end), text=turn.text[:end], kind="drug", source="catalog", id=d, name=d, match="exact"
            )
            for d in drugs
        ),
        frame=QueryFrame(**frame),
        enrichment=Enrichment(
            original=turn.text,
            text=text,
            expansions=tuple(
                Expansion(term=t, layer="terminology", span=Span(0, end), via="same_concept") for t in terms
            ),
            queries=Queries(verbatim=turn.text, dense=text),
        ),
        index=IndexInfo(id="test"),
    )


class Fake:
    """``say`` gives the answer, or raises; every call is kept in ``asked``."""

    def __init__(self, say: Callable[[Turn, dict[str, Any]], Answer]) -> None:
        self.say = say
        self.asked: list[tuple[Turn, dict[str, Any]]] = []

    def ask(self, turn: Turn | str, **options: Any) -> Answer:
        turn = Turn(turn) if isinstance(turn, str) else turn
        self.asked.append((turn, options))
        return self.say(turn, options)


@pytest.fixture(name="answer")
def _answer() -> Callable[..., Answer]:
    return answer


@pytest.fixture(name="fake")
def _fake() -> type[Fake]:
    return Fake
