"""The application: endpoints, the page and the Model Context Protocol where they are there, and the gate before all."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from litestar import Litestar, Request
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.static_files import create_static_files_router

from dragoman._version import __version__
from dragoman.engine import Dragoman
from dragoman.serve import openapi, problems
from dragoman.serve.gate import Gate
from dragoman.serve.live import mcp_mount
from dragoman.serve.routes import ROUTES
from dragoman.serve.service import Service

PAGE = Path(__file__).parent / "page"


def create_app(
    project: str | Path = "dragoman.toml",
    *,
    engine: Dragoman | None = None,
    service: Service | None = None,
    insecure: bool = False,
) -> Litestar:
    """The service for a project; for an ``engine`` that is open already; or for a ``service`` made elsewhere.

    Handlers get ``engine``, the project or tenant that the request is for, by that name. ``insecure``: answer to any
    host name although no key is asked for. Raises what ``Dragoman.open`` raises, and ``ConfigError`` for the keys.
    """
    if service is None:
        service = Service(engine or Dragoman.open(project), given=None if engine else project, insecure=insecure)
    table = service.project.file.serve
    mcp = mcp_mount(service) if table.mcp and find_spec("mcp") and find_spec("dragoman.serve.mcp") else None

    @asynccontextmanager
    async def running(_: Litestar) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await service.start()
            stack.push_async_callback(service.stop)
            if mcp is not None:
                await stack.enter_async_context(mcp.running())
            yield

    handlers: list[Any] = [*ROUTES, *(_page() if table.page else ())]
    if mcp is not None:
        handlers.append(mcp.handler)
    app = Litestar(
        route_handlers=handlers,
        dependencies={"engine": Provide(_engine)},
        state=State({"service": service, "openapi": openapi.Document()}),
        exception_handlers={Exception: problems.handle},
        lifespan=[running],
        logging_config=None,
        cors_config=_cors(table.cors_origins),
        openapi_config=OpenAPIConfig(
            title="dragoman", version=__version__, path="/openapi", render_plugins=[], use_handler_docstrings=True
        ),
    )
    app.asgi_handler = Gate(app.asgi_handler, service)
    return app


async def _engine(request: Request[Any, Any, Any]) -> Dragoman:
    found: Dragoman = request.scope["state"]["engine"]
    return found


def _cors(origins: tuple[str, ...]) -> CORSConfig | None:
    if not origins:
        return None
    return CORSConfig(
        allow_origins=list(origins),
        allow_methods=["GET", "POST"],
        allow_headers=["authorization", "content-type", "x-api-key", "x-dragoman-tenant", "x-request-id"],
        expose_headers=["x-request-id", "retry-after"],
        max_age=600,
    )


def _page() -> list[Any]:
    """The page's endpoints and files."""
    found: list[Any] = []
    if find_spec("dragoman.serve.page_api"):
        found.extend(import_module("dragoman.serve.page_api").ROUTES)
    if PAGE.is_dir():
        files = create_static_files_router(
            "/", directories=[PAGE], html_mode=True, name="page", include_in_schema=False, cache_control=None
        )
        found.append(files)
    return found
