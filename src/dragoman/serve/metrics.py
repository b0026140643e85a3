"""Prometheus metrics: how much, how long, how often; never of what. A label holds a word of this program alone.

With several worker processes the counts of all are summed: ``run`` sets ``PROMETHEUS_MULTIPROC_DIR`` before they start.
"""

from __future__ import annotations

import calendar
import itertools
import os
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector

from dragoman.engine import Dragoman
from dragoman.enrich.layers import LAYERS
from dragoman.serve.problems import KINDS
from dragoman.types import Answer, Candidate, Enrichment, Mention, SystemError_, TraceRow

if TYPE_CHECKING:
    from dragoman.models.guard import Call

CONTENT_TYPE = CONTENT_TYPE_LATEST.removesuffix("; charset=utf-8")  # Litestar adds it
MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
FAST = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
PROVIDER = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
_LAYERS = frozenset(layer.name for layer in LAYERS)


class Metrics:
    """The metrics of one service."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self._with: dict[tuple[int, tuple[str, ...]], Counter] = {}
        self._timed: dict[str, Histogram] = {}

        def counter(name: str, says: str, *labels: str) -> Counter:
            return Counter(f"dragoman_{name}", says, labels, registry=registry)

        def gauge(name: str, says: str, *labels: str) -> Gauge:
            return Gauge(f"dragoman_{name}", says, labels, registry=registry, multiprocess_mode="mostrecent")

        self.requests = counter("requests", "Requests answered", "route", "status", "tenant")
        self.seconds = Histogram(
            "dragoman_request_seconds", "Seconds to an answer", ("route",), registry=registry, buckets=FAST
        )
        self.in_flight = Gauge(
            "dragoman_requests_in_flight",
            "Requests being answered",
            ("lane",),
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.problems = counter("problems", "Requests refused or failed, by kind of problem", "kind")
        self.layers = counter("layer", "What each enrichment layer came to", "layer", "outcome")
        self.layer_terms = counter("layer_terms", "Terms that each enrichment layer offered", "layer")
        self.expansions = counter("expansions", "Terms appended", "layer", "via")
        self.concepts = counter("concept_outcomes", "What became of recognised concepts", "outcome")
        self.candidates = counter("candidates", "Candidates found", "kind", "match")
        self.unknown_drugs = counter("unknown_drugs", "Names taken for drugs that the catalogue lacks")
        self.turns = counter("turns", "Turns framed", "turn_type", "understood_by")
        self.clarify = counter("clarifications", "Turns answered by a question back", "reason")
        self.abstentions = counter("abstentions", "Turns not understood")
        self.system_errors = counter("system_errors", "Turns that the model failed", "code")
        self.subjects = counter("subjects", "Whom turns are about", "subject")
        self.calls = counter("provider_calls", "Calls to the model's provider", "outcome")
        self.call_seconds = Histogram(
            "dragoman_provider_seconds", "Seconds of a call to the provider", registry=registry, buckets=PROVIDER
        )
        self.tokens = counter("provider_tokens", "Tokens that the provider counted", "direction")
        self.cost = counter("provider_cost_usd", "Cost of the provider's calls, where it says")
        self.index_built = gauge("index_built_timestamp_seconds", "When the index in use was built", "tenant")
        self.index_age = gauge("index_age_seconds", "Seconds since the index in use was built", "tenant")
        self.database_up = gauge("database_up", "Whether a database answers: that of the index", "of")
        self.reloads = counter("reloads", "Newer indexes and project files looked at", "what", "outcome")
        self.switched_off = gauge("switched_off", "What an administrator has switched off", "what")
        self.kept = counter("kept_turns", "Turns written where [privacy] keep_text allows it", "outcome")

        # Of a counter that begins with its first event Prometheus sees no increase, and no alert would come.
        for of, *values in (
            (self.reloads, ("index", "project"), ("taken", "refused", "failed")),
            (self.kept, ("written", "dropped", "failed")),
            (self.layers, sorted(_LAYERS), ("error",)),
            (self.problems, sorted(KINDS)),
            (self.system_errors, get_args(SystemError_)),
        ):
            for labels in itertools.product(*values):
                self.of(of, *labels)

    def of(self, metric: Counter, *labels: str) -> Counter:
        """``metric`` with these labels: Prometheus' own way to it takes longer than counting does."""
        key = (id(metric), labels)
        found = self._with.get(key)
        if found is None:
            found = self._with[key] = metric.labels(*labels)
        return found

    def took(self, route: str, seconds: float) -> None:
        """Note how long an answer took."""
        found = self._timed.get(route)
        if found is None:
            found = self._timed[route] = self.seconds.labels(route)
        found.observe(seconds)

    def page(self) -> bytes:
        """What Prometheus reads."""
        if MULTIPROCESS in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
            return generate_latest(registry)
        return generate_latest(self.registry)

    def answered(self, answer: Answer) -> None:
        """Count what ``ask`` made of a turn."""
        frame = answer.frame
        self.of(self.turns, frame.turn_type, frame.understood_by).inc()
        self.of(self.subjects, answer.scope.subject).inc()
        if frame.system_error is not None:
            self.of(self.system_errors, frame.system_error).inc()
        elif frame.needs_clarify:
            self.of(self.clarify, frame.clarify_reason or "none").inc()
            if frame.clarify_reason == "not_understood":
                self.abstentions.inc()
        self.found(answer.candidates, answer.mentions)
        self.enriched(answer.enrichment, answer.trace)

    def found(self, candidates: Iterable[Candidate], mentions: Iterable[Mention]) -> None:
        """Count candidates by kind, and the names that the catalogue lacks: how many, never which."""
        for candidate in candidates:
            self.of(self.candidates, candidate.kind, candidate.match).inc()
        unknown = sum(1 for m in mentions if m.kind == "drug" and m.status == "unknown")
        if unknown:
            self.unknown_drugs.inc(unknown)

    def enriched(self, enrichment: Enrichment, trace: Iterable[TraceRow]) -> None:
        """Count what the layers did."""
        for row in trace:
            if row.step in _LAYERS:
                self.of(self.layers, row.step, row.outcome).inc()
                if row.count:
                    self.of(self.layer_terms, row.step).inc(row.count)
        for expansion in enrichment.expansions:
            self.of(self.expansions, expansion.layer, expansion.via).inc()
        for concept in enrichment.concept_outcomes:
            self.of(self.concepts, concept.outcome).inc()

    def called(self, call: Call) -> None:
        """Count a call to the provider; told on the model's own thread."""
        self.of(self.calls, call.outcome).inc()
        if call.attempts:
            self.call_seconds.observe(call.latency_s)
        self.of(self.tokens, "input").inc(call.input_tokens)
        self.of(self.tokens, "output").inc(call.output_tokens)
        if call.cost_usd:
            self.cost.inc(call.cost_usd)

    def ages(self, engines: Iterable[tuple[str, Dragoman]]) -> None:
        """Set the age of each index, as of now."""
        now = time.time()
        for tenant, engine in engines:
            built = built_at(engine)
            self.index_built.labels(tenant).set(built)
            self.index_age.labels(tenant).set(max(0.0, now - built))


def built_at(engine: Dragoman) -> float:
    """When the engine's index was built, in seconds since 1970."""
    return float(calendar.timegm(time.strptime(engine.vocabularies.manifest.built_at, "%Y-%m-%dT%H:%M:%SZ")))
