"""The Model Context Protocol inside the service: at ``/mcp``, behind the same gate, for the tenant of the request."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, NamedTuple, cast

from litestar import asgi
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send

from dragoman.engine import Dragoman, Resolved
from dragoman.serve import turns
from dragoman.serve.problems import ProblemError
from dragoman.serve.service import Service
from dragoman.types import Answer, Enrichment, Turn

_asked: ContextVar[Dragoman] = ContextVar("dragoman_asked")


class Live:
    """Stands for the engine of the request that is being answered; outside of one, for the project's.

    What an administrator has switched off is off here as well, and what is made of a turn is counted as elsewhere.
    Nothing that a tool is asked is kept.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    @property
    def _engine(self) -> Dragoman:
        return self._service.asking(_asked.get(self._service.engine))

    async def aask(self, turn: Turn) -> Answer:
        """As ``Dragoman.aask``."""
        return await turns.answered(self._service, self._engine, turn, self._service.switches.now.without)

    def enrich(self, turn: Turn) -> Enrichment:
        """As ``Dragoman.enrich``."""
        found = self._engine.enriched(turn, without=self._service.switches.now.without)
        turns.count(self._service, found)
        return found.enrichment

    def resolve(self, turn: Turn) -> Resolved:
        """As ``Dragoman.resolve``."""
        found = self._engine.resolve(turn)
        self._service.metrics.found(found.candidates, found.mentions)
        return found


class Mount(NamedTuple):
    """``handler`` answers; ``running`` is entered while the service runs."""

    handler: ASGIRouteHandler
    running: Any


def mcp_mount(service: Service) -> Mount:
    """The protocol's application over whatever engine a request is for."""
    app = import_module("dragoman.serve.mcp").http_app(cast(Dragoman, Live(service)))

    @asgi("/mcp", is_mount=False, copy_scope=False)
    async def handler(scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("method") != "POST":  # there is no session that a stream could belong to
            raise ProblemError("method", "send a request of the protocol with POST", headers={"Allow": "POST"})
        state: dict[str, Any] = scope["state"]
        token = _asked.set(state["engine"])
        try:
            await app(scope, receive, send)
        finally:
            _asked.reset(token)

    def running() -> AbstractAsyncContextManager[None]:
        found: AbstractAsyncContextManager[None] = app.running()
        return found

    return Mount(handler, running)
