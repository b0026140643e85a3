"""The application: endpoints, the page's own where it is installed, and what stands before both."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from litestar import Litestar
from litestar.datastructures import State
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.router import Router
from litestar.static_files import create_static_files_router

from dragoman._version import __version__
from dragoman.engine import Dragoman
from dragoman.serve import problems
from dragoman.serve.routes import ROUTES
from dragoman.serve.service import Service

PAGE = Path(__file__).parent / "page"


def create_app(project: str | Path = "dragoman.toml", *, engine: Dragoman | None = None) -> Litestar:
    """The service for a project, or for an ``engine`` that is open already.

    Handlers get ``engine``, the project that answers now, by that name. Raises what ``Dragoman.open`` raises.
    """
    service = Service(engine or Dragoman.open(project))

    async def provide_engine() -> Dragoman:
        return service.engine

    handlers: list[Any] = [*ROUTES, *_page()]
    return Litestar(
        route_handlers=handlers,
        dependencies={"engine": Provide(provide_engine)},
        state=State({"service": service}),
        exception_handlers={Exception: problems.handle},
        logging_config=None,
        openapi_config=OpenAPIConfig(title="dragoman", version=__version__, path="/openapi", render_plugins=[]),
    )


def _page() -> list[Any]:
    """The page's endpoints and files."""
    found: list[Any] = []
    if find_spec("dragoman.serve.page_api"):
        found.extend(import_module("dragoman.serve.page_api").ROUTES)
    if PAGE.is_dir():
        files: Router = create_static_files_router("/", directories=[PAGE], html_mode=True, name="page")
        found.append(files)
    return found
