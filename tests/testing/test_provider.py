"""The fake provider itself: it is public, so what it promises is tested too."""

from __future__ import annotations

import http.client
import json
import runpy
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dragoman import testing
from dragoman.reply import Fault as Unread
from dragoman.steps.parse import parse, parse_fault
from dragoman.testing import FAULTS, FakeProvider, Step
from dragoman.testing.dialects import DIALECTS

PATHS = {
    "openai": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
    "bedrock": "/model/m/converse",
}


def post(fake, path="/v1/chat/completions", body=None, timeout=5):
    connection = http.client.HTTPConnection(urlsplit(fake.root_url).netloc, timeout=timeout)
    try:
        connection.request("POST", path, json.dumps(body or {}), {"content-type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_replies_in_order_then_otherwise():
    with FakeProvider(Step(text="one"), otherwise=Step(text="rest")) as fake:
        fake.reply({"n": 2})
        said = [json.loads(post(fake)[1])["choices"][0]["message"]["content"] for _ in range(3)]
    assert said == ["one", '{"n": 2}', "rest"]
    assert len(fake.requests) == 3


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
def test_every_dialect_has_its_envelope(dialect):
    with FakeProvider(Step(text="hello")) as fake:
        status, body = post(fake, PATHS[dialect.name])
        assert status == 200
        assert fake.requests[0].dialect == dialect.name
        assert b"hello" in body


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
def test_a_request_shows_its_schema(dialect):
    schema = {"type": "object", "properties": {"x": {"enum": ["a", "b"]}}}
    bodies = {
        "openai": {"response_format": {"json_schema": {"schema": schema}}},
        "anthropic": {"output_config": {"format": {"schema": schema}}},
        "gemini": {"generationConfig": {"responseJsonSchema": schema}},
        "bedrock": {"outputConfig": {"textFormat": {"structure": {"jsonSchema": {"schema": json.dumps(schema)}}}}},
    }
    with FakeProvider() as fake:
        post(fake, PATHS[dialect.name], bodies[dialect.name])
        post(fake, PATHS[dialect.name], {})
    assert fake.requests[0].schema == schema
    assert list(fake.requests[0].enums()) == [["a", "b"]]
    assert fake.requests[1].schema is None


def test_statuses_and_headers():
    with FakeProvider() as fake:
        fake.fault("rate_limited_once", {"x": 1})
        assert [post(fake)[0] for _ in range(2)] == [429, 200]


def test_a_reset_is_one():
    with FakeProvider() as fake:
        fake.fault("reset")
        with pytest.raises(ConnectionError):
            post(fake)


def test_silence_ends_with_the_provider():
    fake = FakeProvider()
    with fake:
        fake.fault("timeout")
        with pytest.raises(TimeoutError):
            post(fake, timeout=0.1)
        begun = time.perf_counter()
    assert time.perf_counter() - begun < 2.0


def test_a_drip_is_slow():
    with FakeProvider(Step(body=b"abc", drip_s=0.1)) as fake:
        begun = time.perf_counter()
        assert post(fake)[1] == b"abc"
        assert time.perf_counter() - begun >= 0.2


def test_size_counts_what_went_out():
    with FakeProvider(Step(size=1_000_000)) as fake:
        body = post(fake)[1]
        assert len(body) >= 1_000_000
        assert fake.requests[0].sent == len(body)


def test_many_clients_at_once():
    with FakeProvider(otherwise=Step(text="x")) as fake:
        threads = [threading.Thread(target=post, args=(fake,)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(fake.requests) == 20


def test_the_faults_the_project_is_measured_by():
    asked = {
        "malformed", "prose", "truncated", "empty", "extra_field", "refusal", "content_filter", "html",
        "rate_limited_once", "rate_limited", "server_error", "timeout", "slow_drip", "unknown_id", "huge", "reset",
    }  # fmt: skip
    assert asked <= set(FAULTS)
    for name, fault in FAULTS.items():
        assert fault.name == name
        assert fault.steps({"x": 1})


def test_faults_by_name_mean_the_same_in_golden_questions():
    for name, fault in FAULTS.items():
        if fault.system_error is not None:
            assert parse_fault(name).code == fault.system_error


@pytest.mark.parametrize("name", FAULTS)
def test_what_can_be_read_of_a_fault(name):
    """The text of every reply that is nothing but text, through the parser of replies."""
    step = FAULTS[name].steps({"turn_type": "smalltalk", "weight_kg": None})[-1]
    if step.text and step.stop == "stop":
        read = parse(step.text)
        assert (read.code if isinstance(read, Unread) else None) in (FAULTS[name].system_error, None)
        assert isinstance(read, Unread) == (name in {"malformed", "prose"})


def test_public_names():
    assert sorted(testing.__all__) == testing.__all__
    for name in testing.__all__:
        assert getattr(testing, name).__doc__


def test_the_page_of_faults_is_the_table():
    script = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "make_faults.py"))
    assert script["PAGE"].read_text("utf-8") == script["page"](), "run: python docs/make_faults.py"
