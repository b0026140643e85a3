"""The endpoints of version 1, and those that say how the service is."""

from __future__ import annotations

from typing import Any

from litestar import Request, get, post
from litestar.datastructures import State

from dragoman._version import __version__
from dragoman.engine import Lookup, Resolved
from dragoman.serve.service import Service
from dragoman.serve.wire import Alive, LookupBody, Ready, TurnBody, Version
from dragoman.types import Answer, Enrichment


def _service(state: State) -> Service:
    service: Service = state.service
    return service


@post("/v1/ask", status_code=200)
async def ask(data: TurnBody, state: State) -> Answer:
    """Read one turn: scope, mentions, candidates, frame, enrichment, trace."""
    return await _service(state).engine.aask(data, without=data.without)


@post("/v1/resolve", status_code=200)
async def resolve(data: TurnBody, state: State) -> Resolved:
    """The deterministic part alone: mentions and candidates."""
    return _service(state).engine.resolve(data)


@post("/v1/enrich", status_code=200)
async def enrich(data: TurnBody, state: State) -> Enrichment:
    """Candidates and enrichment, without an understanding step."""
    return _service(state).engine.enrich(data, without=data.without)


@post("/v1/lookup", status_code=200)
async def lookup(data: LookupBody, state: State) -> Lookup:
    """What the vocabularies hold for a term or an id."""
    return _service(state).engine.lookup(data.query)


@get("/healthz")
async def healthz() -> Alive:
    """The process runs."""
    return Alive()


@get("/readyz")
async def readyz(state: State) -> Ready:
    """Whether requests should come here."""
    return Ready(ready=True, index=_service(state).engine.info.id)


@get("/version")
async def version(state: State) -> Version:
    """Which index answers, and what it was compiled from."""
    engine = _service(state).engine
    return Version(
        version=__version__,
        project=engine.project.name,
        profile=engine.project.profile.name,
        languages=tuple(pack.code for pack in engine.project.languages),
        index=engine.info,
    )


@get("/openapi.json", include_in_schema=False)
async def openapi(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """This interface in OpenAPI 3.1."""
    schema: dict[str, Any] = request.app.openapi_schema.to_schema()
    return schema


ROUTES = [ask, resolve, enrich, lookup, healthz, readyz, version, openapi]
