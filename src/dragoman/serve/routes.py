"""The endpoints of version 1, and those that say how the service is, as Litestar knows and documents them.

What answers a turn or a look-up stands in ``turns``; the gate goes there directly where it can (``direct``).
"""

from __future__ import annotations

from typing import Any

from litestar import Request, Response, get, post, put
from litestar.connection import ASGIConnection
from litestar.params import JSONBody

from dragoman._version import __version__
from dragoman.engine import Dragoman, Lookup, Resolved
from dragoman.serve import metrics, openapi, turns
from dragoman.serve.problems import ProblemError
from dragoman.serve.service import Service
from dragoman.serve.switches import Switched
from dragoman.serve.wire import Alive, LookupBody, Ready, TurnBody, Version
from dragoman.types import Answer, Enrichment

Visitor = Request[Any, Any, Any]


def _of(request: Visitor) -> tuple[Service, Dragoman, dict[str, Any]]:
    state: dict[str, Any] = request.scope["state"]
    return state["service"], state["engine"], state


def _of_all(connection: ASGIConnection[Any, Any, Any, Any], _: object) -> None:
    """Refuse a key for tenants alone, whatever the path was written like."""
    if not connection.scope["state"]["of_all"]:
        raise ProblemError("forbidden", "these are the counts of all tenants")


def _by_admin(connection: ASGIConnection[Any, Any, Any, Any], _: object) -> None:
    """Refuse all but an administrator's key."""
    if not connection.scope["state"]["admin"]:
        raise ProblemError("forbidden", "an administrator's key is needed")


@post("/v1/ask", status_code=200, tags=["Turns"])
async def ask(data: JSONBody[TurnBody], request: Visitor) -> Answer:
    """Read one turn: scope, mentions, candidates, frame, enrichment, trace.

    Where the project has a model and that does not do its part, the answer is 200 all the same, and
    `frame.system_error` says what happened.
    """
    return await turns.ask(data, request.scope["state"])


@post("/v1/resolve", status_code=200, tags=["Turns"])
async def resolve(data: JSONBody[TurnBody], request: Visitor) -> Resolved:
    """The deterministic part alone: mentions and candidates."""
    return turns.resolve(data, request.scope["state"])


@post("/v1/enrich", status_code=200, tags=["Turns"])
async def enrich(data: JSONBody[TurnBody], request: Visitor) -> Enrichment:
    """Candidates and enrichment, without an understanding step."""
    found = turns.enrich(data, request.scope["state"])
    return found if isinstance(found, Enrichment) else await found


@post("/v1/lookup", status_code=200, tags=["Vocabularies"])
async def lookup(data: JSONBody[LookupBody], request: Visitor) -> Lookup:
    """What the vocabularies hold for one term or one id. There is no list of all of them."""
    return turns.lookup(data, request.scope["state"])


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


@get("/metrics", tags=["Health"], media_type=metrics.CONTENT_TYPE, guards=[_of_all])
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


@get("/v1/admin/switches", tags=["Administration"], guards=[_by_admin])
async def switches(request: Visitor) -> Switched:
    """What is switched off now."""
    return _of(request)[0].switches.now


@put("/v1/admin/switches", tags=["Administration"], guards=[_by_admin])
async def switch(data: JSONBody[Switched], request: Visitor) -> Switched:
    """Switch layers, features and the model off or on, for all tenants, until the service ends."""
    service, _, state = _of(request)
    service.switches.put(data)
    service.log.warning("switched", key=state["key"], without=data.without, model=data.model)
    return service.switches.now


ROUTES = [ask, resolve, enrich, lookup, healthz, readyz, version, metrics_page, openapi_json, switches, switch]
