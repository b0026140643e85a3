"""Load on a service of this machine: what it takes, what a request costs, and how it does for long.

    python -m bench.serve_load                      most requests a second, then half of that; as JSON
    python -m bench.serve_load --soak 1800 --out soak.csv    half load with a reload every ten seconds

The requests are the hospital demo's questions, sent over connections that stay open, to one process on the loopback.
What a request costs the service is its processor time over what the same question costs the library, measured in turn,
so that a busy machine shows in both. The client takes processor time as well: on two cores it needs one.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx

from dragoman.engine import Dragoman
from dragoman.index.build import build
from dragoman.project import load

DEMO = Path(__file__).parents[1] / "src/dragoman/demo/hospital"
TICK = os.sysconf("SC_CLK_TCK")
CONNECTIONS = 8
SAMPLE_S = 5.0
RELOAD_S = 10.0


def questions() -> list[str]:
    """The texts that are asked."""
    lines = (DEMO / "golden.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["turn"]["text"] for line in lines]


def project(folder: Path) -> Path:
    """The hospital demo with two indexes, of which one is in use, on its own."""
    shutil.copytree(DEMO, folder, dirs_exist_ok=True)
    path = folder / "dragoman.toml"
    text = path.read_text("utf-8")
    path.write_text(text + "\n[serve]\nreload_s = 1.0\naccess_log = true\n", "utf-8")
    build(load(path))
    with (folder / "taxonomy/entities.csv").open("a", encoding="utf-8") as file:
        file.write("soak,condition,Soak,nl,published,,,\n")
    build(load(path))
    return path


def swap(index: Path) -> None:
    """Put the other index into use, as a build does: by one rename."""
    current = index / "current"
    first, second, *more = current.read_text("utf-8").split("\n")
    fresh = current.with_name(".swap")
    fresh.write_text("\n".join((second, first, *more)), "utf-8")
    fresh.replace(current)


class Server:
    """The service in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.port = port
        self.pids = [process.pid, *_children(process.pid)]

    def cpu_s(self) -> float:
        """Seconds of processor time so far."""
        total = 0
        for pid in self.pids:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICK

    def rss_mb(self) -> float:
        """Megabytes of memory, mapped files included."""
        pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.pids)
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _children(pid: int) -> list[int]:
    return [int(p) for t in Path(f"/proc/{pid}/task").iterdir() for p in (t / "children").read_text().split()]


@contextmanager
def serving(path: Path, log: IO[bytes], port: int = 8970) -> Iterator[Server]:
    """A service of one process for a project, until the block ends."""
    command = [sys.executable, "-m", "dragoman", "serve", "--project", str(path), "--port", str(port)]
    process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        for _ in range(600):
            try:
                httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5)
                break
            except httpx.TransportError:
                if process.poll() is not None:
                    raise RuntimeError("the service did not start; see its log") from None
                time.sleep(0.2)
        yield Server(process, port)
    finally:
        process.terminate()
        process.wait(60)


def wire(texts: list[str], path: str = "/v1/enrich") -> list[bytes]:
    """Each text as the bytes of a request."""
    found = []
    for text in texts:
        body = json.dumps({"text": text}).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        )
        found.append(head.encode() + b"\r\n\r\n" + body)
    return found


class Client:
    """Asks over connections that stay open. ``rate`` a second, or as fast as answers come."""

    def __init__(self, port: int, asked: list[bytes], rate: float | None) -> None:
        self.latencies: list[float] = []
        self.failures = 0
        self._port, self._asked, self._rate = port, asked, rate

    async def run(self, seconds: float, connections: int = CONNECTIONS) -> None:
        """Ask for so long."""
        end = time.perf_counter() + seconds
        await asyncio.gather(*(self._one(number, connections, end) for number in range(connections)))

    async def _one(self, number: int, of: int, end: float) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        due = time.perf_counter() + (number / self._rate if self._rate else 0.0)
        at = number
        while due < end and time.perf_counter() < end:
            if self._rate:
                if (wait := due - time.perf_counter()) > 0:
                    await asyncio.sleep(wait)
            else:
                due = time.perf_counter()
            writer.write(self._asked[at % len(self._asked)])
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(size)
            # From when it was due: a service that falls behind does not get away with fewer requests.
            self.latencies.append(time.perf_counter() - due)
            self.failures += not head.startswith(b"HTTP/1.1 200")
            at += of
            due += of / self._rate if self._rate else 0.0
        writer.close()


