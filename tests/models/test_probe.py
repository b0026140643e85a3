from __future__ import annotations

import json

import pytest
from tests.models.test_caller import LLM, project
from tests.models.test_guard import Scripted

from dragoman.errors import ConfigError
from dragoman.models.caller import Caller
from dragoman.models.guard import malformed, unavailable
from dragoman.models.probe import ALLOWED, ASKED, probe

__all__ = ["project"]


def ask(project, *script, more=""):
    loaded = project(LLM.format("http://llm.example/v1") + more)
    return probe(loaded, Caller(loaded, connect=lambda _: Scripted(*script)))


@pytest.mark.parametrize(
    ("reply", "enforced"),
    [
        (json.dumps({"word": ALLOWED}), True),
        (json.dumps({"word": ASKED}), False),
        (f"Sure: {ALLOWED}", False),
        (json.dumps({"word": ALLOWED, "more": 1}), False),
    ],
)
def test_whether_the_schema_is_enforced(project, reply, enforced):
    found = ask(project, reply)
    assert (found.enforced, found.error, found.host) == (enforced, None, "test")


@pytest.mark.parametrize("attempt", [unavailable("x"), malformed("x")])
def test_a_provider_that_fails(project, attempt):
    found = ask(project, attempt)
    assert (found.enforced, found.error) == (None, attempt.error.code)


def test_it_says_what_leaves_the_machine(project):
    found = ask(project, "x")
    assert "the person's message" in found.sent
    assert found.redacted is False
    assert ask(project, "x", more="redact = true\n").redacted is True


def test_nobody_to_ask(project):
    with pytest.raises(ConfigError):
        probe(project())


def test_over_http(project, fake):
    pytest.importorskip("openai", reason="the extra llm is not installed")
    fake.reply({"word": ALLOWED})
    found = probe(project(LLM.format(fake.base_url)))
    assert found.enforced is True
    assert fake.requests[0].schema["properties"]["word"]["enum"] == [ALLOWED]
    assert ASKED in fake.requests[0].text
