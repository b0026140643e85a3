"""The provider for a model file, against a stand-in with llama-cpp-python's own call shapes."""

from __future__ import annotations

import asyncio
import sys
import time
import types
from pathlib import Path

import pytest
from tests.models.given import make_request

from dragoman.errors import ConfigError, ModelMalformed, ModelUnavailable
from dragoman.models.guard import Guarded
from dragoman.models.local import CONTEXT_MARGIN, Local


class FakeLlama:
    last: FakeLlama
    path: Path
    pieces = ('{"turn_type"', ': "smalltalk"}')
    finish = "stop"
    pause_s = 0.0
    fails = None

    def __init__(self, **options):
        self.options = options
        self.calls = []
        FakeLlama.last = self

    def create_chat_completion(self, **call):
        self.calls.append(call)
        if self.fails:
            raise self.fails
        yield {"choices": [{"delta": {"role": "assistant"}, "finish_reason": None}]}
        for piece in self.pieces:
            time.sleep(self.pause_s)
            yield {"choices": [{"delta": {"content": piece}, "finish_reason": None}]}
        yield {"choices": [{"delta": {}, "finish_reason": self.finish}]}

    def close(self):
        self.closed = True


@pytest.fixture
def llama(monkeypatch, tmp_path):
    module = types.ModuleType("llama_cpp")
    kind = type("Llama", (FakeLlama,), {})
    monkeypatch.setattr(module, "Llama", kind, raising=False)
    monkeypatch.setitem(sys.modules, "llama_cpp", module)
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setattr(kind, "path", path, raising=False)
    return kind


def ask(llama, deadline=5.0, limit=1000):
    async def once():
        guarded = Guarded(Local(llama.path, context=7000, reply_limit=limit))
        try:
            return await guarded.call(make_request(), deadline)
        finally:
            await guarded.aclose()

    return asyncio.run(once())


def test_the_schema_becomes_a_grammar(llama):
    answered = ask(llama)
    assert answered.text == '{"turn_type": "smalltalk"}'
    assert answered.usage.cost_usd == 0.0
    made = FakeLlama.last
    assert made.options == {"model_path": str(llama.path), "n_ctx": 7000 + CONTEXT_MARGIN, "verbose": False}
    (call,) = made.calls
    assert call["response_format"] == {"type": "json_object", "schema": make_request().schema}
    assert [m["role"] for m in call["messages"]] == ["system", "user"]
    assert call["temperature"] == 0.0
    assert made.closed


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"finish": "length"}, ModelMalformed),
        ({"pieces": []}, ModelMalformed),
        ({"pieces": ["x" * 400] * 4}, ModelMalformed),
        ({"fails": ValueError("Requested tokens (9000) exceed context window of 7256")}, ModelUnavailable),
    ],
)
def test_faults(llama, change, error):
    for name, value in change.items():
        setattr(llama, name, value)
    with pytest.raises(error) as caught:
        ask(llama)
    assert "9000" not in str(caught.value)


def test_the_deadline_ends_the_thread_too(llama):
    llama.pieces = ["x"] * 100
    llama.pause_s = 0.05
    begun = time.perf_counter()
    with pytest.raises(ModelUnavailable):
        ask(llama, deadline=0.2)
    # asyncio.run waits for the threads of its executor: had this one gone on, it would have taken five seconds.
    assert time.perf_counter() - begun < 2.0


def test_without_the_package(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(ConfigError, match="pip install llama-cpp-python"):
        Local(tmp_path / "m.gguf", context=10, reply_limit=10)


def test_without_the_file(llama, tmp_path):
    with pytest.raises(ConfigError, match="GGUF"):
        Local(tmp_path / "other.gguf", context=10, reply_limit=10)
