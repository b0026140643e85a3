"""Writes ``reference/http.md`` from the service's own OpenAPI document: ``python docs/make_http.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dragoman.engine import Dragoman
from dragoman.serve import openapi
from dragoman.serve.app import create_app
from dragoman.serve.problems import KINDS, PREFIX

PAGE = Path(__file__).parent / "reference" / "http.md"

HEAD = """\
# HTTP

What `dragoman serve` answers; `/openapi.json` is the same for programs, with the limits of your project. Keys, tenants
and what a service may be told: [run the service](../how-to/deploy.md). The page's own endpoints (`/page/...`) may
change with it and are not listed. `/mcp` speaks the Model Context Protocol.

Every endpoint but `/healthz` and `/readyz` wants a key where the service has any, as `Authorization: Bearer KEY` or
`X-API-Key: KEY`. `X-Dragoman-Tenant: NAME`, or `/t/NAME` before the path, asks a tenant. `X-Request-Id` comes back with
the answer; a short plain one of yours is kept.
"""


def page() -> str:
    """The page, the same for the same code."""
    engine = Dragoman.demo("hospital")
    document = openapi.document(create_app(engine=engine), engine.project)
    lines = [HEAD]
    for path, operations in document["paths"].items():
        if not path.startswith("/page"):
            for method, operation in operations.items():
                lines += [f"## {method.upper()} {path}", "", operation.get("description", ""), ""]
                lines += _body(operation, document) + _answer(operation)
    lines += [
        "## Problems",
        "",
        "Errors are `application/problem+json` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)).",
        "",
    ]
    lines += ["| status | `type` | |", "|---|---|---|"]
    lines += [f"| {kind.status} | `{PREFIX}{name}` | {kind.title} |" for name, kind in KINDS.items()]
    lines += ["", "This page is written by `docs/make_http.py`."]
    return "\n".join(lines) + "\n"


def _body(operation: dict[str, Any], document: dict[str, Any]) -> list[str]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if not content:
        return []
    name = content["schema"]["$ref"].rpartition("/")[2]
    schema = document["components"]["schemas"][name]
    lines = ["| field | type | |", "|---|---|---|"]
    for field, one in schema["properties"].items():
        told = "required" if field in schema.get("required", ()) else ""
        lines.append(f"| `{field}` | {_type(one)} | {told} |")
    for example in content.get("examples", {}).values():
        lines += ["", f"{example['summary']}:", "", "```json", json.dumps(example["value"], ensure_ascii=False), "```"]
    return [*lines, ""]


def _type(one: dict[str, Any]) -> str:
    if "$ref" in one:
        return f"`{one['$ref'].rpartition('/')[2]}`"
    for many in ("oneOf", "anyOf"):
        if many in one:
            return " or ".join(dict.fromkeys(_type(part) for part in one[many]))
    if one.get("type") == "array":
        most = f", at most {one['maxItems']}" if "maxItems" in one else ""
        return f"list of {_type(one.get('items', {}))}{most}"
    most = f", at most {one['maxLength']} characters" if "maxLength" in one else ""
    return f"{one.get('type', 'anything')}{most}"


def _answer(operation: dict[str, Any]) -> list[str]:
    contents: dict[str, Any] = operation["responses"]["200"].get("content", {})
    schema: dict[str, Any] = next((content.get("schema", {}) for content in contents.values()), {})
    name = schema.get("$ref", "").rpartition("/")[2]
    others = ", ".join(status for status in operation["responses"] if status != "200")
    return [f"Answers 200{f' with `{name}`' if name else ''}; else {others}.", ""]


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
