"""The provider goes away in the middle: only what needs it is touched, and that ends in time."""

from __future__ import annotations

import asyncio
import time

import httpx
import pytest
from tests.serve import support

DEADLINE_S = 2.0


@pytest.mark.parametrize(
    ("policy", "error", "by"),
    [("fail_closed", "understanding_provider_unavailable", "model"), ("offline", None, "offline rules")],
)
def test_an_outage_in_the_middle_of_load(tmp_path, policy, error, by):
    pytest.importorskip("openai", reason="the extra llm is not installed")
    from dragoman.testing import FakeProvider, Step

    good = Step(text='{"turn_type": "smalltalk"}')
    with FakeProvider(otherwise=good) as fake:
        llm = (
            f'[llm]\nprovider = "openai"\nmodel = "m"\nbase_url = "{fake.base_url}"\n'
            f'timeout_s = {DEADLINE_S}\non_outage = "{policy}"\n'
        )
        path = support.project(tmp_path, llm)
        with support.process(path, tmp_path / "log") as (_, address):
            asyncio.run(_load(address, fake, Step(hang_s=600), error, by))


async def _load(address, fake, silent, error, by):
    stop = asyncio.Event()
    others: list[int] = []
    async with httpx.AsyncClient(base_url=address, timeout=120) as client:

        async def others_ask(path):
            while not stop.is_set():
                others.append((await client.post(path, json={"text": "Panadol for dengue"})).status_code)

        async def ask():
            begun = time.monotonic()
            answer = await client.post("/v1/ask", json={"text": "how much Panadol?"})
            assert answer.status_code == 200
            return answer.json(), time.monotonic() - begun

        load = [asyncio.create_task(others_ask(path)) for path in ("/v1/enrich", "/v1/resolve")]
        before, _ = await ask()
        assert before["frame"]["understood_by"] == "model"
        fake.otherwise = silent
        during = len(others)
        answers = await asyncio.gather(*(ask() for _ in range(12)))
        during = len(others) - during
        ready = (await client.get("/readyz")).json()
        stop.set()
        await asyncio.gather(*load)
        counted = (await client.get("/metrics")).text
    for answer, _ in answers:
        assert answer["frame"]["system_error"] == error
        assert answer["frame"]["understood_by"] in by.split()
        model = next(row for row in answer["trace"] if row["step"] == "model")
        # The deadline is the provider's: what the machine needs besides is not counted here.
        assert model["us"] < (DEADLINE_S + 30) * 1e6
    assert set(others) == {200}
    assert during > 0
    assert ready["ready"]
    assert ready["provider"] == "understanding_provider_unavailable"
    assert 'dragoman_provider_calls_total{outcome="understanding_provider_unavailable"}' in counted