def quantile(values: list[float], share: float) -> float:
    """The value that ``share`` of them do not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def library_us(path: Path, texts: list[str], rounds: int = 4) -> float:
    """Microseconds of processor time that a question costs the library alone."""
    engine = Dragoman.open(path, record=False)
    for text in texts:
        engine.enrich(text)
    begun = time.process_time()
    for _ in range(rounds):
        for text in texts:
            engine.enrich(text)
    return (time.process_time() - begun) / (rounds * len(texts)) * 1e6


def _drive(server: Server, asked: list[bytes], rate: float | None, seconds: float) -> dict[str, Any]:
    client = Client(server.port, asked, rate)
    cpu, begun = server.cpu_s(), time.perf_counter()
    asyncio.run(client.run(seconds))
    spent, took = server.cpu_s() - cpu, time.perf_counter() - begun
    count = len(client.latencies)
    return {
        "requests": count,
        "failures": client.failures,
        "per_s": round(count / took),
        "per_cpu_s": round(count / spent),
        "cpu_us": round(spent / count * 1e6),
        "p50_ms": round(quantile(client.latencies, 0.5) * 1e3, 2),
        "p99_ms": round(quantile(client.latencies, 0.99) * 1e3, 2),
    }


def measure(path: Path, seconds: float) -> dict[str, Any]:
    """Full load, half load, and what a request costs over the library."""
    texts = questions()
    asked = wire(texts)
    with tempfile.TemporaryFile() as log, serving(path, log) as server:
        _drive(server, asked, None, 2.0)
        before = library_us(path, texts)
        full = _drive(server, asked, None, seconds)
        after = library_us(path, texts)
        half = _drive(server, asked, full["per_s"] / 2, seconds)
    library = (before + after) / 2
    return {
        "load_average": os.getloadavg()[0],
        "library_us": round(library),
        "over_library_us": round(full["cpu_us"] - library),
        "full": full,
        "half": half,
    }


def soak(path: Path, seconds: float, rate: float, out: Path) -> list[dict[str, float]]:
    """Half load for long, an index swapped every ten seconds; a row every five."""
    asked = wire(questions())
    index = load(path).index
    rows: list[dict[str, float]] = []
    with tempfile.TemporaryFile() as log, serving(path, log) as server:
        asyncio.run(Client(server.port, asked, rate).run(5.0))
        begun = swapped = time.perf_counter()
        while (now := time.perf_counter()) - begun < seconds:
            if now - swapped >= RELOAD_S:
                swap(index)
                swapped = now
            client = Client(server.port, asked, rate)
            asyncio.run(client.run(SAMPLE_S))
            rows.append(
                {
                    "s": round(time.perf_counter() - begun, 1),
                    "per_s": round(len(client.latencies) / SAMPLE_S, 1),
                    "failures": client.failures,
                    "p50_ms": round(quantile(client.latencies, 0.5) * 1e3, 2),
                    "p99_ms": round(quantile(client.latencies, 0.99) * 1e3, 2),
                    "rss_mb": round(server.rss_mb(), 1),
                }
            )
        page = httpx.get(f"http://127.0.0.1:{server.port}/metrics", timeout=30).text
    taken = [line for line in page.splitlines() if line.startswith("dragoman_reloads_total{") and "taken" in line]
    rows[-1]["reloads"] = sum(float(line.rpartition(" ")[2]) for line in taken)
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[-1].keys(), restval="")
        writer.writeheader()
        writer.writerows(rows)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("--soak", type=float, help="seconds of half load instead")
    parser.add_argument("--rate", type=float, help="requests a second of the soak; by default half of what it takes")
    parser.add_argument("--out", type=Path, default=Path("soak.csv"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = project(Path(folder))
        if given.soak is None:
            sys.stdout.write(json.dumps(measure(path, given.seconds), indent=1) + "\n")
            return
        rate = given.rate or measure(path, given.seconds)["full"]["per_s"] / 2
        rows = soak(path, given.soak, rate, given.out)
        sys.stdout.write(json.dumps(rows[-1]) + "\n")


if __name__ == "__main__":
    main()
