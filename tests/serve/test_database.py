"""A service over a database takes changes up, and goes on without it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import stored
from tests.postgres import Server
from tests.serve import support

from dragoman.index.build import build


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.service
def test_changes_are_served_and_an_outage_is_told_and_fails_nobody(mortal_postgres: Server, tmp_path: Path) -> None:
    server = mortal_postgres
    build(stored.write(tmp_path, server.dsn))
    with support.Served(tmp_path / "dragoman.toml") as one:

        def text() -> str:
            answer = one.client.post("/v1/enrich", json={"text": stored.TEXT})
            assert answer.status_code == 200
            return str(answer.json()["text"])

        def database() -> str:
            return str(one.client.get("/readyz").json()["database"])

        until(lambda: database() == "ok")
        stored.run(server.dsn, "UPDATE dragoman.entity SET name = 'Opgezette voet' WHERE entity_id = 'c-1'")
        until(lambda: "Opgezette voet" in text())
        assert 'dragoman_database_up{of="index"} 1.0' in one.client.get("/metrics").text
        stored.run(server.dsn, "DELETE FROM dragoman.relation", "DELETE FROM dragoman.entity")
        until(lambda: [line for line in one.log if line["event"] == "not taken up" and "fell from" in line["why"]])
        assert 'dragoman_reloads_total{outcome="refused",what="index"} 1.0' in one.client.get("/metrics").text
        assert "Opgezette voet" in text()
        server.kill()
        until(lambda: database() == "away")
        ready = one.client.get("/readyz")
        assert (ready.status_code, ready.json()["ready"]) == (200, True)
        assert "Opgezette voet" in text()
        assert 'dragoman_database_up{of="index"} 0.0' in one.client.get("/metrics").text
        until(lambda: [line for line in one.log if line["event"] == "database away"])
        server.start()
        until(lambda: database() == "ok")
        until(lambda: [line for line in one.log if line["event"] == "database back"])
