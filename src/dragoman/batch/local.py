"""The engine ``local``: processes of this machine, over one index that they all map."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess

from dragoman.batch.job import Job, Part, Report
from dragoman.batch.work import do_part
from dragoman.errors import WorkFailed

TRIES = 3  # how often workers may die with nothing done in between


def run(job: Job, parts: tuple[Part, ...], workers: int | None) -> Iterator[Report]:
    """Do the parts; with one worker, in this process. By default one worker for each processor.

    Where a worker dies (the system was out of memory, say), its parts are done anew. Raises ``WorkFailed`` where they
    die again and again.
    """
    count = min(workers or processors(), len(parts))
    if count <= 1:
        yield from (do_part(job, part) for part in parts)
        return
    left = {part.name: part for part in parts}
    tries = 0
    while left:
        before = len(left)
        for report in _round(job, tuple(left.values()), count):
            del left[report.name]
            yield report
        tries = tries + 1 if len(left) == before else 0
        if left and tries >= TRIES:
            raise WorkFailed(
                f"the workers died {tries} times at the same parts, the first is {next(iter(left))}",
                advice="see whether memory is short (--workers 1), and look at its rows",
            )


def _round(job: Job, parts: tuple[Part, ...], count: int) -> Iterator[Report]:
    """Do parts until all are done, or a worker has died."""
    # A fresh interpreter each: what threads of this process hold is not copied half.
    pool = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent)
    try:
        waiting: set[Future[Report]] = {pool.submit(do_part, job, part) for part in parts}
        while waiting:
            ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ready:
                try:
                    yield future.result()
                except BrokenProcessPool:
                    continue  # not done: it stays among those that are left
    except BrokenProcessPool:
        return  # it broke while parts were being handed out
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Have this worker end when the process that began it has: killed, it tells nobody, and its workers would wait for
    ever, or put a part that they were at beside those of a batch begun anew."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), name="dragoman-parent", daemon=True).start()


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
