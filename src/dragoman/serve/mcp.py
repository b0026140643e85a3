"""The Model Context Protocol server: dragoman's deterministic answers as tools that an agent may call.

What goes into a tool and what comes out are structs (``mcp_tools.TOOLS``), so that the schemas which an agent is shown
are those that are checked. The server keeps nothing between calls, and writes nothing of a call anywhere.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import msgspec
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.routing import Route

from dragoman._version import __version__
from dragoman.engine import Dragoman
from dragoman.errors import DragomanError
from dragoman.serve.mcp_tools import BY_NAME, TOOLS, ToolRow, schema

if TYPE_CHECKING:
    from starlette.types import Receive, Send
    from starlette.types import Scope as HttpScope

MAX_BODY = 64 * 1024  # bytes of a request over HTTP
LOOPBACK = ("127.0.0.1:*", "localhost:*", "[::1]:*")

log = logging.getLogger("dragoman.mcp")

INSTRUCTIONS = (
    "dragoman reads medical questions: it says what is being asked, which drugs and conditions of this organisation's "
    "own catalogue the words name, and how its pages say it. It gives no medical advice and holds no medical facts: "
    "do not answer a medical question from its output; search the organisation's pages with the enriched query "
    "instead. A drug that it calls unknown is not in the catalogue: never replace it by a name that looks alike. Where "
    "frame.needs_clarify is true, ask the person; frame.quick_replies are what they may answer."
)


def server(engine: Dragoman, *, reload: bool = False) -> Server[Any]:
    """The server over an opened project. With ``reload`` every call first takes up a newer index, if there is one."""
    tools = [_tool(row, engine) for row in TOOLS]

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(_: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        return await _call(engine, params.name, params.arguments or {}, reload=reload)

    return Server(
        "dragoman",
        version=__version__,
        title="dragoman",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(engine: Dragoman) -> None:
    """Answer on stdin and stdout until stdin ends."""
    app = server(engine, reload=True)
    async with stdio_server() as (read, write):
        await app.run(read, write, app.create_initialization_options())


class HttpApp:
    """The server as an ASGI application that answers at whatever path it is mounted; it keeps no sessions.

    ``running`` must be entered before the first request, and left when the application ends. ``hosts`` are the values
    of the ``Host`` header that are answered (``name:*`` for any port), with the origins of the same names; ``None``
    leaves that to whoever stands before.
    """

    def __init__(self, engine: Dragoman, hosts: tuple[str, ...] | None, *, reload: bool) -> None:
        self._manager = StreamableHTTPSessionManager(
            server(engine, reload=reload),
            json_response=True,
            stateless=True,
            max_request_body_size=MAX_BODY,
            security_settings=None
            if hosts is None
            else TransportSecuritySettings(
                allowed_hosts=list(hosts),
                allowed_origins=[f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")],
            ),
        )

    @asynccontextmanager
    async def running(self, _: object = None) -> AsyncIterator[None]:
        """The time during which requests are answered; takes the application it runs in, as lifespans do."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._manager.handle_request(scope, receive, send)


def http_app(engine: Dragoman, *, hosts: tuple[str, ...] | None = None, reload: bool = False) -> HttpApp:
    """The server over HTTP, to be mounted; see ``HttpApp``."""
    return HttpApp(engine, hosts, reload=reload)


def standalone(engine: Dragoman, hosts: tuple[str, ...] = LOOPBACK) -> Starlette:
    """The server over HTTP on its own, at ``/mcp``; only requests to this machine's own names are answered."""
    app = http_app(engine, hosts=hosts, reload=True)
    return Starlette(routes=[Route("/mcp", app)], lifespan=app.running)


def _tool(row: ToolRow, engine: Dragoman) -> types.Tool:
    asks_a_model = row.name == "understand_query" and engine.project.file.llm is not None
    return types.Tool(
        name=row.name,
        title=row.title,
        description=row.description,
        input_schema=schema(row.takes),
        output_schema=schema(row.gives),
        annotations=types.ToolAnnotations(
            title=row.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=not asks_a_model,
            open_world_hint=asks_a_model,
        ),
    )


async def _call(engine: Dragoman, name: str, arguments: dict[str, Any], *, reload: bool) -> types.CallToolResult:
    """Run a tool. What a caller can mend comes back as a tool error that says how; no exception holds their words."""
    row = BY_NAME.get(name)
    if row is None:
        return _failed(f"there is no tool {name!r}; there are: {', '.join(BY_NAME)}")
    try:
        given = msgspec.convert(arguments, row.takes)
    except msgspec.ValidationError as error:
        return _failed(f"the arguments are wrong: {error}; see the input schema of {name}")
    try:
        if reload:
            await anyio.to_thread.run_sync(engine.reload)
        answer = await row.call(engine, given)
    except DragomanError as error:
        again = "; the same call may succeed later" if error.retry else ""
        return _failed(f"{error}{again}")
    except Exception as error:  # noqa: BLE001 - beyond this line its message, which may hold the text, would be logged
        place = traceback.extract_tb(error.__traceback__)[-1]
        log.error("%s crashed with %s in %s:%s", name, type(error).__name__, place.filename, place.lineno)
        return _failed(f"dragoman crashed with {type(error).__name__}; the server's log says where")
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=msgspec.json.encode(answer).decode())],
        structured_content=msgspec.to_builtins(answer),
    )


def _failed(why: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=why)], is_error=True)
