"""The short way answers as the long one does: body, status and headers."""

from __future__ import annotations

import json

import pytest

from dragoman.serve import direct

BODIES = [
    b'{"text": "Panadol for dengue"}',
    '{"text": "warfarinol liều bao nhiêu?", "language": "vi-VN"}'.encode(),
    b'{"text": "and gout?", "history": [{"role": "user", "text": "Panadol"}], "without": ["near"]}',
    b'{"text": "x", "prior_frame": {"turn_type": "smalltalk", "drugs": ["paracetamol", 3]}}',
    b'{"query": "dengue"}',
    b'{"text": "Panadol", "language": "xx"}',
    b'{"text": "Panadol", "without": ["none"]}',
    b'{"text": "' + b"x" * 4001 + b'"}',
    b'{"text": "\\ud800"}',
    b'{"text": "\xff"}',
    b'{"text": 3}',
    b'{"text": "a", "more": 1}',
    b'{"text": "a", "text": "b"}',
    b"[" * 5000,
    b"[]",
    b"null",
    b"{",
    b"",
]
OFTEN_OTHER = {"x-request-id", "date", "content-length"}  # microseconds have more or fewer digits


def plain(answer):
    """What must be equal."""
    body = json.loads(answer.content)
    for row in body.get("trace", ()):
        row["us"] = 0
    body.pop("instance", None)
    return answer.status_code, body, {k: v for k, v in answer.headers.items() if k not in OFTEN_OTHER}


@pytest.mark.parametrize("path", sorted(direct.WAYS))
@pytest.mark.parametrize("body", BODIES)
def test_both_ways_come_to_the_same(served, monkeypatch, path, body):
    def asked():
        return plain(served.client.post(path, content=body, headers={"content-type": "application/json"}))

    short = asked()
    monkeypatch.setattr(direct, "WAYS", {})
    assert short == asked()


def test_the_short_way_is_gone(served, monkeypatch):
    """A sound body does not reach Litestar, or this file compares one way with itself."""
    gone = []

    def count(answer):
        gone.append(answer)
        return b"{}"

    monkeypatch.setattr(direct, "encode", count)
    for path in direct.WAYS:
        body = {"query": "dengue"} if path == "/v1/lookup" else {"text": "Panadol"}
        assert served.client.post(path, json=body).json() == {}
    assert len(gone) == len(direct.WAYS)
