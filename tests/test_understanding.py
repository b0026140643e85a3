"""The model turn put together: from a reading to a request on the wire, and to what is heard."""

from __future__ import annotations

import asyncio
import json

import pytest

from dragoman.errors import ConfigError, LimitExceeded
from dragoman.project import load
from dragoman.reading import Reading
from dragoman.steps.parse import parse_fault
from dragoman.testing import FAULTS, FakeProvider
from dragoman.text.tokens import tokenize
from dragoman.types import Candidate, Message, Scope, Span, Turn
from dragoman.understanding import Understanding

SAID = "Tôi tên là Nguyễn Thị Ánh, zorvamin liều bao nhiêu? zzbímậtzz"
GOOD = {"turn_type": "drug_attribute", "drugs": [{"drug_id": "zorvamine", "text": "zorvamin"}]}


def candidate(id_, name, text, message=-1):
    return Candidate(
        message=message,
        span=Span(0, len(text)),
        text=text,
        kind="drug",
        source="catalog",
        id=id_,
        name=name,
        match="exact",
    )


@pytest.fixture
def make(tmp_path):
    made = []

    def understanding(llm="", profile="formulary"):
        path = tmp_path / "dragoman.toml"
        path.write_text(f'[project]\nprofile = "{profile}"\nlanguages = ["vi", "en"]\n{llm}', "utf-8")
        made.append(Understanding(load(path)))
        return made[-1]

    yield understanding
    for one in made:
        one.close()


@pytest.fixture
def fake():
    pytest.importorskip("openai", reason="the extra llm is not installed")
    with FakeProvider() as provider:
        yield provider


def llm(fake, more=""):
    return f'[llm]\nprovider = "openai"\nmodel = "m"\nbase_url = "{fake.base_url}"\ntimeout_s = 15.0\n{more}'


def reading(understanding, text=SAID, candidates=(), **more):
    turn = Turn(text, **more)
    project_languages = tuple(load_languages())
    return Reading(
        turn=turn,
        language="vi",
        languages=project_languages,
        scope=Scope(),
        messages=tuple((message, tokenize(said)) for message, said in turn.user_messages()),
        candidates=tuple(candidates),
    )


def load_languages():
    from dragoman import folder

    return (folder.language("vi"), folder.language("en"))


BOTH = (candidate("zorvamine", "Zorvamine", "zorvamin"), candidate("quellidone", "Quellidone", "quelli", message=0))


def test_what_goes_over_the_wire(make, fake):
    fake.reply(GOOD)
    understanding = make(llm(fake))
    history = (Message(role="user", text="quelli nhé"),)
    request = understanding.request(reading(understanding, candidates=BOTH, history=history))
    heard = understanding.ask(request)
    assert json.loads(heard.reply) == GOOD
    (seen,) = fake.requests
    assert ["quellidone", "zorvamine"] in list(seen.enums())
    assert seen.schema["properties"]["turn_type"]["enum"][0] == "drug_attribute"
    assert "Zorvamine" in seen.text
    assert "Vietnamese" in seen.text
    assert SAID in seen.text
    assert understanding.caller.host in fake.base_url


def test_sync_and_async_are_one(make, fake):
    understanding = make(llm(fake))
    request = understanding.request(reading(understanding))
    for name in ("reset_once", "refusal", "malformed", "server_error"):
        fake.fault(name, GOOD)
        fake.fault(name, GOOD)
        first, second = understanding.ask(request), asyncio.run(understanding.aask(request))
        assert first.reply == second.reply
        assert first.fault == second.fault
        # What is no JSON is heard, and for the parser to refuse.
        assert (parse_fault(first.fault).code if first.fault else None) in (FAULTS[name].system_error, None)


def test_the_trace_tells_of_the_call_and_not_of_the_turn(make, fake):
    fake.reply(GOOD)
    fake.fault("server_error")
    understanding = make(llm(fake))
    request = understanding.request(reading(understanding))
    answered, failed = understanding.ask(request), understanding.ask(request)
    asked, call = answered.trace
    assert (asked.step, asked.outcome) == ("prompt", "hit")
    assert asked.note.startswith("formulary ")
    assert asked.count == request.tokens
    assert (call.step, call.outcome, call.count) == ("model", "hit", 50)
    assert "tokens 100 in, 50 out" in call.note
    assert call.us > 0
    assert [row.outcome for row in failed.trace] == ["hit", "error"]
    assert failed.trace[1].note == "understanding_provider_unavailable"
    for row in (*answered.trace, *failed.trace):
        assert "zz" not in (row.note or "")


def test_history_left_out_is_told(make, fake):
    understanding = make(llm(fake, "max_input_tokens = 5000\n"))
    history = tuple(Message(role="user", text="chữ " * 300) for _ in range(10))
    request = understanding.request(reading(understanding, history=history))
    assert request.cut > 0
    assert f"{request.cut} messages" in understanding.ask(request).trace[0].note


def test_a_turn_beyond_the_budget_is_refused(make, fake):
    understanding = make(llm(fake))
    with pytest.raises(LimitExceeded):
        understanding.request(reading(understanding, text="chữ " * 20_000))


@pytest.mark.parametrize(("redact", "there"), [("true", False), ("false", True)])
def test_identifiers_are_masked_where_the_project_says_so(make, fake, redact, there):
    understanding = make(llm(fake, f"redact = {redact}\n"))
    prior = {"age_text": "sinh ngày 03/05/1950"}
    understanding.ask(understanding.request(reading(understanding, prior_frame=prior)))
    text = fake.requests[0].text
    assert ("Nguyễn Thị Ánh" in text) is there
    assert ("03/05/1950" in text) is there
    assert "zorvamin" in text


def test_nothing_found_leaves_no_place_for_a_drug(make):
    understanding = make()
    assert "drugs" not in understanding.request(reading(understanding)).schema["properties"]


@pytest.mark.parametrize("profile", ["formulary", "hospital"])
def test_both_profiles_make_requests(make, profile):
    understanding = make(profile=profile)
    request = understanding.request(reading(understanding, candidates=BOTH[:1]))
    assert request.prompt.startswith(f"{profile} ")
    assert "canonical_terms" in request.schema["properties"]
    assert ("attribute" in request.schema["properties"]) is (profile == "formulary")
    assert request.tokens < 6000


def test_nobody_to_ask(make):
    understanding = make()
    with pytest.raises(ConfigError):
        understanding.ask(understanding.request(reading(understanding)))


def test_the_same_turn_makes_the_same_request(make):
    understanding = make()
    assert understanding.request(reading(understanding, candidates=BOTH)) == understanding.request(
        reading(understanding, candidates=BOTH)
    )
