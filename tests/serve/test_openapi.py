"""The OpenAPI document says what is so: schemathesis asks whatever it allows, and much that it does not."""

from __future__ import annotations

import runpy
from pathlib import Path

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from tests.serve import support

from dragoman.serve import problems

EXAMPLES = 25
MORE = 600
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    unsupported_method,
]


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    """A service for tenants, and its document as schemathesis reads it."""
    text, table = support.key(admin=True)
    path = support.project(tmp_path_factory.mktemp("api"), table, tenants=True)
    with support.Served(path) as one:
        one.client.headers["x-api-key"] = text
        document = one.client.get("/openapi.json").json()
        yield one, schemathesis.openapi.from_dict(document), document


def ask(one, schema, examples):
    """The statuses that each operation answered with; every answer is one that the document allows."""
    found: dict[str, set[int]] = {}
    for result in schema.get_all_operations():
        operation = result.ok()
        seen = found[operation.label] = set()
        for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):
            if mode is schemathesis.GenerationMode.POSITIVE or operation.body:
                _attempts(one, operation.as_strategy(generation_mode=mode), seen, examples)()
    return found


def _attempts(one, strategy, seen, examples):
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def attempt(case):
        sent = case.as_transport_kwargs(base_url="http://127.0.0.1")
        sent["headers"] = {k: v for k, v in sent["headers"].items() if v.isascii()}
        sent["headers"] |= {"x-api-key": one.client.headers["x-api-key"]}
        sent.pop("cookies", None)
        if isinstance(sent.get("data"), bytes | str):
            sent["content"] = sent.pop("data")
        answer = one.client.request(**sent)
        seen.add(answer.status_code)
        case.validate_response(answer, checks=CHECKS)

    return attempt


def test_what_the_document_allows_and_what_it_does_not(api):
    one, schema, document = api
    found = ask(one, schema, EXAMPLES)
    assert set(found) == {f"{m.upper()} {p}" for p, ms in document["paths"].items() for m in ms}
    for path in ("/v1/ask", "/v1/resolve", "/v1/enrich", "/v1/lookup"):
        assert 200 in found[f"POST {path}"]
        assert 400 in found[f"POST {path}"]
    assert not {status for seen in found.values() for status in seen if status >= 500}


@pytest.mark.slow
def test_the_same_for_long(api):
    one, schema, _ = api
    found = ask(one, schema, MORE)
    assert not {status for seen in found.values() for status in seen if status >= 500}


def test_every_example_is_answered(api):
    one, _, document = api
    asked = 0
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            for example in content.get("examples", {}).values():
                assert one.client.request(method, path, json=example["value"]).status_code == 200
                asked += 1
    one.client.put("/v1/admin/switches", json={})
    assert asked >= 9


def test_the_document_names_keys_tenants_ids_and_problems(api):
    _, _, document = api
    assert set(document["components"]["securitySchemes"]) == {"bearer", "header", "basic"}
    assert document["paths"]["/healthz"]["get"]["security"] == []
    ask_ = document["paths"]["/v1/ask"]["post"]
    assert {p["name"] for p in ask_["parameters"]} == {"X-Request-Id", "X-Dragoman-Tenant"}
    for status in ("400", "401", "403", "404", "408", "413", "415", "422", "503", "504"):
        assert problems.MEDIA_TYPE in ask_["responses"][status]["content"]
    kinds = document["components"]["schemas"]["Problem"]["properties"]["type"]["enum"]
    assert kinds == [problems.PREFIX + kind for kind in problems.KINDS]
    assert document["components"]["schemas"]["TurnBody"]["additionalProperties"] is False


def test_the_document_is_the_same_each_time(api):
    one, _, _ = api
    assert one.client.get("/openapi.json").content == one.client.get("/openapi.json").content
    assert msgspec.json.decode(one.client.get("/openapi.json").content)["openapi"].startswith("3.1")


def test_the_reference_is_current():
    docs = Path(__file__).parents[2] / "docs"
    made = runpy.run_path(str(docs / "make_http.py"))["page"]()
    assert (docs / "reference/http.md").read_text("utf-8") == made, "run: python docs/make_http.py"
