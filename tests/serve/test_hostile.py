"""What nobody should send: no answer of the service's own making is a failure, and nothing piles up."""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from tests.serve import hostile, support

FEW, MANY = 2000, 100_000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    path = support.project(folder, "[serve]\nbody_timeout_s = 1.0\nmax_concurrent = 512\nmax_asks = 512\n")
    with support.process(path, folder / "log") as (running, address):
        host, port = address.removeprefix("http://").split(":")
        yield running, (host, int(port)), folder / "log"


def memory(pid: int) -> int:
    """Bytes of memory of a process and its children."""
    total = 0
    for task in (pid, *children(pid)):
        for line in Path(f"/proc/{task}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                total += int(line.split()[1]) * 1024
    return total


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def attack(address, count, seed=20261130):
    seen: Counter[int] = Counter()
    bad = []

    def one(sent):
        status = hostile.send(address, sent.data)
        return status, sent

    with ThreadPoolExecutor(8) as pool:
        for status, sent in pool.map(one, hostile.requests(count, seed), chunksize=1):
            seen[status] += 1
            if status >= 500 or (not sent.valid and 200 <= status < 300):
                bad.append((status, sent.data[:200]))
    assert not bad, (len(bad), bad[:5])
    return seen


def alive(address):
    answer = httpx.post(f"http://{address[0]}:{address[1]}/v1/enrich", json={"text": "Panadol"}, timeout=60)
    assert answer.status_code == 200
    assert answer.json()["expansions"]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc")
def test_hostile_requests(server):
    running, address, log = server
    attack(address, FEW // 4)  # what is made once is made now
    before = memory(running.pid)
    seen = attack(address, FEW)
    assert memory(running.pid) - before < 32 * 2**20
    assert seen[400] > FEW / 10
    assert seen[200] > FEW / 10
    assert {404, 405, 413, 415, 422} <= set(seen)
    alive(address)
    failed = [line for line in log.read_text("utf-8").splitlines() if '"event":"failed"' in line]
    assert failed == []


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc")
def test_hostile_requests_for_long(server):
    running, address, log = server
    attack(address, FEW)
    before = memory(running.pid)
    attack(address, MANY, seed=1)
    assert memory(running.pid) - before < 64 * 2**20
    alive(address)
    assert '"event":"failed"' not in log.read_text("utf-8")


def test_a_body_that_comes_too_slowly_is_given_up_and_holds_up_nobody(server):
    _, address, _ = server
    head = b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n"
    slow = [socket.create_connection(address, 60) for _ in range(100)]
    try:
        for one in slow:
            one.sendall(head + b'{"text":')
        alive(address)
        for one in slow:
            assert one.recv(4096).startswith(b"HTTP/1.1 408")
    finally:
        for one in slow:
            one.close()
    alive(address)


def test_a_connection_that_does_not_say_what_it_wants_is_given_up(server):
    """As many as may be open would shut everybody out. ``P`` may begin HTTP/2, which no deadline is waited for in."""
    _, address, _ = server
    with ExitStack() as stack:
        silent = []
        for said in (b"", b"P", b"PRI", b"PRI * HTTP/2.0\r\n", b"G", b"GET / HTTP/1.1\r\nHost: lo"):
            one = stack.enter_context(socket.create_connection(address, 120))
            one.sendall(said)
            silent.append(one)
        for one in silent:
            while one.recv(4096):
                pass
    alive(address)


def test_clients_that_hang_up_in_the_middle(server):
    _, address, log = server

    def hang_up() -> None:
        with socket.create_connection(address, 60) as one:
            one.sendall(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{")

    threads = [threading.Thread(target=hang_up) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alive(address)
    assert '"event":"failed"' not in log.read_text("utf-8")


def test_the_log_is_one_json_object_a_line(server):
    _, address, log = server
    alive(address)
    for line in log.read_text("utf-8").splitlines():
        assert "event" in json.loads(line), line
