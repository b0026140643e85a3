"""What the endpoints of version 1 do with a body that has been read, whoever has read it.

``state`` is the request's: the gate has put ``service``, ``engine``, ``tenant`` and ``request_id`` there, and finds the
answer's ``trace`` in it afterwards. The deterministic part takes microseconds and runs in the event loop. What may take
longer, a model on this machine or a database that counts gaps, has a thread, and is given back to be awaited.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from dragoman.engine import Dragoman, Enriched, Lookup, Resolved
from dragoman.errors import DataError
from dragoman.serve import languages
from dragoman.serve.problems import ProblemError
from dragoman.serve.service import Service
from dragoman.serve.switches import check
from dragoman.serve.wire import LookupBody, TurnBody
from dragoman.types import Answer, Enrichment, Turn

State = dict[str, Any]


async def ask(data: TurnBody, state: State) -> Answer:
    """The whole answer, with what a model says where there is one."""
    service: Service = state["service"]
    asked = service.asking(state["engine"])
    without = _checked(data, service, asked)
    answer = await answered(service, asked, data, without)
    if service.keeper is not None:
        service.keeper.keep(state["request_id"], "ask", state["tenant"], data, answer)
    state["trace"] = answer.trace
    return answer


async def answered(service: Service, engine: Dragoman, turn: Turn, without: tuple[str, ...]) -> Answer:
    """What ``engine`` answers, counted."""
    if engine.project.file.llm is None and engine.project.file.offline.enabled:
        answer = await asyncio.to_thread(engine.ask, turn, without=without)  # an encoder takes milliseconds
    else:
        answer = await engine.aask(turn, without=without)
    service.metrics.answered(answer)
    return answer


def resolve(data: TurnBody, state: State) -> Resolved:
    """Mentions and candidates."""
    service: Service = state["service"]
    engine: Dragoman = state["engine"]
    _checked(data, service, engine)
    found = engine.resolve(data)
    service.metrics.found(found.candidates, found.mentions)
    if service.keeper is not None:
        service.keeper.keep(state["request_id"], "resolve", state["tenant"], data, None)
    state["trace"] = found.trace
    return found


def enrich(data: TurnBody, state: State) -> Enrichment | Awaitable[Enrichment]:
    """The enrichment, without an understanding step; to be awaited where a disk may be slow."""
    service: Service = state["service"]
    engine: Dragoman = state["engine"]
    without = _checked(data, service, engine)
    if engine.gaps is None:
        return _enriched(data, state, engine.enriched(data, without=without))

    async def counted() -> Enrichment:
        return _enriched(data, state, await asyncio.to_thread(engine.enriched, data, without=without))

    return counted()


def _enriched(data: TurnBody, state: State, found: Enriched) -> Enrichment:
    """Count what was found, and keep the turn where that is allowed."""
    service: Service = state["service"]
    count(service, found)
    if service.keeper is not None:
        service.keeper.keep(state["request_id"], "enrich", state["tenant"], data, None)
    state["trace"] = found.trace
    return found.enrichment


def count(service: Service, found: Enriched) -> None:
    """Count what was found and what was made of it."""
    service.metrics.found(found.candidates, found.mentions)
    service.metrics.enriched(found.enrichment, found.trace)


def lookup(data: LookupBody, state: State) -> Lookup:
    """What the vocabularies hold for one term or one id."""
    engine: Dragoman = state["engine"]
    limit = engine.project.file.limits.text
    if len(data.query) > limit:
        what = f"the query has {len(data.query)} characters; the limit is {limit}"
        raise ProblemError("limit", what, limit=limit)
    return engine.lookup(data.query)


def _checked(turn: TurnBody, service: Service, engine: Dragoman) -> tuple[str, ...]:
    """What is off for a turn: its own word, and the administrator's.

    Raises ``ProblemError`` for an unknown name, and for a language that the project does not read.
    """
    try:
        languages.check(turn.language, engine.project)
    except DataError as error:
        raise ProblemError("language", f"{error.what}; {error.advice}") from None
    if turn.without:
        check(turn.without)
    return (*turn.without, *service.switches.now.without)
