from __future__ import annotations

import asyncio

import pytest
from tests.models.given import make_request

from dragoman.errors import ModelMalformed, ModelRefused, ModelUnavailable
from dragoman.models.guard import Breaker, Call, Guarded, malformed, refused, unavailable
from dragoman.protocols import Answered, Usage

REQUEST = make_request()


class Scripted:
    """A transport that does the next thing of its script: an answer, an ``Attempt``, or seconds of silence."""

    host = "test"

    def __init__(self, *script):
        self.script = list(script)
        self.timeouts = []
        self.inside = self.most = 0
        self.closed = False

    async def send(self, request, timeout_s):
        self.timeouts.append(timeout_s)
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            step = self.script.pop(0) if self.script else "ok"
            if isinstance(step, int | float):
                await asyncio.sleep(step)
                step = "ok"
            if isinstance(step, Exception):
                raise step
            return Answered(text=step, usage=Usage(input_tokens=3, output_tokens=2), request_id="r1")
        finally:
            self.inside -= 1

    async def aclose(self):
        self.closed = True


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def call(guarded, deadline=5.0):
    return asyncio.run(guarded.call(REQUEST, deadline))


def test_an_answer():
    told: list[Call] = []
    answered = call(Guarded(Scripted("hello"), observe=told.append))
    assert (answered.text, answered.attempts, answered.request_id) == ("hello", 1, "r1")
    assert [(c.outcome, c.attempts, c.input_tokens, c.output_tokens) for c in told] == [("answered", 1, 3, 2)]


def test_what_can_pass_is_asked_once_more():
    transport = Scripted(unavailable("x", again_s=0.0), "hello")
    answered = call(Guarded(transport))
    assert (answered.text, answered.attempts) == ("hello", 2)
    assert transport.timeouts[1] <= transport.timeouts[0]


def test_but_never_twice():
    transport = Scripted(*[unavailable("x", again_s=0.0)] * 9)
    with pytest.raises(ModelUnavailable):
        call(Guarded(transport))
    assert len(transport.timeouts) == 2


@pytest.mark.parametrize("again", [None, 5.0, 3600.0])
def test_not_where_waiting_would_take_too_long(again):
    transport = Scripted(unavailable("x", again_s=again), "hello")
    with pytest.raises(ModelUnavailable):
        call(Guarded(transport), deadline=1.0)
    assert len(transport.timeouts) == 1


@pytest.mark.parametrize(
    ("attempt", "error"), [(malformed("x"), ModelMalformed), (refused("x"), ModelRefused), (unavailable("x"), None)]
)
def test_what_cannot_pass_is_not_asked_again(attempt, error):
    transport = Scripted(attempt, "hello")
    with pytest.raises(error or ModelUnavailable):
        call(Guarded(transport))
    assert len(transport.timeouts) == 1


def test_the_deadline_is_a_total():
    told: list[Call] = []
    with pytest.raises(ModelUnavailable, match=r"within 0\.05 s"):
        call(Guarded(Scripted(10.0), observe=told.append), deadline=0.05)
    assert told[0].outcome == ModelUnavailable.code
    assert told[0].latency_s == pytest.approx(0.05, abs=0.05)


def test_errors_do_not_chain_the_providers_own():
    with pytest.raises(ModelUnavailable) as caught:
        call(Guarded(Scripted(unavailable("x"))))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_at_most_so_many_at_a_time():
    transport = Scripted(*[0.01] * 10)
    guarded = Guarded(transport, max_concurrent=3)

    async def all_at_once():
        await asyncio.gather(*(guarded.call(REQUEST, 5.0) for _ in range(10)))

    asyncio.run(all_at_once())
    assert transport.most == 3


def test_waiting_for_a_slot_counts_and_does_not_blame_the_provider():
    transport = Scripted(*[0.2] * 4)
    guarded = Guarded(transport, max_concurrent=1, breaker=Breaker(failures=1))

    async def all_at_once():
        return await asyncio.gather(guarded.call(REQUEST, 0.5), guarded.call(REQUEST, 0.1), return_exceptions=True)

    first, second = asyncio.run(all_at_once())
    assert isinstance(first, Answered)
    assert isinstance(second, ModelUnavailable)
    assert guarded.breaker.admits()


def test_the_breaker_opens_and_lets_one_through():
    clock = Clock()
    transport = Scripted(*[unavailable("down")] * 3, "hello")
    guarded = Guarded(transport, breaker=Breaker(failures=3, open_s=30.0, clock=clock))

    async def play():
        for _ in range(3):
            with pytest.raises(ModelUnavailable):
                await guarded.call(REQUEST, 1.0)
        with pytest.raises(ModelUnavailable, match="left alone"):
            await guarded.call(REQUEST, 1.0)
        assert len(transport.timeouts) == 3
        clock.now = 31.0
        assert (await guarded.call(REQUEST, 1.0)).text == "hello"
        assert (await guarded.call(REQUEST, 1.0)).text == "ok"

    asyncio.run(play())


def test_while_open_only_one_tries():
    clock = Clock()
    breaker = Breaker(failures=1, open_s=30.0, clock=clock)
    breaker.failed()
    assert not breaker.admits()
    clock.now = 30.0
    assert [breaker.admits(), breaker.admits()] == [True, False]
    breaker.failed()
    clock.now = 59.0
    assert not breaker.admits()
    clock.now = 60.0
    assert breaker.admits()
    breaker.passed()
    assert breaker.admits()


@pytest.mark.parametrize("attempt", [malformed("x"), refused("x"), unavailable("x", trips=False)])
def test_a_provider_that_answers_is_not_down(attempt):
    guarded = Guarded(Scripted(*[attempt] * 3), breaker=Breaker(failures=2))

    async def play():
        for _ in range(3):
            with pytest.raises((ModelMalformed, ModelRefused, ModelUnavailable)):
                await guarded.call(REQUEST, 1.0)

    asyncio.run(play())
    assert guarded.breaker.admits()


def test_an_open_breaker_is_told_to_metrics_too():
    told: list[Call] = []
    breaker = Breaker(failures=1)
    breaker.failed()
    with pytest.raises(ModelUnavailable):
        call(Guarded(Scripted(), breaker=breaker, observe=told.append))
    assert [(c.outcome, c.attempts) for c in told] == [(ModelUnavailable.code, 0)]


def test_closing_closes_the_transport():
    transport = Scripted()
    asyncio.run(Guarded(transport).aclose())
    assert transport.closed
