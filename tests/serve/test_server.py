"""The service as a process: it starts, sums over its workers, takes up an index, and ends as it should."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time

import httpx
from tests.serve import support

from dragoman.index.build import build
from dragoman.project import load


def test_it_refuses_to_listen_beyond_this_machine_without_a_key(open_project):
    command = [sys.executable, "-m", "dragoman", "serve", "--project", str(open_project), "--host", "0.0.0.0"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 2
    assert "dragoman serve key new" in ran.stderr


def test_two_workers_count_together_share_switches_and_take_up_an_index(tmp_path):
    text, table = support.key(admin=True)
    path = support.project(tmp_path, "[serve]\nreload_s = 0.5\n" + table)
    key = {"x-api-key": text}
    with support.process(path, tmp_path / "log", "--workers", "2") as (_, address):

        def ask(call, *arguments, **more):
            return getattr(httpx, call)(f"{address}{arguments[0]}", headers=key, timeout=60, **more)

        for _ in range(40):  # a connection each, so that both workers get some
            assert ask("post", "/v1/enrich", json={"text": "Panadol"}).status_code == 200
        page = ask("get", "/metrics").text
        counted = re.findall(
            r'^dragoman_requests_total\{route="/v1/enrich",status="200",tenant=""\} (\S+)$', page, re.M
        )
        assert [float(count) for count in counted] == [40.0]
        assert ask("put", "/v1/admin/switches", json={"without": ["catalog"]}).status_code == 200
        until = time.monotonic() + 60
        while any(ask("post", "/v1/enrich", json={"text": "Panadol"}).json()["expansions"] for _ in range(12)):
            assert time.monotonic() < until
        with (tmp_path / "drugs.csv").open("a") as file:
            file.write("zolpidem,Zolpidem\n")
        build(load(path))
        until = time.monotonic() + 60
        while not all(ask("post", "/v1/resolve", json={"text": "Zolpidem"}).json()["candidates"] for _ in range(12)):
            assert time.monotonic() < until
    assert text.split("_", 2)[2] not in (tmp_path / "log").read_text("utf-8")


def test_it_ends_when_the_open_requests_have_been_answered(tmp_path):
    """A provider that takes a while is waited for after SIGTERM, and the answer still comes."""
    import pytest

    pytest.importorskip("openai", reason="the extra llm is not installed")
    from dragoman.testing import FakeProvider, Step

    with FakeProvider(otherwise=Step(text='{"turn_type": "smalltalk"}', hang_s=3.0)) as fake:
        llm = f'[llm]\nprovider = "openai"\nmodel = "m"\nbase_url = "{fake.base_url}"\ntimeout_s = 30\n'
        path = support.project(tmp_path, llm + "[serve]\nrequest_timeout_s = 40.0\n")
        answers = []
        with support.process(path, tmp_path / "log") as (running, address):
            asking = threading.Thread(
                target=lambda: answers.append(httpx.post(f"{address}/v1/ask", json={"text": "Panadol?"}, timeout=60))
            )
            asking.start()
            until = time.monotonic() + 60
            while not fake.requests:
                assert time.monotonic() < until
                time.sleep(0.02)
            running.send_signal(signal.SIGTERM)
            asking.join(60)
            assert running.wait(60) == 0
    assert [answer.status_code for answer in answers] == [200]
    events = [json.loads(line)["event"] for line in (tmp_path / "log").read_text("utf-8").splitlines()]
    assert "failed" not in events
