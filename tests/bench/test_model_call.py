from __future__ import annotations

import pytest

from dragoman.bench import model_call


def test_a_call_costs_a_few_milliseconds():
    pytest.importorskip("openai", reason="the extra llm is not installed")
    found = model_call.overhead(calls=20)
    assert found is not None
    assert 0.0 < found["p50"] < 60.0  # the figure is the bench's; this only tells milliseconds from seconds


def test_without_the_extra(monkeypatch):
    monkeypatch.setattr(model_call, "find_spec", lambda name: None)
    assert model_call.overhead() is None
