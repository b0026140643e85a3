"""The endpoints answer as the engine does, and count what they did."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.serve import support

from dragoman.types import Turn

TURNS = [
    Turn("Panadol for dengue"),
    Turn("warfarinol liều bao nhiêu?", language="vi"),
    Turn("how much for my dog?"),
    Turn(""),
    Turn("x" * 4000),
]


def plain(value):
    """A value as JSON, without the microseconds."""
    made = json.loads(value if isinstance(value, str | bytes) else msgspec.json.encode(value))
    for row in made.get("trace", ()):
        row["us"] = 0
    return made


@pytest.mark.parametrize("turn", TURNS)
def test_answers_are_the_engines(served, turn):
    engine, sent = served.service.engine, msgspec.to_builtins(turn)
    for path, own in (("ask", engine.ask), ("resolve", engine.resolve), ("enrich", engine.enrich)):
        answer = served.client.post(f"/v1/{path}", json=sent)
        assert answer.status_code == 200
        assert plain(answer.content) == plain(own(turn))


def test_a_layer_off_for_one_turn(served):
    answer = served.client.post("/v1/enrich", json={"text": "Panadol", "without": ["catalog"]}).json()
    assert answer["expansions"] == []
    assert served.client.post("/v1/enrich", json={"text": "Panadol"}).json()["expansions"]
    wrong = served.client.post("/v1/ask", json={"text": "Panadol", "without": ["catalogue"]})
    assert wrong.status_code == 422
    assert "catalog" in wrong.json()["detail"]


def test_lookup_is_of_one_term_and_lists_nothing(served):
    found = served.client.post("/v1/lookup", json={"query": "dengue"}).json()
    assert [concept["id"] for concept in found["concepts"]] == ["D1"]
    for bulk in ("", "*", "%", ".", "D", "d*", "conditions:", "conditions:*", " "):
        found = served.client.post("/v1/lookup", json={"query": bulk}).json()
        assert found["concepts"] == [], bulk
        assert found["drugs"] == [], bulk


def test_no_path_lists_a_vocabulary(served):
    """Whatever can be got without a body holds no term of a restricted terminology."""
    for route in served.app.routes:
        if "GET" in getattr(route, "methods", ()) and not getattr(route, "path_parameters", None):
            if route.path.startswith("/page/golden"):
                continue
            assert "dengue fever" not in served.client.get(route.path).text, route.path


def test_health_and_version(served):
    assert served.client.get("/healthz").json() == {"status": "ok"}
    assert served.client.get("/readyz").json() == {
        "ready": True,
        "index": served.service.engine.info.id,
        "provider": "none",
        "database": "none",
    }
    version = served.client.get("/version").json()
    assert version["index"]["sources"][0]["name"] == "conditions"
    assert version["model"] is None
    assert version["keeps_text"] is False


def test_a_service_that_ends_is_not_ready(open_project):
    with support.Served(open_project) as one:
        one.service.draining = True
        assert one.client.get("/readyz").status_code == 503
        assert one.client.get("/healthz").status_code == 200


def value(page, name):
    """What a metric says."""
    return sum(float(line.rpartition(" ")[2]) for line in page.splitlines() if line.startswith(name))


def test_metrics_count_what_happened(open_project):
    with support.Served(open_project) as one:
        one.client.post("/v1/ask", json={"text": "Panadol for dengue"})
        one.client.post("/v1/ask", json={"text": "qwrtplk"})
        one.client.post("/v1/enrich", json={"text": "Panadol"})
        one.client.post("/v1/resolve", json={"text": "the drug warfarinox 5 mg tablets"})
        one.client.post("/v1/ask", json={"text": 3})
        page = one.client.get("/metrics").text
    assert value(page, 'dragoman_requests_total{route="/v1/ask",status="200"') == 2
    assert value(page, 'dragoman_requests_total{route="/v1/ask",status="400"') == 1
    assert value(page, 'dragoman_request_seconds_count{route="/v1/enrich"}') == 1
    assert value(page, 'dragoman_candidates_total{kind="drug",match="exact"}') == 2
    assert value(page, 'dragoman_layer_total{layer="catalog",outcome="hit"}') == 2
    assert value(page, 'dragoman_expansions_total{layer="catalog"') == 2
    assert value(page, "dragoman_abstentions_total") == 1
    assert value(page, "dragoman_problems_total") == 1
    assert value(page, 'dragoman_index_age_seconds{tenant=""}') >= 0
    assert value(page, "dragoman_turns_total") == 2


def test_an_unknown_drug_is_counted_and_not_named(open_project):
    with support.Served(open_project) as one:
        found = one.client.post("/v1/resolve", json={"text": "how many mg of warfarinox can I take?"}).json()
        unknown = [m["text"] for m in found["mentions"] if m["status"] == "unknown"]
        page = one.client.get("/metrics").text
    assert value(page, "dragoman_unknown_drugs_total") == len(unknown)
    for name in unknown:
        assert name not in page
