"""The interface in OpenAPI 3.1: Litestar's own document, with what the gate adds to every endpoint.

The gate stands before Litestar, so that Litestar does not know of keys, tenants, request ids, limits and problems; here
they are written in, with the limits of the project in use.
"""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Litestar
from litestar.openapi.spec import Example

from dragoman.project import Project
from dragoman.serve.problems import KINDS, MEDIA_TYPE, PREFIX, Problem
from dragoman.serve.switches import NAMES

TURNS = [
    Example(summary="One message", value={"text": "ik heb last van hypothyreoïdie", "language": "nl"}),
    Example(
        summary="A message that goes on with an earlier one",
        value={
            "text": "en voor een kind van 12 kg?",
            "history": [
                {"role": "user", "text": "hoeveel paracetamol mag ik?"},
                {"role": "assistant", "text": "Voor wie is het?"},
            ],
            "without": ["near"],
        },
    ),
]
QUERIES = [
    Example(summary="A term", value={"query": "hypothyreoïdie"}),
    Example(summary="An id", value={"query": "40930008"}),
]
SWITCHES = [Example(summary="No model, and no near pages", value={"without": ["near"], "model": False})]
_EXAMPLES = {
    "/v1/ask": TURNS,
    "/v1/resolve": TURNS,
    "/v1/enrich": TURNS,
    "/v1/lookup": QUERIES,
    "/v1/admin/switches": SWITCHES,
}

_ID = {
    "name": "X-Request-Id",
    "in": "header",
    "required": False,
    "description": "Comes back with the answer and stands in the log; made where it is missing or odd.",
    "schema": {"type": "string"},
}
_TENANT = {
    "name": "X-Dragoman-Tenant",
    "in": "header",
    "required": False,
    "description": "Who is asked; the same as /t/NAME before the path.",
    "schema": {"type": "string"},
}
_OPEN = ("/healthz", "/readyz")
# Beside the statuses that every endpoint may answer with.
_COMMON = (400, 401, 403, 404, 503)
_OF_BODIES = (408, 413, 415, 422, 504)


def document(app: Litestar, project: Project) -> dict[str, Any]:
    """The document of an application that serves ``project``."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(app.openapi_schema.to_schema()))
    schemas = found["components"]["schemas"]
    schemas["Problem"] = _problem()
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            operation["operationId"] = f"{method}{path.replace('/', '_').replace('{', '').replace('}', '')}"
            operation.setdefault("parameters", []).append(_ID)
            statuses = _COMMON + (_OF_BODIES if "requestBody" in operation else ())
            responses = {k: v for k, v in operation["responses"].items() if not k.startswith("4")}
            if path not in _OPEN:
                operation["parameters"].append(_TENANT)
            responses |= {str(status): _refusal(status) for status in statuses}
            if path == "/readyz":
                responses["503"] = {**responses["200"], "description": "Not ready"}
            operation["responses"] = dict(sorted(responses.items()))
            if path in _OPEN:
                operation["security"] = []
            if path in _EXAMPLES:
                _exemplify(operation, _EXAMPLES[path])
    _limits(schemas, project)
    found["components"]["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "A key of `dragoman serve key new`."},
        "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        "basic": {"type": "http", "scheme": "basic", "description": "For browsers: any name, and the key."},
    }
    found["security"] = [{}, {"bearer": []}, {"header": []}, {"basic": []}]
    found["info"] |= {
        "description": "Reads a medical question: what is asked, about what, and in which words the corpus says it. "
        "Never a medical answer.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    }
    return found


class Document:
    """The document as JSON, made once for each project file that is taken up."""

    def __init__(self) -> None:
        self._made: tuple[Project, bytes] | None = None

    def encoded(self, app: Litestar, project: Project) -> bytes:
        """The document of an application that serves ``project``."""
        if self._made is None or self._made[0] is not project:
            self._made = (project, msgspec.json.encode(document(app, project)))
        return self._made[1]


def _exemplify(operation: dict[str, Any], examples: list[Example]) -> None:
    """Litestar puts the examples of a body into its schema, without what they are of."""
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]["application/json"]
        content["schema"] = content["schema"].get("allOf", [content["schema"]])[0]
        content["examples"] = {str(n): {"summary": e.summary, "value": e.value} for n, e in enumerate(examples, 1)}


def _problem() -> dict[str, Any]:
    _, parts = msgspec.json.schema_components([Problem], ref_template="#/components/schemas/{name}")
    problem: dict[str, Any] = parts["Problem"]
    problem["properties"]["type"]["enum"] = [PREFIX + kind for kind in KINDS]
    return problem


def _refusal(status: int) -> dict[str, Any]:
    titles = [kind.title for kind in KINDS.values() if kind.status == status]
    found: dict[str, Any] = {
        "description": "; or ".join(titles),
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if status == 503:
        found["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}}
    return found


def _limits(schemas: dict[str, Any], project: Project) -> None:
    """What is refused, said in the schemas of what is read."""
    limits = project.file.limits
    turn, message = schemas["TurnBody"], schemas["Message"]
    for of, field in ((turn, "text"), (message, "text"), (schemas["LookupBody"], "query")):
        of["properties"][field]["maxLength"] = limits.text
    turn["properties"]["history"]["maxItems"] = limits.history
    for of in (turn, schemas["Switched"]):
        of["properties"]["without"]["items"] = {"type": "string", "enum": list(NAMES)}
    for name in ("TurnBody", "LookupBody", "Message", "Switched"):
        schemas[name]["additionalProperties"] = False
