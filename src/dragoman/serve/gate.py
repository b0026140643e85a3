"""What stands before every endpoint: one plain ASGI application around the others.

In this order: the request's id; the host name; the key; the tenant; the body, whole, within its limits; a free place;
a deadline. Then the endpoint; and after it, whatever happened, headers, counts, a line in the log, a trace.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import Any

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from litestar.utils import normalize_path

from dragoman.serve import body, direct, headers, keys, logs, problems
from dragoman.serve.problems import ProblemError
from dragoman.serve.service import Service
from dragoman.serve_tables import KeyTable

OPEN = frozenset({"/healthz", "/readyz"})  # what needs no key: they say nothing
METRICS = "/metrics"
STREAMS = "/mcp"  # answers may stay open
ASKS = frozenset({"/v1/ask"})  # what may wait for a model
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
LONGEST_PATH = 250  # bytes; a file system refuses names of more than 255 bytes with an error of its own
BY_BROWSER = 'Basic realm="dragoman: any name, and the key", charset="UTF-8"'
BY_PROGRAM = 'Bearer realm="dragoman"'
_ALWAYS = (*headers.SECURITY, headers.NO_STORE)
_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Gate:
    """The gate of one service. One event loop runs it, so that counting needs no lock."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service
        self._here = {"ask": 0, "other": 0}
        self._shown = {lane: service.metrics.in_flight.labels(lane) for lane in self._here}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != ScopeType.HTTP:
            return  # there is nothing to talk to
        visit = _Visit(self._service, scope, headers.read(scope["headers"]), send)
        try:
            await self._pass(visit, receive)
        except body.Gone:  # or the body is not framed as HTTP wants it: then somebody is there to be told
            await visit.refuse(ProblemError("malformed", "the body broke off"))
        except ProblemError as problem:
            await visit.refuse(problem)
        except Exception as error:  # noqa: BLE001 - what an endpoint raises, and the last resort
            found = problems.of(error)
            if found.kind in problems.LOGGED:
                self._service.log.error(found.kind, id=visit.read.request_id, **logs.places(error))
            await visit.refuse(found)
        finally:
            visit.tell()

    async def _pass(self, visit: _Visit, receive: Receive) -> None:
        scope, read, table = visit.scope, visit.read, self._service.project.file.serve
        path = scope["path"]
        if not path.isprintable() or len(path.encode()) > LONGEST_PATH:
            raise ProblemError("not-found", "there is nothing here")
        self._host(read, table.allowed_hosts)
        tenant = read.tenant
        if path.startswith("/t/"):
            tenant, path = _tenant(path, tenant)
        if path.endswith("/") or "//" in path:
            path = normalize_path(path)  # as Litestar will: what is asked of a path here is asked of the one it takes
        if path is not scope["path"]:
            scope["path"] = path
            scope["raw_path"] = path.encode()
        key = self._key(path, scope["method"], read)
        if key is not None:
            visit.key = key.id
            if key.tenants and tenant not in key.tenants and path not in OPEN:
                raise ProblemError("forbidden", "this key is for other tenants")
        if path in OPEN or (key is None and self._service.keys):
            tenant = ""  # who has shown no key learns nothing of which tenants there are
        engine = self._service.of(tenant)
        visit.tenant = tenant
        visit.state.update(engine=engine, tenant=tenant, service=self._service)
        visit.state["key"] = visit.key
        visit.state["of_all"] = key is None or not key.tenants
        visit.state["admin"] = key is not None and key.admin and not key.tenants
        if scope["method"] in _WITH_BODY or read.length or read.chunked:
            receive = await self._body(visit, receive)
        lane = "ask" if path in ASKS or path.startswith(STREAMS) else "other"
        if self._here[lane] >= (table.max_asks if lane == "ask" else table.max_concurrent) and path not in OPEN:
            raise ProblemError(
                "busy",
                "as many requests as it takes are being answered",
                headers={"Retry-After": str(table.retry_after_s)},
            )
        limit: asyncio.Timeout | None = None
        self._here[lane] += 1
        self._shown[lane].inc()
        try:
            if path.startswith(STREAMS):
                await self._app(scope, receive, visit.send)
                return
            found = self._directly(visit, path, table.cors_origins)
            if isinstance(found, msgspec.Struct):  # it is there: nothing to wait for, and no deadline to set
                await visit.answer(direct.encode(found))
                return
            async with asyncio.timeout(table.request_timeout_s) as limit:
                if found is None:
                    await self._app(scope, receive, visit.send)
                else:
                    await visit.answer(direct.encode(await found))
        except TimeoutError:
            if limit is None or not limit.expired():  # it is somebody else's
                raise
            detail = f"there was no answer after {table.request_timeout_s:g} seconds"
            raise ProblemError("timeout", detail) from None
        finally:
            self._here[lane] -= 1
            self._shown[lane].dec()

    def _directly(
        self, visit: _Visit, path: str, cors: tuple[str, ...]
    ) -> msgspec.Struct | Awaitable[msgspec.Struct] | None:
        """The answer, or what to await for it, without Litestar; ``None`` where that would not come to the same."""
        way = direct.WAYS.get(path)
        if way is None or visit.scope["method"] != "POST" or (cors and visit.read.origin):
            return None
        data = direct.read(way, visit.state["body"])
        if data is None:
            return None
        visit.scope["path_template"] = path
        return way.answer(data, visit.state)

    def _host(self, read: headers.Read, allowed: tuple[str, ...]) -> None:
        """Where no key is asked for, a page of another site must not reach this service by a name of its own."""
        names = allowed or (() if self._service.keys or self._service.insecure else LOOPBACK)
        if names and headers.host_name(read.host) not in names:
            raise ProblemError("host", "see [serve] allowed_hosts in the project file")

    def _key(self, path: str, method: str, read: headers.Read) -> KeyTable | None:
        service = self._service
        if not service.keys:
            return None
        text, by_browser = keys.presented(read.authorization, read.api_key)
        key = service.keys.find(text) if text else None
        if key is not None:
            if by_browser and read.site == "cross-site":
                raise ProblemError("forbidden", "not from a page of another site")
            return key
        if path in OPEN or (path == METRICS and service.project.file.serve.metrics_open):
            return None
        if method == "OPTIONS" and read.origin and service.project.file.serve.cors_origins:
            return None  # a browser asks before it sends the key
        # A browser opens a window for Basic: only where a person has opened an address, not over a program's mistake.
        person = "text/html" in read.accept and (by_browser or not text)
        raise ProblemError(
            "key",
            "send it as Authorization: Bearer KEY, or as X-API-Key",
            headers={"WWW-Authenticate": BY_BROWSER if person else BY_PROGRAM},
        )

    async def _body(self, visit: _Visit, receive: Receive) -> Receive:
        project, read = self._service.project.file, visit.read
        if read.length is not None and read.length < 0:
            raise ProblemError("malformed", "Content-Length is no number")
        got = await body.read(receive, read.length, project.limits.body, project.serve.body_timeout_s)
        if visit.scope["method"] in _WITH_BODY and got:
            if not _is_json(read.content_type):
                raise ProblemError("media-type", "send application/json")
            if read.encoding.lower() not in ("", "identity"):
                raise ProblemError(
                    "media-type", "send the body without a Content-Encoding", headers={"Accept-Encoding": "identity"}
                )
        visit.state["body"] = got
        return body.again(got, receive)


