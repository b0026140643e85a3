"""What a client is told when something is wrong: RFC 9457 problem documents, and what becomes one.

A problem names the limit or the field, never the text. ``type`` is a name of this list; the reference of the HTTP
interface has a line for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from dragoman.errors import ConfigError, DataError, DragomanError, LimitExceeded
from dragoman.serve import logs

MEDIA_TYPE = "application/problem+json"
PREFIX = "urn:dragoman:problem:"
EMPTY = "the body is empty; send a JSON object, as the interface at /openapi.json says"
MOST = 300  # characters of a detail that quotes the client
AGAIN_S = 5  # when to ask again what something outside did not answer
LOGGED = frozenset({"failed", "unavailable"})  # what somebody has to mend here, and finds in the log


class Kind(NamedTuple):
    """A kind of problem: its status and title are the same wherever it occurs."""

    status: int
    title: str


KINDS: dict[str, Kind] = {
    "malformed": Kind(400, "The body is not what this endpoint reads"),
    "language": Kind(400, "The project does not read that language"),
    "host": Kind(400, "This service does not answer to that host name"),
    "key": Kind(401, "A key is needed"),
    "forbidden": Kind(403, "This key does not open that"),
    "not-found": Kind(404, "There is nothing here"),
    "tenant": Kind(404, "There is no such tenant"),
    "method": Kind(405, "Not with this method"),
    "body-timeout": Kind(408, "The body took too long to arrive"),
    "body-size": Kind(413, "The body is too large"),
    "media-type": Kind(415, "Only application/json is read"),
    "limit": Kind(422, "The turn is larger than the limits allow"),
    "value": Kind(422, "A value cannot be used"),
    "failed": Kind(500, "The service failed"),
    "unavailable": Kind(503, "The service cannot answer now"),
    "busy": Kind(503, "The service is busy"),
    "timeout": Kind(504, "The answer took too long"),
}


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """RFC 9457. ``limit`` is the limit that was exceeded, in the unit that ``detail`` names."""

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    limit: int | None = None


class ProblemError(Exception):
    """Raised where a request ends with a problem; ``headers`` go with it."""

    def __init__(
        self, kind: str, detail: str, *, limit: int | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.detail = detail
        self.limit = limit
        self.headers = dict(headers or {})

    def document(self, request_id: str | None = None) -> Problem:
        """The document; ``instance`` names the request."""
        kind = KINDS[self.kind]
        return Problem(
            type=PREFIX + self.kind,
            title=kind.title,
            status=kind.status,
            detail=self.detail,
            instance=f"urn:dragoman:request:{request_id}" if request_id else None,
            limit=self.limit,
        )


_BY_STATUS = {401: "key", 403: "forbidden", 404: "not-found", 405: "method", 413: "body-size", 415: "media-type"}


def of(error: Exception) -> ProblemError:
    """The problem that an exception means. Whatever is not foreseen is ``failed`` and says nothing of its cause."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, LimitExceeded):
        detail = f"{error.what}; {error.advice}" if error.advice else error.what
        return ProblemError("limit", detail, limit=error.limit)
    if isinstance(error, DataError):
        return ProblemError("value", f"{error.what}; {error.advice}" if error.advice else error.what)
    if isinstance(error, ConfigError):
        return ProblemError("unavailable", "the service is not configured for this")
    if isinstance(error, DragomanError):
        return ProblemError("unavailable", error.what, headers={"Retry-After": str(AGAIN_S)} if error.retry else None)
    if isinstance(error, RecursionError):
        return ProblemError("malformed", "the body is nested too deep")
    if isinstance(error, HTTPException) and error.status_code < 500:
        kind = _BY_STATUS.get(error.status_code, "malformed")
        return ProblemError(kind, _said(error) or KINDS[kind].title.lower(), headers=_allow(error.headers))
    return ProblemError("failed", "an error that nobody foresaw; the log has it under this request's id")


def _said(error: HTTPException) -> str:
    """What is wrong with a body, by field; a client reads it, and no log does."""
    if error.status_code != 400:
        return ""
    fields = error.extra if isinstance(error.extra, list) else ()
    told = [f"{f.get('key', 'body')}: {f.get('message', '')}" for f in fields if isinstance(f, dict)]
    return "; ".join(told)[:MOST] or error.detail[:MOST]


def _allow(headers: Mapping[str, str] | None) -> dict[str, str]:
    """The methods that a refusal names; where there is GET, the gate answers HEAD as well."""
    found = {k: v for k, v in (headers or {}).items() if k.lower() == "allow"}
    return {k: f"{v}, HEAD" if "GET" in v and "HEAD" not in v else v for k, v in found.items()}


def handle(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Litestar's handler of every exception."""
    found = of(error)
    state: dict[str, Any] = request.scope.get("state", {})
    if found.kind == "malformed" and state.get("body") == b"":  # Litestar says no more than that it has no "data"
        found = ProblemError("malformed", EMPTY)
    state["problem"] = found.kind
    if found.kind in LOGGED:
        request.app.state.service.log.error(found.kind, id=state.get("request_id"), **logs.places(error))
    document = found.document(state.get("request_id"))
    return Response(
        msgspec.json.encode(document), status_code=document.status, media_type=MEDIA_TYPE, headers=found.headers
    )
