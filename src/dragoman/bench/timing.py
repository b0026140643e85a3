"""Clocks and meters: percentiles of calls, cost of child processes, memory of this one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from dragoman.errors import DragomanError

T = TypeVar("T")


class Cost(NamedTuple):
    """What a child process cost. Seconds of wall clock and of CPU (its own children's too); peak memory in MB."""

    wall_s: float
    cpu_s: float
    peak_rss_mb: float
    output: bytes


def microseconds(call: Callable[[T], object], inputs: Iterable[T]) -> list[float]:
    """The CPU time of each call: the wall time of a machine that does nothing else.

    Every input is its own, so that nothing can be remembered from the last.
    """
    clock = time.thread_time_ns
    times = []
    for value in inputs:
        start = clock()
        call(value)
        times.append((clock() - start) / 1000)
    return times


def percentiles(times: Sequence[float], *which: int) -> dict[str, float]:
    """``{"p50": ..., "p99": ...}`` by nearest rank, three significant digits."""
    ordered = sorted(times)
    return {f"p{p}": rounded(ordered[min(len(ordered) - 1, max(0, -(-len(ordered) * p // 100) - 1))]) for p in which}


def rounded(value: float) -> float:
    """Three significant digits: more would be noise."""
    return float(f"{value:.3g}")


def child(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Cost:
    """Run Python with ``arguments`` and meter it. ``DragomanError`` with the end of its stderr where it fails."""
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    ) as process:
        output, errors = process.communicate() if not hasattr(os, "wait4") else _drain(process)
        cpu, peak = 0.0, 0.0
        if hasattr(os, "wait4"):
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            cpu = usage.ru_utime + usage.ru_stime
            peak = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)  # bytes there, kilobytes elsewhere
    wall = time.perf_counter() - start
    if process.returncode:
        last = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise DragomanError(f"the benchmark's own call of {arguments[:3]} failed: {last}")
    return Cost(wall, cpu, peak, output)


def _drain(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Read both pipes to their ends without waiting for the process: its usage is asked for afterwards."""
    import threading

    chunks: dict[str, bytes] = {}

    def read(name: str) -> None:
        chunks[name] = getattr(process, name).read()

    threads = [threading.Thread(target=read, args=(name,)) for name in ("stdout", "stderr")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return chunks["stdout"], chunks["stderr"]


def best_ms(arguments: Sequence[str], runs: int) -> float:
    """The shortest wall time of a child process in milliseconds: what it takes when nobody else wants the machine."""
    return rounded(min(child(arguments).wall_s * 1000 for _ in range(runs)))


def memory_mb() -> tuple[float, float]:
    """``(resident, private)`` of this process in MB; private leaves out pages shared with other processes or files."""
    status = Path("/proc/self/status")
    if status.is_file():
        rows = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        return tuple(int(rows[key].split()[0]) / 1000 for key in ("VmRSS", "RssAnon"))  # type: ignore[return-value]
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return peak, peak


def disk_mb(folder: Path) -> float:
    """The size of all files under ``folder``, in MB."""
    return rounded(sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6)
