from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.batch.wire import FORMATS, Said, anthropic_line, openai_line, read_answer
from dragoman.protocols import ChatMessage, Request
from dragoman.testing import FAULTS
from dragoman.testing.dialects import DIALECTS

SCHEMA = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"], "additionalProperties": False}
REQUEST = Request(
    messages=(ChatMessage("system", "Read."), ChatMessage("user", "Chào bạn")),
    schema=SCHEMA,
    prompt="p",
    max_output_tokens=300,
)
WRAP = {dialect.name: dialect.wrap for dialect in DIALECTS}


def test_the_openai_shape():
    line = openai_line("a-1", REQUEST, "m")
    assert (line["custom_id"], line["method"], line["url"]) == ("a-1", "POST", "/v1/chat/completions")
    assert line["body"]["messages"] == [
        {"role": "system", "content": "Read."},
        {"role": "user", "content": "Chào bạn"},
    ]
    assert line["body"]["response_format"]["json_schema"]["schema"] == SCHEMA
    assert line["body"]["response_format"]["json_schema"]["strict"] is True


def test_the_anthropic_shape():
    line = anthropic_line("a-1", REQUEST, "m")
    assert set(line) == {"custom_id", "params"}
    assert line["params"]["system"] == "Read."
    assert line["params"]["messages"] == [{"role": "user", "content": "Chào bạn"}]
    assert line["params"]["output_config"]["format"] == {"type": "json_schema", "schema": SCHEMA}


def test_a_batch_line_is_what_a_live_call_sends(monkeypatch):
    """The same schema and messages, whichever way a turn goes."""
    pytest.importorskip("openai", reason="the extra llm is not installed")
    import asyncio

    from dragoman.models import remote
    from dragoman.project_tables import LlmTable
    from dragoman.testing import FakeProvider, Step

    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")

    async def live(provider, url, model):
        made = remote.connect(LlmTable(provider=provider, model=model, base_url=url), 1000)
        await made.send(REQUEST, 5.0)
        await made.aclose()

    with FakeProvider(otherwise=Step(text="{}")) as fake:
        asyncio.run(live("openai", fake.base_url, "m"))
        body = openai_line("a", REQUEST, "m")["body"]
        for name in ("model", "messages", "response_format"):
            assert fake.requests[0].body[name] == body[name]
        pytest.importorskip("anthropic", reason="the extra llm-anthropic is not installed")
        asyncio.run(live("anthropic", fake.root_url, "claude-haiku-5-5"))
        params = anthropic_line("a", REQUEST, "claude-haiku-5-5")["params"]
        for name in ("model", "system", "max_tokens", "output_config"):
            assert fake.requests[1].body[name] == params[name]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"response": {"status_code": 200, "body": WRAP["openai"]("hello", "stop", "m")}}, Said(text="hello")),
        ({"response": {"status_code": 200, "body": WRAP["openai"]("half", "length", "m")}}, Said(fault="truncated")),
        ({"response": {"status_code": 200, "body": WRAP["openai"]("no", "refusal", "m")}}, Said(fault="refusal")),
        (
            {"response": {"status_code": 200, "body": WRAP["openai"]("", "content_filter", "m")}},
            Said(fault="content_filter"),
        ),
        ({"response": {"status_code": 200, "body": WRAP["openai"](" ", "stop", "m")}}, Said(fault="empty")),
        ({"response": {"status_code": 429, "body": {}}}, Said(fault="rate_limited")),
        ({"response": {"status_code": 500, "body": None}}, Said(fault="server_error")),
        (
            {"response": {"status_code": 400, "body": {"error": {"code": "content_filter"}}}},
            Said(fault="content_filter"),
        ),
        ({"response": None, "error": {"code": "batch_expired"}}, Said(fault="server_error")),
        ({"response": {"body": {"choices": []}}}, Said(fault="malformed")),
        ({"response": "text"}, Said(fault="malformed")),
        ({}, Said(fault="malformed")),
        (
            {"result": {"type": "succeeded", "message": WRAP["anthropic"]("hello", "stop", "m")}},
            Said(text="hello"),
        ),
        (
            {"result": {"type": "succeeded", "message": WRAP["anthropic"]("", "refusal", "m")}},
            Said(fault="refusal"),
        ),
        (
            {"result": {"type": "succeeded", "message": WRAP["anthropic"]("half", "length", "m")}},
            Said(fault="truncated"),
        ),
        ({"result": {"type": "errored", "error": {}}}, Said(fault="server_error")),
        ({"result": {"type": "expired"}}, Said(fault="server_error")),
        ({"result": 7}, Said(fault="malformed")),
        ({"reply": {"x": "ä"}}, Said(text='{"x": "ä"}')),
        ({"reply": "raw"}, Said(text="raw")),
        ({"reply": 7}, Said(fault="malformed")),
    ],
)
def test_answers(line, said):
    assert read_answer({"custom_id": "a", **line}) == said


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["response", "body", "choices", "message", "content", "result", "error", "type", "text"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@given(st.dictionaries(st.sampled_from(["response", "result", "error", "reply", "custom_id"]), json_values))
def test_any_answer(line):
    said = read_answer(line)
    assert (said.text is None) is (said.fault is not None)
    assert said.fault is None or said.fault in FAULTS


@pytest.mark.parametrize("name", FORMATS)
def test_lines_are_json(name):
    assert json.loads(json.dumps(FORMATS[name]("a", REQUEST, "m")))["custom_id"] == "a"
