from __future__ import annotations

import asyncio
import gc
import sys
import threading

import pytest
from tests.models.given import GOOD, make_request
from tests.models.test_guard import Scripted

from dragoman.errors import ConfigError, ModelUnavailable
from dragoman.folder import PACKAGE
from dragoman.models.caller import Caller, transport
from dragoman.models.guard import Call, unavailable
from dragoman.project import load

PROJECT = """
[project]
profile = "hospital"
languages = ["nl"]
"""


@pytest.fixture
def project(tmp_path):
    def make(llm=""):
        path = tmp_path / "dragoman.toml"
        (tmp_path / "profiles" / "mine").mkdir(parents=True, exist_ok=True)
        path.write_text(PROJECT.replace('"hospital"', '"profiles/mine"') + llm)
        (tmp_path / "profiles" / "mine" / "profile.toml").write_text("")
        return load(path)

    return make


LLM = '[llm]\nprovider = "openai"\nmodel = "m"\nbase_url = "{}"\ntimeout_s = 5\nmax_concurrent = 2\n'


def test_threads_and_loops_share_one_connection_limit(project):
    scripted = Scripted(*[0.02] * 12)
    caller = Caller(project(LLM.format("http://unused")), connect=lambda _: scripted)

    async def many():
        return await asyncio.gather(*(caller.aask(make_request()) for _ in range(6)))

    threads = [threading.Thread(target=caller.ask, args=(make_request(),)) for _ in range(6)]
    for thread in threads:
        thread.start()
    answers = asyncio.run(many())
    for thread in threads:
        thread.join()
    caller.close()
    assert len(answers) == 6
    assert scripted.most == 2
    assert scripted.closed


def test_every_call_is_told(project):
    told: list[Call] = []
    caller = Caller(project(LLM.format("x")), connect=lambda _: Scripted("a", unavailable("b")), observe=told.append)
    caller.ask(make_request())
    with pytest.raises(ModelUnavailable):
        caller.ask(make_request())
    caller.close()
    assert [c.outcome for c in told] == ["answered", ModelUnavailable.code]


def test_over_http_from_both_sides(project, fake):
    pytest.importorskip("pydantic_ai", reason="the extra llm is not installed")
    pytest.importorskip("openai", reason="the extra llm is not installed")
    fake.reply(GOOD)
    fake.reply(GOOD)
    caller = Caller(project(LLM.format(fake.base_url)))
    assert caller.ask(make_request()).text == asyncio.run(caller.aask(make_request())).text
    assert caller.host in fake.base_url
    caller.close()
    assert len(fake.requests) == 2


def test_it_can_be_forgotten(project):
    """A caller that nobody closes leaves no thread behind."""
    before = {t for t in threading.enumerate() if t.name == "dragoman-models"}
    caller = Caller(project(LLM.format("x")), connect=lambda _: Scripted())
    caller.ask(make_request())
    del caller
    gc.collect()
    assert {t for t in threading.enumerate() if t.name == "dragoman-models"} == before


@pytest.mark.parametrize(
    ("llm", "what"),
    [
        ("", "no \\[llm\\]"),
        ('[llm]\nprovider = "openai"\n', "no model"),
        ('[llm]\nprovider = "local"\nmodel = "m.gguf"\n', "llama-cpp-python"),
    ],
)
def test_what_cannot_be_asked_is_a_matter_of_configuration(project, llm, what, monkeypatch):
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    caller = Caller(project(llm))
    with pytest.raises(ConfigError, match=what):
        caller.ask(make_request())
    with pytest.raises(ConfigError, match=what):
        asyncio.run(caller.aask(make_request()))
    with pytest.raises(ConfigError):
        transport(caller.project)
    caller.close()


def test_importing_dragoman_brings_no_provider_in():
    import subprocess

    code = (
        "import sys, dragoman, dragoman.models.caller, dragoman.models.remote, dragoman.testing; "
        "sys.exit(any(m in sys.modules for m in ('pydantic_ai', 'openai', 'httpx2', 'boto3', 'pydantic')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=PACKAGE.parent).returncode == 0
