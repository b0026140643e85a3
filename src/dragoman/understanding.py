"""The model turn, put together: the request of a reading, the call, and what is heard.

Stands between the pure halves of the pipeline. ``prompt``, ``facts`` and ``schema`` say what is asked; ``models`` asks;
what comes back is a raw reply or the name of a fault, and goes to ``steps.parse`` like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns
from typing import NamedTuple

from dragoman import profile
from dragoman.errors import ModelMalformed, ModelRefused, ModelUnavailable, ServiceError
from dragoman.models.caller import Caller
from dragoman.models.guard import Call
from dragoman.project import Project
from dragoman.protocols import Answered, Request
from dragoman.reading import Reading
from dragoman.steps import facts, prompt, schema
from dragoman.text.redact import masker
from dragoman.types import TraceRow


class Heard(NamedTuple):
    """What the provider said: the model's ``reply`` as text, or the name of its ``fault`` (see ``steps.parse``)."""

    reply: str | None = None
    fault: str | None = None
    trace: tuple[TraceRow, ...] = ()


_FAULTS: dict[type[ServiceError], str] = {
    ModelUnavailable: "unavailable",
    ModelMalformed: "malformed",
    ModelRefused: "refused",
}


class Understanding:
    """The model turn of one project. Safe to share between threads; connects with the first call.

    ``observe`` is told of every call (for metrics), on the model's own thread.
    """

    def __init__(self, project: Project, observe: Callable[[Call], None] | None = None) -> None:
        llm = project.file.llm
        self._prompt = prompt.read_prompt(project.profile)
        self._keys = profile.read(project.profile).closed()
        told = profile.glosses(project.profile, project.corpus_language)
        self._glosses = {field: {key: told[field].get(key, "") for key in keys} for field, keys in self._keys.items()}
        self._template = schema.template(self._prompt.fields, self._keys)
        self._budget = prompt.Budget(llm.max_input_tokens, llm.max_output_tokens) if llm else prompt.Budget(6000, 1200)
        self._mask = masker(project.packs) if llm and llm.redact else str
        # Neither connects nor imports a provider's library before it is asked.
        self.caller = Caller(project, observe=observe)

    def request(self, reading: Reading) -> Request:
        """What the model is to be told of this reading. Pure. Raises ``LimitExceeded`` for a turn beyond the budget."""
        seen = prompt.shown(reading.candidates)
        settled = facts.facts(reading.turn.prior_frame, frozenset(seen.drug_ids), self._keys, self._mask)
        wire = schema.splice(self._template, seen.drug_ids)
        return prompt.build(self._prompt, reading, seen, self._glosses, settled, wire, self._budget, self._mask)

    def ask(self, request: Request) -> Heard:
        """Ask and wait. Raises ``ConfigError`` where there is nobody to ask, and nothing on account of the provider."""
        begun = perf_counter_ns()
        try:
            return _heard(request, self.caller.ask(request), begun)
        except ServiceError as error:
            return _failed(request, error, begun)

    async def aask(self, request: Request) -> Heard:
        """As ``ask``, for an event loop."""
        begun = perf_counter_ns()
        try:
            return _heard(request, await self.caller.aask(request), begun)
        except ServiceError as error:
            return _failed(request, error, begun)

    def close(self) -> None:
        """Let go of connections; a later call makes them anew."""
        self.caller.close()


def _heard(request: Request, answered: Answered, begun: int) -> Heard:
    usage = answered.usage
    parts = [
        f"attempts {answered.attempts}",
        f"tokens {usage.input_tokens} in, {usage.output_tokens} out",
        f"cost {usage.cost_usd:.6f} USD" if usage.cost_usd is not None else "",
        f"request {answered.request_id}" if answered.request_id else "",
    ]
    row = TraceRow(
        step="model",
        outcome="hit",
        count=usage.output_tokens,
        us=_since(begun),
        note="; ".join(part for part in parts if part),
    )
    return Heard(reply=answered.text, trace=(_asked(request), row))


def _failed(request: Request, error: ServiceError, begun: int) -> Heard:
    row = TraceRow(step="model", outcome="error", us=_since(begun), note=error.code)
    return Heard(fault=_FAULTS.get(type(error), "unavailable"), trace=(_asked(request), row))


def _asked(request: Request) -> TraceRow:
    cut = f"; {request.cut} messages of the history left out" if request.cut else ""
    return TraceRow(step="prompt", outcome="hit", count=request.tokens, note=f"{request.prompt}{cut}")


def _since(begun: int) -> int:
    return (perf_counter_ns() - begun) // 1000
