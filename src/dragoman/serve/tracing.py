"""OpenTelemetry traces, where its standard variables ask for them: a span a request, and one a step.

Off unless ``OTEL_TRACES_EXPORTER`` or an ``OTEL_EXPORTER_OTLP_..ENDPOINT`` is set. A span holds route, status, tenant,
and of each step its outcome and count: no query string, no path as sent, no text.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dragoman._version import __version__
from dragoman.errors import ConfigError
from dragoman.types import TraceRow

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_ASKS = ("OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


class Tracing:
    """Makes spans; ``provider`` says where they go."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._provider = provider
        self._tracer = provider.get_tracer("dragoman", __version__)
        self._from = TraceContextTextMapPropagator().extract
        self._inside = set_span_in_context
        self._server, self._failed = SpanKind.SERVER, Status(StatusCode.ERROR)

    def request(
        self,
        *,
        method: str,
        route: str,
        status: int,
        tenant: str,
        request_id: str,
        traceparent: str,
        began_ns: int,
        rows: Iterable[TraceRow],
    ) -> None:
        """Tell of a request that has been answered; ``began_ns`` is in nanoseconds since 1970."""
        attributes: dict[str, Any] = {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
            "dragoman.request_id": request_id,
        }
        if tenant:
            attributes["dragoman.tenant"] = tenant
        parent = self._from({"traceparent": traceparent}) if traceparent else None
        span = self._tracer.start_span(
            f"{method} {route}", parent, kind=self._server, attributes=attributes, start_time=began_ns
        )
        inside = self._inside(span, parent)
        at = began_ns
        for row in rows:
            step = self._tracer.start_span(
                row.step,
                inside,
                attributes={"dragoman.outcome": row.outcome, "dragoman.count": row.count},
                start_time=at,
            )
            at += row.us * 1000
            step.end(at)
        if status >= 500:
            span.set_status(self._failed)
        span.end(time.time_ns())

    def close(self) -> None:
        """Send what waits."""
        self._provider.shutdown()


def asked_for(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the standard variables ask for traces."""
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if environment.get("OTEL_TRACES_EXPORTER", "").lower() == "none":
        return False
    return any(environment.get(name) for name in _ASKS)


def connect(environment: Mapping[str, str] = os.environ) -> Tracing | None:
    """What the standard variables ask for; ``None`` for nothing. Raises ``ConfigError`` without the extra ``otel``."""
    if not asked_for(environment):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter
    except ImportError:
        raise ConfigError(
            "traces are asked for and OpenTelemetry is not installed",
            where="OTEL_TRACES_EXPORTER",
            advice="pip install 'dragoman[otel]', or set OTEL_TRACES_EXPORTER=none",
        ) from None
    name = environment.get("OTEL_TRACES_EXPORTER", "otlp").lower()
    if name not in ("otlp", "console"):
        raise ConfigError(f"is {name!r}", where="OTEL_TRACES_EXPORTER", advice="use otlp, console or none")
    service = environment.get("OTEL_SERVICE_NAME", "dragoman")
    provider = TracerProvider(resource=Resource.create({"service.name": service, "service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter() if name == "otlp" else ConsoleSpanExporter()))
    return Tracing(provider)
