"""The person's text stands in answers alone: not in logs, metrics, traces or files, whatever happens to a request."""

from __future__ import annotations

import io
import json
import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.serve import support

from dragoman.serve import logs, tracing
from dragoman.serve.tracing import Tracing, asked_for

BODIES = [
    {"text": support.TEXT},
    {"text": support.TEXT, "history": [{"role": "user", "text": support.TEXT}]},
    {"text": "x", "prior_frame": {"drugs": [support.SECRET], "turn_type": support.SECRET}},
    {"text": "x", "subject_scope": support.SECRET, "language": support.SECRET},
    {"text": "x", "without": [support.SECRET]},
    {"text": "x", support.SECRET: 1},
    {"text": support.SECRET * 500},
    {"query": support.SECRET},
    {support.SECRET: support.SECRET},
]


def everything(client):
    """Requests of all kinds, each with the secret somewhere."""
    for path in ("/v1/ask", "/v1/resolve", "/v1/enrich", "/v1/lookup", f"/v1/{support.SECRET}", "/mcp"):
        for body in BODIES:
            client.post(path, json=body)
            client.post(f"{path}?q={support.SECRET}", content=json.dumps(body).encode() + b"}")
            client.post(path, content=json.dumps(body).encode(), headers={"content-type": "text/plain"})
    for path in ("/", "/healthz", "/version", "/t/{}/version", "/{}", "/metrics", "/v1/ask"):
        client.get(path.format(support.SECRET), params={"q": support.SECRET}, headers={"user-agent": "x"})


def test_no_text_in_logs_metrics_traces_or_files(tmp_path, caplog, capfd):
    pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    path = support.project(tmp_path, "[gaps]\n")
    spans = InMemorySpanExporter()
    with support.Served(path) as one, caplog.at_level(logging.DEBUG):
        caplog.handler.setFormatter(logs.Lines())
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(spans))
        one.service.tracing = Tracing(provider)
        everything(one.client)
        metrics = one.client.get("/metrics").text
    traced = [json.loads(span.to_json()) for span in spans.get_finished_spans()]
    assert len(traced) > 100
    out, err = capfd.readouterr()
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))]
    told = [one.stream.getvalue(), metrics, json.dumps(traced, ensure_ascii=False), out, err, *ours]
    for text in told:
        assert support.SECRET not in text
        assert support.SECRET.lower() not in text
        assert "my name is" not in text
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert support.SECRET.encode() not in file.read_bytes(), file
    assert "Panadol" not in one.stream.getvalue()


def test_a_span_a_step_under_a_span_a_request(open_project):
    pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans = InMemorySpanExporter()
    with support.Served(open_project) as one:
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(spans))
        one.service.tracing = Tracing(provider)
        trace_id = "0af7651916cd43dd8448eb211c80319c"
        one.client.post(
            "/v1/enrich", json={"text": "Panadol"}, headers={"traceparent": f"00-{trace_id}-b7ad6b7169203331-01"}
        )
    found: dict[str, Any] = {span.name: span for span in spans.get_finished_spans()}
    request = found["POST /v1/enrich"]
    assert format(request.context.trace_id, "032x") == trace_id
    assert request.attributes["http.response.status_code"] == 200
    for step in ("tokens", "candidates", "catalog"):
        assert found[step].parent.span_id == request.context.span_id
        assert found[step].start_time <= found[step].end_time


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "TRUE"}, False),
        ({"OTEL_SERVICE_NAME": "x"}, False),
    ],
)
def test_traces_are_off_unless_the_standard_variables_ask(environment, expected):
    assert asked_for(environment) is expected
    if not expected:
        assert tracing.connect(environment) is None


def test_traces_without_the_extra_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(Exception, match=r"dragoman\[otel\]"):
        tracing.connect({"OTEL_TRACES_EXPORTER": "otlp"})


def test_an_exception_is_logged_without_what_it_says():
    stream = io.StringIO()
    try:
        try:
            raise KeyError(support.SECRET)
        except KeyError as inner:
            raise ValueError(support.SECRET) from inner
    except ValueError as error:
        logs.Log(stream).error("failed", **logs.places(error))
        record = logging.LogRecord("x", logging.ERROR, __file__, 1, "broken", (), sys.exc_info())
        assert support.SECRET not in logs.Lines().format(record)
    line = json.loads(stream.getvalue())
    assert line["exception"] == "builtins.ValueError"
    assert line["cause"] == "builtins.KeyError"
    assert line["at"][-1].startswith(str(Path(__file__)))
    assert support.SECRET not in stream.getvalue()