class _Visit:
    """One request on its way through."""

    __slots__ = (
        "_send", "_service", "began", "began_ns", "key", "kind", "method", "read", "scope", "state", "status", "tenant",
    )  # fmt: skip

    def __init__(self, service: Service, scope: HTTPScope, read: headers.Read, send: Send) -> None:
        self._service = service
        self._send = send
        self.scope = scope
        self.method: str = scope["method"]
        if self.method == "HEAD":
            scope["method"] = "GET"  # the same, and `send` leaves the body out
        self.read = read
        self.status = 0
        self.key = ""
        self.tenant = ""
        self.kind = ""
        self.began = time.perf_counter()
        self.began_ns = time.time_ns() if service.tracing is not None else 0
        self.state: dict[str, Any] = scope.setdefault("state", {})
        self.state["request_id"] = read.request_id

    async def send(self, message: Message) -> None:
        """Pass the answer on, with the headers that every answer carries."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = list(message.get("headers", ()))
            given.append((b"x-request-id", self.read.request_id.encode()))
            given.extend(headers.SECURITY)
            if not any(name == b"cache-control" for name, _ in given):
                given.append(headers.NO_STORE)
            message["headers"] = given
        elif self.method == "HEAD" and message["type"] == "http.response.body":
            message["body"] = b""
        await self._send(message)

    async def answer(self, content: bytes) -> None:
        """Answer with JSON."""
        self.status = 200
        told = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(content)),
            (b"x-request-id", self.read.request_id.encode()),
            *_ALWAYS,
        ]
        await self._send({"type": "http.response.start", "status": 200, "headers": told})
        await self._send({"type": "http.response.body", "body": content, "more_body": False})

    async def refuse(self, problem: ProblemError) -> None:
        """Answer with a problem, unless an answer is under way already."""
        self.kind = problem.kind
        if self.status:
            return
        document = problem.document(self.read.request_id)
        content = msgspec.json.encode(document)
        told = [(b"content-type", problems.MEDIA_TYPE.encode()), (b"content-length", str(len(content)).encode())]
        told += [(k.lower().encode(), v.encode()) for k, v in problem.headers.items()]
        await self.send({"type": "http.response.start", "status": document.status, "headers": told})
        await self.send({"type": "http.response.body", "body": content, "more_body": False})

    def tell(self) -> None:
        """Count, log and trace what has been answered."""
        service, read = self._service, self.read
        seconds = time.perf_counter() - self.began
        route = self.scope.get("path_template") or "none"
        method = self.method if self.method in ("GET", "POST", "PUT", "HEAD", "OPTIONS") else "other"
        metrics = service.metrics
        metrics.of(metrics.requests, route, str(self.status), self.tenant).inc()
        metrics.took(route, seconds)
        kind = self.kind or self.state.get("problem", "")
        if kind:
            metrics.of(metrics.problems, kind).inc()
        if service.project.file.serve.access_log or self.status >= 500:
            service.log.info(
                "request",
                id=read.request_id,
                method=method,
                route=route,
                status=self.status,
                ms=round(seconds * 1000, 2),
                tenant=self.tenant,
                key=self.key,
                problem=kind,
            )
        if service.tracing is not None:
            service.tracing.request(
                method=method,
                route=route,
                status=self.status,
                tenant=self.tenant,
                request_id=read.request_id,
                traceparent=read.traceparent,
                began_ns=self.began_ns,
                rows=self.state.get("trace", ()),
            )


def _tenant(path: str, header: str) -> tuple[str, str]:
    """The tenant that a path ``/t/NAME/...`` names, and the path without it. Raises ``ProblemError``."""
    name, slash, rest = path[3:].partition("/")
    if not name or not slash:
        raise ProblemError("not-found", "a tenant's paths begin with /t/NAME/")
    if header and header != name:
        raise ProblemError("malformed", "path and X-Dragoman-Tenant name two tenants")
    return name, "/" + rest


def _is_json(content_type: str) -> bool:
    if content_type == "application/json":
        return True
    media, *parameters = content_type.split(";")
    if media.strip().lower() != "application/json":
        return False
    said = (parameter.partition("=") for parameter in parameters)
    charsets = (value.strip().strip('"').lower() for name, _, value in said if name.strip().lower() == "charset")
    return all(charset in ("utf-8", "utf8") for charset in charsets)
