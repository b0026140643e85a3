"""A change in the database is in use a moment later; an outage of the database fails nobody's question."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import stored
from tests.index import project as small
from tests.postgres import Server

from dragoman import Dragoman
from dragoman.errors import BuildRefused, ConfigError, DragomanError, IndexBusy
from dragoman.index.build import build
from dragoman.project import Project, load
from dragoman.rebuild import rebuild_here
from dragoman.watcher import Watcher, databases

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
RENAME = "UPDATE dragoman.entity SET name = '{}' WHERE entity_id = 'c-1'"
LONG_S = 120


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + LONG_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def shows(engine: Dragoman, name: str) -> Callable[[], bool]:
    return lambda: name in engine.enrich(stored.TEXT).text


def built(watcher: Watcher, number: int) -> Callable[[], bool]:
    return lambda: watcher.status.builds == number


def quick(project: Project, engine: Dragoman | None = None, **options: object) -> Watcher:
    reload = None if engine is None else engine.reload
    return Watcher(project, reload, retry_s=(0.05, 0.2), idle_s=0.5, **options)  # type: ignore[arg-type]


@pytest.mark.service
def test_a_change_is_built_and_taken_up(database: str, tmp_path: Path) -> None:
    project = stored.write(tmp_path, database)
    build(project)
    engine = Dragoman.open(tmp_path)
    watcher = quick(project, engine, rebuild=rebuild_here)
    assert str(watcher.status.state) == "new"
    watcher.start()
    watcher.start()  # nothing more
    until(built(watcher, 1))
    assert watcher.status.connected
    for number, name in enumerate(("Opgezette voet", "Gezwollen voet"), 2):
        stored.run(database, RENAME.format(name))
        until(shows(engine, name))
        until(built(watcher, number))
        assert watcher.status.index == engine.info.id
    assert watcher.status.error is None
    assert watcher.status.seconds is not None
    watcher.stop()
    assert str(watcher.status.state) == "stopped"
    stored.run(database, RENAME.format("Niemand kijkt"))
    assert "Gezwollen voet" in engine.enrich(stored.TEXT).text


@pytest.mark.service
def test_a_build_in_a_process_of_its_own(database: str, tmp_path: Path) -> None:
    project = stored.write(tmp_path, database)
    build(project)
    engine = Dragoman.open(tmp_path)
    watcher = quick(project, engine)
    watcher.start()
    until(built(watcher, 1))
    stored.run(database, RENAME.format("Opgezette voet"))
    until(shows(engine, "Opgezette voet"))
    watcher.stop()


@pytest.mark.service
def test_a_refused_build_is_told_and_the_next_change_is_built(database: str, tmp_path: Path) -> None:
    project = stored.write(tmp_path, database)
    first = build(project).id
    engine = Dragoman.open(tmp_path)
    watcher = quick(project, engine, rebuild=rebuild_here)
    watcher.start()
    until(built(watcher, 1))
    stored.run(database, "UPDATE dragoman.entity SET status = 'draft'")
    until(lambda: watcher.status.failed == 1)
    assert "lacks what the current one has" in str(watcher.status.error)
    assert watcher.status.connected
    assert engine.info.id == first
    stored.run(database, "UPDATE dragoman.entity SET status = 'published'", RENAME.format("Opgezette voet"))
    until(built(watcher, 2))
    assert watcher.status.error is None
    assert "Opgezette voet" in engine.enrich(stored.TEXT).text
    watcher.stop()


@pytest.mark.service
def test_what_may_pass_is_tried_again(database: str, tmp_path: Path) -> None:
    project = stored.write(tmp_path, database)
    told: list[DragomanError | None] = [IndexBusy("busy"), IndexBusy("busy"), None, BuildRefused("bad")]

    def rebuild(project: Project) -> str:
        if (error := told.pop(0)) is not None:
            raise error
        return "id"

    watcher = quick(project, rebuild=rebuild)
    watcher.start()
    until(built(watcher, 1))
    assert watcher.status.failed == 2
    stored.run(database, RENAME.format("x"))
    until(lambda: watcher.status.failed == 3)
    watcher.stop()
    assert told == []  # what the data are to blame for is not tried again without a change


@pytest.mark.service
def test_of_several_that_watch_for_one_index_one_builds(database: str, tmp_path: Path) -> None:
    project = stored.write(tmp_path, database)
    ran: list[float] = []

    def rebuild(project: Project) -> str:
        ran.append(time.time())
        time.sleep(0.3)
        if len(ran) % 2 == 0:
            raise BuildRefused("bad data")
        return f"index {len(ran)}"

    reloaded: list[int] = []
    several = [
        Watcher(project, lambda n=n: reloaded.append(n), rebuild=rebuild, retry_s=(0.05, 0.2))  # type: ignore[misc]
        for n in range(3)
    ]
    for watcher in several:
        watcher.start()

    def heard(times: list[int]) -> Callable[[], bool]:
        return lambda: all(done > n for done, n in zip(told(), times, strict=True))

    def told() -> list[int]:
        return [w.status.builds + w.status.failed for w in several]

    until(heard([0, 0, 0]))
    before = len(ran)
    for change in ("a", "b"):
        seen = told()
        stored.run(database, RENAME.format(change))
        until(heard(seen))
    for watcher in several:
        watcher.stop()
    assert len(ran) - before < 2 * len(several)  # one each time, or two where one of them heard late
    assert {w.status.error for w in several} <= {None, "bad data"}
    assert len(reloaded) == sum(w.status.builds for w in several)


@pytest.mark.service
def test_no_question_fails_while_the_server_is_killed_and_comes_back(mortal_postgres: Server, tmp_path: Path) -> None:
    server = mortal_postgres
    project = stored.write(tmp_path, server.dsn)
    build(project)
    engine = Dragoman.open(tmp_path)
    watcher = quick(project, engine, rebuild=rebuild_here)
    watcher.start()
    until(built(watcher, 1))
    done = threading.Event()
    answered: list[int] = []
    faults: list[object] = []

    def ask_again_and_again() -> None:
        count = 0
        while not done.is_set():
            try:
                if len(engine.enrich(stored.TEXT).expansions) != 1:
                    faults.append("no expansion")
            except Exception as error:  # noqa: BLE001 - whatever it is, the test must see it
                faults.append(error)
            count += 1
        answered.append(count)

    threads = [threading.Thread(target=ask_again_and_again) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        server.kill()
        until(lambda: watcher.status.state == "disconnected")
        assert not watcher.status.connected
        assert watcher.status.outages == 1
        assert "did not answer" in str(watcher.status.error)
        assert watcher.status.built is not None
        before = engine.info.id
        time.sleep(0.5)  # a while of load without a server
        assert engine.info.id == before
        server.start()
        stored.run(server.dsn, RENAME.format("Opgezette voet"))  # perhaps before the watcher listens again
        until(shows(engine, "Opgezette voet"))
        until(lambda: watcher.status.connected and watcher.status.error is None)
    finally:
        done.set()
        for thread in threads:
            thread.join()
        watcher.stop()
    assert faults == []
    assert all(answered)


def test_a_server_that_never_was_there_is_no_error_of_the_program(tmp_path: Path) -> None:
    build(small.write(tmp_path))
    engine = Dragoman.open(tmp_path)
    (tmp_path / "dragoman.toml").write_text(stored.toml("host=/nonexistent dbname=x"))
    watcher = quick(load(tmp_path), engine)
    watcher.start()
    until(lambda: watcher.status.state == "disconnected")
    assert watcher.status.outages == 0  # it was never there to lose
    assert not engine.reload()
    assert "Dikke voet" in engine.enrich(stored.TEXT).text
    watcher.stop()


def test_only_databases_are_watched_and_each_once(tmp_path: Path) -> None:
    files = small.write(tmp_path)
    assert not Watcher.wanted(files)
    with pytest.raises(ConfigError, match="nothing to watch"):
        Watcher(files).start()
    more = '[gaps]\ndsn = "host=counts"\n[tenants.x.taxonomy]\ndsn = "host=b"\n[tenants.y.taxonomy]\ndsn = "host=a"\n'
    (tmp_path / "dragoman.toml").write_text(stored.toml("host=a", more))
    project = load(tmp_path)
    assert Watcher.wanted(project)
    assert databases(project) == ("host=a", "host=b")
    (tmp_path / "dragoman.toml").write_text(stored.toml("host=a password=geheim"))
    with pytest.raises(ConfigError, match="a password stands"):
        Watcher(load(tmp_path)).start()
