from __future__ import annotations

import asyncio
import os
import threading

import pytest

from dragoman.models.loop import LoopThread


@pytest.fixture
def loop():
    made = LoopThread()
    yield made
    made.close()


async def where():
    return threading.current_thread().name


def test_threads_and_loops_share_it(loop):
    async def both():
        return await loop.arun(where()), await asyncio.to_thread(loop.run, where())

    assert {loop.run(where()), *asyncio.run(both())} == {"dragoman-models"}


def test_errors_come_through(loop):
    async def fail():
        raise KeyError("x")

    with pytest.raises(KeyError):
        loop.run(fail())


def test_cancelling_the_caller_cancels_the_work(loop):
    ended = threading.Event()

    async def hang():
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    async def impatient():
        await asyncio.wait_for(loop.arun(hang()), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    assert ended.wait(5)


def test_it_starts_anew_after_close(loop):
    assert loop.run(where()) == "dragoman-models"
    loop.close()
    loop.close()
    assert not any(t.name == "dragoman-models" for t in threading.enumerate())
    assert loop.run(where()) == "dragoman-models"


def test_close_ends_what_hangs(loop):
    ended = threading.Event()

    async def hang():
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    asyncio.run_coroutine_threadsafe(hang(), loop._running())
    loop.run(where())
    loop.close()
    assert ended.is_set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_process_has_its_own(loop):
    loop.run(where())
    child = os.fork()
    if child == 0:
        os._exit(0 if loop.run(where()) == "dragoman-models" else 1)
    assert os.waitpid(child, 0)[1] == 0
