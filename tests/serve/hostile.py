"""Hostile requests, as many as asked for, the same for the same seed: bytes over a socket, as no client sends them."""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Iterator
from typing import NamedTuple

PATHS = ("/v1/ask", "/v1/resolve", "/v1/enrich", "/v1/lookup")
TRICKS = (
    "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/static/../app.py", "//v1/ask",
    "/v1/ask/", "/v1//ask", "/v1/ask%00", "/%ff%fe", "/v1/%61sk", "/t/../v1/ask", "/t/%2e%2e/v1/ask", "/t/x/t/y/v1/ask",
    "/t//", "/" + "a" * 6000, "/v1/ask?" + "q=1&" * 1500, "/\\..\\..\\windows", "/v1/ask;x=1", "/openapi.json/../..",
    "/page/golden/..%2f..%2fdragoman.toml", "/index.html%00.js", "/.git/config", "/%c0%ae%c0%ae/", "/v1/ask#fragment",
)  # fmt: skip
METHODS = ("GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "post")
ODD = (
    '"\\ud800"', '"\\u0000"', '"\\uffff\\ufffe"', '"' + "\\u0301" * 900 + '"', '"' + "ﷺ" * 900 + '"', '"\u202e\u2066x"',
    '"' + "A" * 3999 + '"', '"' + "ß" * 3999 + '"', "3", "-0", "1e999", "1" * 5000, "NaN", "null", "true", "[]", "{}",
    '""', '"' + " " * 3999 + '"', '"' + "mg " * 1300 + '"', '"' + "\U0001f600" * 1000 + '"', '"' + "a-" * 1900 + '"',
    '"' + "1.000.000," * 300 + '"', '"' + "niet geen " * 390 + '"', '"' + "((((" * 900 + '"',
    '"' + "paracetamol " * 330 + '"',
)  # fmt: skip


class Sent(NamedTuple):
    """A request as bytes; ``valid``: it may be answered with 200."""

    data: bytes
    valid: bool


def requests(count: int, seed: int = 20261130) -> Iterator[Sent]:
    """``count`` requests of all kinds in turn."""
    dice = random.Random(seed)
    kinds = (_odd_value, _nested, _broken, _wrong_type, _trick, _method, _header, _bytes, _history, _prior)
    for number in range(count):
        yield kinds[number % len(kinds)](dice)


def _post(path: str, body: bytes, *more: str, length: int | None = None) -> bytes:
    head = [f"POST {path} HTTP/1.1", "Host: localhost", "Connection: close"]
    if not any(line.lower().startswith("content-type") for line in more):
        head.append("Content-Type: application/json")
    if length != -1:
        head.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*head, *more, "", ""]).encode("utf-8", "surrogateescape") + body


def _odd_value(dice: random.Random) -> Sent:
    field = dice.choice(("text", "language", "subject_scope", "query", "history", "prior_frame", "without"))
    rest = "" if field in ("text", "query") else '"text": "dengue", '
    return Sent(_post(dice.choice(PATHS), f'{{{rest}"{field}": {dice.choice(ODD)}}}'.encode()), True)


def _nested(dice: random.Random) -> Sent:
    deep = dice.choice((10, 500, 990, 2000, 20_000, 32_000))
    shut = dice.choice((True, False))
    left, right = dice.choice((("[", "]"), ('{"a":', "}")))
    inner = left * deep + ("1" if left != "[" else "") + (right * deep if shut else "")
    body = f'{{"text": "dengue", "prior_frame": {{"drugs": {inner}}}}}' if dice.random() < 0.7 else inner
    return Sent(_post(dice.choice(PATHS), body.encode()), True)


def _broken(dice: random.Random) -> Sent:
    good = json.dumps({"text": "Panadol for dengue"}).encode()
    cut = dice.randrange(len(good))
    body = good[:cut] + dice.choice((b"", b"}", b"\x00", b"]", b"{", b","))
    return Sent(_post(dice.choice(PATHS), body), body == good)  # what was cut off may be what is put there


def _wrong_type(dice: random.Random) -> Sent:
    media = dice.choice(
        (
            "text/plain",
            "application/xml",
            "multipart/form-data; boundary=x",
            "application/json; charset=utf-16",
            "",
            "x",
        )
    )
    return Sent(_post(dice.choice(PATHS), b'{"text": "dengue"}', f"Content-Type: {media}"), False)


def _trick(dice: random.Random) -> Sent:
    path = dice.choice(TRICKS)
    if dice.random() < 0.5:
        return Sent(_post(path, b'{"text": "dengue"}'), True)
    return Sent(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(), True)


def _method(dice: random.Random) -> Sent:
    method = dice.choice(METHODS)
    line = f"{method} {dice.choice(PATHS)} HTTP/1.1"
    return Sent(
        f"{line}\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".encode(), method == "OPTIONS"
    )


def _header(dice: random.Random) -> Sent:
    line = dice.choice(
        (
            "X-Request-Id: " + "x" * 5000, "X-Request-Id: a\tb", "Authorization: Bearer " + "é" * 50,
            "Authorization: Basic =",
            "X-Dragoman-Tenant: ../../x", "X-Dragoman-Tenant: " + "t" * 4000, "Cookie: " + "a=b; " * 800,
            "Traceparent: rubbish", "Origin: null", "Host: evil.example", "Transfer-Encoding: chunked",
            "Expect: 100-continue",
            "Content-Length: 99999999999999999999", "Content-Length: -1", "Upgrade: websocket", "Accept: \x01",
        )
    )  # fmt: skip
    return Sent(_post(dice.choice(PATHS), b'{"text": "dengue"}', line), True)


def _bytes(dice: random.Random) -> Sent:
    noise = dice.randbytes(dice.choice((1, 100, 5000, 65_536, 65_537, 90_000)))
    if dice.random() < 0.3:
        return Sent(noise[:3000], False)
    return Sent(_post(dice.choice(PATHS), noise), False)


def _history(dice: random.Random) -> Sent:
    count = dice.choice((1, 39, 40, 41, 300))
    role = dice.choice(("user", "assistant", "system", "", "USER", "x" * 100))
    history = [{"role": role, "text": dice.choice(("dengue", "", "x" * 200))}] * count
    return Sent(_post(dice.choice(PATHS[:3]), json.dumps({"text": "ja", "history": history}).encode()), True)


def _prior(dice: random.Random) -> Sent:
    values: list[object] = [
        None,
        1,
        -1,
        1e308,
        "x",
        "",
        [],
        {},
        [[]],
        [None],
        {"a": {}},
        True,
        ["paracetamol"],
        "x" * 3000,
    ]
    fields = (
        "turn_type", "drugs", "unknown_drugs", "weight_kg", "population", "condition", "patient_context", "pending",
        "entities", "quick_replies", "labs", "renal", "clarify_reason", "needs_clarify",
    )  # fmt: skip
    prior = {dice.choice(fields): dice.choice(values) for _ in range(dice.randrange(6))}
    return Sent(_post(dice.choice(PATHS[:3]), json.dumps({"text": "ja", "prior_frame": prior}).encode()), True)


def send(address: tuple[str, int], data: bytes, timeout: float = 60) -> int:
    """The status that is answered; 0 where the server hangs up without one."""
    with socket.create_connection(address, timeout) as one:
        try:
            one.sendall(data)
            head = b""
            while b"\r\n" not in head and len(head) < 4096:
                part = one.recv(4096)
                if not part:
                    break
                head += part
        except (ConnectionResetError, BrokenPipeError):
            return 0
    words = head.split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
