"""Every provider against every fault, over real HTTP; and what each is sent."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
import traceback

import pytest

pytest.importorskip("pydantic_ai", reason="the extra llm is not installed")

from tests.models.given import GOOD, SECRET, make_request

from dragoman.errors import ConfigError, ServiceError
from dragoman.models import http, remote
from dragoman.models.guard import Guarded
from dragoman.project_tables import LlmTable
from dragoman.testing import FAULTS, FakeProvider, Step

LIMIT = 200_000  # characters of a reply
DEADLINE_S = 1.0
PATIENT_S = 15.0  # for what does not wait for the deadline, on a machine that has much else to do

# Provider, model, the package it needs, the path its API ends in.
PROVIDERS = {
    "openai": ("gpt-4o-mini", "openai", "/chat/completions"),
    "anthropic": ("claude-haiku-5-5", "anthropic", "/v1/messages"),
    "gemini": ("gemini-2.5-flash", "google.genai", ":generateContent"),
    "bedrock": ("eu.anthropic.claude-haiku-4-5-20251001-v1:0", "boto3", "/converse"),
}
KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GOOGLE_API_KEY": "k", "AZURE_OPENAI_API_KEY": "k"}
AWS = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "k", "AWS_DEFAULT_REGION": "eu-west-1"}


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    for name, value in {**KEYS, **AWS}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)


def table(provider, url, **more):
    model, package, _ = PROVIDERS[provider]
    pytest.importorskip(package, reason=f"the extra for {provider} is not installed")
    return LlmTable(**{"provider": provider, "model": model, "base_url": url, "timeout_s": PATIENT_S, **more})


def url_of(provider, fake):
    return fake.base_url if provider == "openai" else fake.root_url


def ask(llm, deadline=PATIENT_S, request=None):
    """The answer's text, or the error; and the seconds it took."""

    async def once():
        guarded = Guarded(remote.connect(llm, LIMIT))
        begun = time.perf_counter()
        try:
            return (await guarded.call(request or make_request(), deadline)), time.perf_counter() - begun
        except ServiceError as error:
            return error, time.perf_counter() - begun
        finally:
            await guarded.aclose()

    return asyncio.run(once())


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_outcome(provider, name, fake, caplog):
    deadline = DEADLINE_S if name in ("timeout", "slow_drip") else PATIENT_S
    llm = table(provider, url_of(provider, fake), timeout_s=deadline)
    fault = FAULTS[name]
    steps = fault.steps(GOOD)
    fake.script(*steps)
    with caplog.at_level(logging.DEBUG):
        got, seconds = ask(llm, deadline)
    if isinstance(got, ServiceError):
        assert got.code == fault.system_error
        assert SECRET not in "".join(traceback.format_exception(got))
    else:
        # Whether it is JSON at all is for steps.parse to say.
        assert fault.system_error is None or name in ("malformed", "prose")
        assert got.text
    assert seconds < deadline * 1.5  # see below for the deadline itself; here the machine may be busy
    assert len(fake.requests) == len(steps)
    assert SECRET not in caplog.text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_deadline_is_kept_against_a_byte_a_second(provider, fake):
    fake.fault("slow_drip", GOOD)
    got, seconds = ask(table(provider, url_of(provider, fake), timeout_s=2.5), deadline=2.5)
    assert got.code == "understanding_provider_unavailable"
    assert 2.5 <= seconds < 2.5 * 1.1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_forty_megabytes_are_not_read(provider, fake):
    fake.fault("huge")
    got, _ = ask(table(provider, url_of(provider, fake)))
    assert got.code == "understanding_malformed_output"
    # What was under way in the sockets of both sides when the client hung up, and no more.
    assert fake.requests[0].sent < 15_000_000


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_declared_size_is_enough_to_refuse(provider, fake):
    fake.script(Step(body=b"{}" + b" " * (http.cap_of(LIMIT) + 1)))
    got, _ = ask(table(provider, url_of(provider, fake)))
    assert got.code == "understanding_malformed_output"


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_compressed_bodies_are_neither_asked_for_nor_taken(provider, fake):
    fake.script(Step(body=b"\x1f\x8b", headers={"content-encoding": "gzip"}))
    got, _ = ask(table(provider, url_of(provider, fake)))
    assert got.code == "understanding_malformed_output"
    assert fake.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_enum_reaches_the_wire(provider, fake):
    fake.reply(GOOD)
    answered, _ = ask(table(provider, url_of(provider, fake)))
    assert json.loads(answered.text) == GOOD
    seen = fake.requests[0]
    assert seen.path.split("?")[0].endswith(PROVIDERS[provider][2])
    assert ["zorvamine", "quellidone"] in list(seen.enums())
    assert seen.schema["additionalProperties"] is False
    assert seen.schema["properties"]["drugs"]["items"]["required"] == ["drug_id", "text"]
    assert SECRET in seen.text
    assert answered.usage.input_tokens == 100
    assert answered.usage.output_tokens == 50


