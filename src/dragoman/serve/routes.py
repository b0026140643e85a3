"""The endpoints of version 1, and those that say how the service is.

The deterministic part takes microseconds and runs in the event loop. What may take longer, a model on this machine or a
database that counts gaps, has a thread.
"""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Request, Response, get, post, put
from litestar.params import JSONBody

from dragoman._version import __version__
from dragoman.engine import Dragoman, Lookup, Resolved
from dragoman.errors import LimitExceeded
from dragoman.serve import metrics, openapi
from dragoman.serve.service import Service
from dragoman.serve.switches import Switched, check
from dragoman.serve.wire import Alive, LookupBody, Ready, TurnBody, Version
from dragoman.types import Answer, Enrichment, TraceRow

Visitor = Request[Any, Any, Any]


def _of(request: Visitor) -> tuple[Service, Dragoman, dict[str, Any]]:
    state: dict[str, Any] = request.scope["state"]
    return state["service"], state["engine"], state


def _told(state: dict[str, Any], trace: tuple[TraceRow, ...]) -> None:
    state["trace"] = trace  # for a span a step


@post("/v1/ask", status_code=200, tags=["Turns"])
async def ask(data: JSONBody[TurnBody], request: Visitor) -> Answer:
    """Read one turn: scope, mentions, candidates, frame, enrichment, trace.

    Where the project has a model and that does not do its part, the answer is 200 all the same, and
    `frame.system_error` says what happened.
    """
    service, engine, state = _of(request)
    without = _without(service, data)
    asked = service.asking(engine)
    if asked.project.file.llm is None and asked.project.file.offline.enabled:
        answer = await asyncio.to_thread(asked.ask, data, without=without)  # an encoder takes milliseconds
    else:
        answer = await asked.aask(data, without=without)
    service.metrics.answered(answer)
    if service.keeper is not None:
        service.keeper.keep(state["request_id"], "ask", state["tenant"], data, answer)
    _told(state, answer.trace)
    return answer


@post("/v1/resolve", status_code=200, tags=["Turns"])
async def resolve(data: JSONBody[TurnBody], request: Visitor) -> Resolved:
    """The deterministic part alone: mentions and candidates."""
    service, engine, state = _of(request)
    _without(service, data)
    found = engine.resolve(data)
    service.metrics.found(found.candidates, found.mentions)
    if service.keeper is not None:
        service.keeper.keep(state["request_id"], "resolve", state["tenant"], data, None)
    _told(state, found.trace)
    return found


@post("/v1/enrich", status_code=200, tags=["Turns"])
async def enrich(data: JSONBody[TurnBody], request: Visitor) -> Enrichment:
    """Candidates and enrichment, without an understanding step."""
    service, engine, state = _of(request)
    without = _without(service, data)
    if engine.gaps is not None:
        found = await asyncio.to_thread(engine.enriched, data, without=without)  # a disk may be slow
    else:
        found = engine.enriched(data, without=without)
    service.metrics.found(found.candidates, found.mentions)
    service.metrics.enriched(found.enrichment, found.trace)
    if service.keeper is not None:
        service.keeper.keep(state["request_id"], "enrich", state["tenant"], data, None)
    _told(state, found.trace)
    return found.enrichment


@post("/v1/lookup", status_code=200, tags=["Vocabularies"])
async def lookup(data: JSONBody[LookupBody], request: Visitor) -> Lookup:
    """What the vocabularies hold for one term or one id. There is no list of all of them."""
    _, engine, _ = _of(request)
    limit = engine.project.file.limits.text
    if len(data.query) > limit:
        raise LimitExceeded(f"the query has {len(data.query)} characters", advice=f"the limit is {limit}")
    return engine.lookup(data.query)


@get("/healthz", tags=["Health"])
async def healthz() -> Alive:
    """The process runs."""
    return Alive()


@get("/readyz", tags=["Health"])
async def readyz(request: Visitor) -> Response[Ready]:
    """Whether requests should come here: 200, or 503 while the service ends."""
    service: Service = request.app.state.service
    ready = Ready(
        ready=not service.draining,
        index=service.engine.info.id,
        provider=service.provider,
        database=service.database,
    )
    return Response(ready, status_code=200 if ready.ready else 503)


@get("/version", tags=["Health"])
async def version(request: Visitor) -> Version:
    """Which index answers, what it was compiled from, and who is told of a turn."""
    service, engine, _ = _of(request)
    file, now = engine.project.file, service.switches.now
    llm = file.llm if now.model else None
    sent = llm is not None and llm.provider != "local"
    return Version(
        version=__version__,
        project=engine.project.name,
        profile=engine.project.profile.name,
        languages=tuple(pack.code for pack in engine.project.languages),
        index=engine.info,
        built_at=engine.vocabularies.manifest.built_at,
        tenants=engine.tenants,  # a tenant is not told of the others
        model=f"{llm.base_url or llm.provider} ({llm.model})" if llm and sent else None,
        switched_off=(*now.without, *(() if now.model else ("model",))),
        keeps_text=file.privacy.keep_text,
        keep_days=file.privacy.keep_days if file.privacy.keep_text else None,
    )


@get("/metrics", tags=["Health"], media_type=metrics.CONTENT_TYPE)
async def metrics_page(request: Visitor) -> bytes:
    """Metrics for Prometheus."""
    service: Service = request.app.state.service
    service.measure()
    return service.metrics.page()


@get("/openapi.json", include_in_schema=False)
async def openapi_json(request: Visitor) -> Response[bytes]:
    """This interface in OpenAPI 3.1."""
    state = request.app.state
    made: openapi.Document = state.openapi
    return Response(made.encoded(request.app, state.service.project), media_type="application/json")


@get("/v1/admin/switches", tags=["Administration"])
async def switches(request: Visitor) -> Switched:
    """What is switched off now."""
    return _of(request)[0].switches.now


@put("/v1/admin/switches", tags=["Administration"])
async def switch(data: JSONBody[Switched], request: Visitor) -> Switched:
    """Switch layers, features and the model off or on, for all tenants, until the service ends."""
    service, _, state = _of(request)
    service.switches.put(data)
    service.log.warning("switched", key=state["key"], without=data.without, model=data.model)
    return service.switches.now


def _without(service: Service, turn: TurnBody) -> tuple[str, ...]:
    """What is off for a turn: its own word, and the administrator's. Raises ``ProblemError`` for an unknown name."""
    check(turn.without)
    return (*turn.without, *service.switches.now.without)


ROUTES = [ask, resolve, enrich, lookup, healthz, readyz, version, metrics_page, openapi_json, switches, switch]