def intercept(monkeypatch):
    """Answer at the HTTP layer instead of the network; returns the requests that would have gone out."""
    import httpx2

    from dragoman.testing import dialects

    sent = []

    def answer(request):
        sent.append(request)
        return httpx2.Response(200, json=dialects.DIALECTS[0].wrap(json.dumps(GOOD), "stop", "m"))

    monkeypatch.setattr(http, "client", lambda *_: httpx2.AsyncClient(transport=httpx2.MockTransport(answer)))
    return sent


# Where OpenAI's API is spoken: base URL, the URL that is called, and the header that holds the key.
OPENAI_LIKE = {
    "openai": (None, "https://api.openai.com/v1/chat/completions", "authorization"),
    "azure": (
        "https://res.openai.azure.com?api-version=2024-10-21",
        "https://res.openai.azure.com/openai/deployments/gpt-4o-mini/chat/completions?api-version=2024-10-21",
        "api-key",
    ),
    "azure v1": (
        "https://res.openai.azure.com/openai/v1",
        "https://res.openai.azure.com/openai/v1/chat/completions",
        "authorization",
    ),
    "ollama": ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions", "authorization"),
    "vllm": ("https://vllm.example:8000/v1", "https://vllm.example:8000/v1/chat/completions", "authorization"),
}


@pytest.mark.parametrize("name", OPENAI_LIKE)
def test_the_enum_reaches_every_openai_like_server(name, monkeypatch):
    base_url, called, header = OPENAI_LIKE[name]
    sent = intercept(monkeypatch)
    answered, _ = ask(table("openai", base_url))
    assert json.loads(answered.text) == GOOD
    (request,) = sent
    assert str(request.url) == called
    assert header in request.headers
    body = json.loads(request.content)
    form = body["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["properties"]["drugs"]["items"]["properties"]["drug_id"]["enum"] == [
        "zorvamine",
        "quellidone",
    ]
    assert "tools" not in body
    # Servers of one's own know the older name of the field; some reject the newer.
    assert ("max_tokens" in body) is (name in ("ollama", "vllm"))
    assert ("max_completion_tokens" in body) is (name not in ("ollama", "vllm"))


def test_a_content_filter_that_answers_400(fake):
    body = {"error": {"message": f"filtered {SECRET}", "code": "content_filter", "type": None, "param": "prompt"}}
    fake.script(Step(status=400, body=json.dumps(body).encode()))
    got, _ = ask(table("openai", fake.base_url))
    assert got.code == "understanding_refused"
    assert SECRET not in str(got)


def test_a_rejected_request_does_not_open_the_breaker(fake):
    body = {"error": {"message": "too long", "code": "context_length_exceeded", "type": "invalid_request_error"}}
    fake.otherwise = Step(status=400, body=json.dumps(body).encode())

    async def often():
        guarded = Guarded(remote.connect(table("openai", fake.base_url), LIMIT))
        for _ in range(8):
            with pytest.raises(ServiceError) as caught:
                await guarded.call(make_request(), PATIENT_S)
            assert caught.value.code == "understanding_provider_unavailable"
        await guarded.aclose()

    asyncio.run(often())
    assert len(fake.requests) == 8


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        b'{"choices": []}',
        b'{"choices": null}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b"\xff\xfe\x00",
        b'{"error": {"message": "inside 200"}}',
    ],
)
def test_any_body_is_survived(body, fake):
    fake.script(Step(body=body))
    got, _ = ask(table("openai", fake.base_url))
    assert isinstance(got, ServiceError)
    assert got.code == "understanding_malformed_output"


def test_nobody_there():
    with FakeProvider() as gone:
        url = gone.base_url
    got, seconds = ask(table("openai", url))
    assert got.code == "understanding_provider_unavailable"
    assert seconds < PATIENT_S


def test_the_thread_of_a_slow_bedrock_ends(fake):
    before = {t for t in threading.enumerate() if "AnyIO" in t.name}
    fake.fault("slow_drip", GOOD)
    ask(table("bedrock", fake.root_url), DEADLINE_S)
    late = time.monotonic() + 5.0
    while time.monotonic() < late and any(
        t.is_alive() for t in threading.enumerate() if "AnyIO" in t.name and t not in before
    ):
        time.sleep(0.05)
    assert not any(t.is_alive() for t in threading.enumerate() if "AnyIO" in t.name and t not in before)


# --- configuration -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("provider", "key"), [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")])
def test_a_missing_key_names_its_variable(provider, key, monkeypatch):
    monkeypatch.delenv(key)
    with pytest.raises(ConfigError, match=key):
        remote.connect(table(provider, None), LIMIT)


def test_the_key_is_taken_from_the_named_variable(fake, monkeypatch):
    monkeypatch.setenv("HOSPITAL_KEY", "of-the-hospital")
    fake.reply(GOOD)
    ask(table("openai", fake.base_url, api_key_env="HOSPITAL_KEY"))
    assert fake.requests[0].headers["authorization"] == "Bearer of-the-hospital"
    monkeypatch.delenv("HOSPITAL_KEY")
    for provider, url in (("anthropic", None), ("openai", fake.base_url)):
        with pytest.raises(ConfigError, match="HOSPITAL_KEY"):
            remote.connect(table(provider, url, api_key_env="HOSPITAL_KEY"), LIMIT)


def test_a_model_that_cannot_be_held_to_a_schema():
    pytest.importorskip("boto3")
    with pytest.raises(ConfigError, match="JSON schema"):
        remote.connect(LlmTable(provider="bedrock", model="amazon.nova-pro-v1:0"), LIMIT)


def test_a_missing_package_names_the_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pydantic_ai.models.google", None)
    with pytest.raises(ConfigError, match=r"dragoman\[llm-gemini\]"):
        remote.connect(table("gemini", None), LIMIT)


def test_no_region(monkeypatch):
    pytest.importorskip("boto3")
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    with pytest.raises(ConfigError, match="AWS_DEFAULT_REGION"):
        remote.connect(table("bedrock", None), LIMIT)


def test_host_is_told_without_credentials():
    made = remote.connect(table("openai", "https://user:pass@llm.example:8443/v1"), LIMIT)
    assert made.host == "llm.example:8443"


def test_a_log_level_that_someone_set_stays(monkeypatch):
    monkeypatch.setattr(logging.getLogger("openai"), "level", logging.DEBUG)
    monkeypatch.setattr(logging.getLogger("httpx2"), "level", logging.NOTSET)
    remote.connect(table("openai", "http://localhost:1/v1"), LIMIT)
    assert logging.getLogger("openai").level == logging.DEBUG
    assert logging.getLogger("httpx2").level == logging.INFO


def test_no_thoughts_and_no_dice(fake):
    """A reply of bounded length must not be spent on reasoning, nor differ where that can be helped."""
    for model, temperature in (("gpt-4o-mini", 0.0), ("gpt-5", None)):
        llm = LlmTable(provider="openai", model=model, base_url=fake.base_url)
        ask(llm)
        assert fake.requests[-1].body.get("temperature") == temperature
    assert fake.requests[-1].body["reasoning_effort"] == "minimal"


@pytest.mark.slow
def test_memory_stays_flat_over_many_enums(fake):
    """10,000 calls, each with ids of its own: nothing of one stays behind for the next."""
    import copy
    import gc
    import resource

    fake.otherwise = Step(text=json.dumps(GOOD))
    base = make_request()

    async def many():
        guarded = Guarded(remote.connect(table("openai", fake.base_url), LIMIT))
        sizes = []
        for n in range(10_000):
            schema = copy.deepcopy(base.schema)
            schema["properties"]["drugs"]["items"]["properties"]["drug_id"]["enum"] = [f"id-{n}-{m}" for m in range(40)]
            await guarded.call(make_request(schema), 10.0)
            fake.requests.clear()
            if n % 1000 == 999:
                gc.collect()
                sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        await guarded.aclose()
        return sizes

    sizes = asyncio.run(many())
    assert sizes[-1] - sizes[1] < 5_000, sizes  # kilobytes, after two thousand calls of warming up
