"""The counts in PostgreSQL are those in SQLite, whoever writes them at once; a server that is away holds up nobody."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.gaps import support
from tests.postgres import Server

from dragoman import Dragoman
from dragoman.errors import DragomanError, ServiceError
from dragoman.gaps import Missing, QueuedRecorder
from dragoman.gaps.counts import begun, opened, place
from dragoman.gaps.observe import Ambiguous, Concept, Drug
from dragoman.gaps.postgres import PostgresCounts
from dragoman.gaps.store import DRUG, Held, Store
from dragoman.index.build import build
from dragoman.project import load
from dragoman.store_postgres.migrate import migrate

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
NAME = "jan vanderschueren"
ASKED = Missing("vraag", (), (Drug(NAME, NAME, None),), ())
ONE = Missing("vraag", (Concept("made", "k3", "knarsvoet"),), (), ())
QUESTION = "ik heb een knarsvoet"

words = st.sampled_from(["a", "b", "ç"])
missing = st.builds(
    Missing,
    st.sampled_from(["r1", "r2", "r3", "r4"]),
    st.lists(st.builds(Concept, words, words, words), max_size=2).map(tuple),
    st.lists(
        st.builds(lambda key, listed: Drug(key, key, key.upper() if listed else None), words, st.booleans()),
        max_size=2,
        unique_by=lambda d: d.key,
    ).map(tuple),
    st.lists(st.builds(Ambiguous, words, st.just(("x:1", "x:2"))), max_size=1).map(tuple),
)
days = st.dates(date(2026, 1, 1), date(2026, 1, 9)).map(date.isoformat)


@pytest.fixture(scope="module")
def shared(postgres: str) -> Iterator[str]:
    """One database for all examples; each counts for a tenant of its own."""
    name = f"dragoman_gaps_{os.getpid()}"
    with psycopg.connect(postgres, autocommit=True) as base:
        base.execute(f"CREATE DATABASE {name}")
    dsn = psycopg.conninfo.make_conninfo(postgres, dbname=name)
    migrate(dsn)
    yield dsn
    with psycopg.connect(postgres, autocommit=True) as base:
        base.execute(f"DROP DATABASE {name} WITH (FORCE)")


_tenants = iter(range(10**9))


@pytest.mark.service
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(days, missing, st.integers(0, 2), st.none() | days), max_size=8), st.none() | days)
def test_both_stores_count_alike(
    shared: str, added: list[tuple[str, Missing, int, str | None]], since: str | None
) -> None:
    here, there = Store(None), PostgresCounts(shared, f"t{next(_tenants)}")
    try:
        for day, what, skipped, before in added:
            for counts in (here, there):
                counts.add(day, what, 3, skipped=skipped, before=before)
        assert there.rows(since) == here.rows(since)
        assert there.held(since) == here.held(since)
        assert there.skipped(since) == here.skipped(since)
        assert there.forget() == here.forget()
        assert there.rows() == []
    finally:
        there.close()


@pytest.mark.service
def test_tenants_see_their_own_counts_alone(shared: str) -> None:
    a, b = PostgresCounts(shared, "a"), PostgresCounts(shared, "b")
    a.add("2026-01-01", ONE, 5)
    a.add("2026-01-01", ASKED, 5)
    assert (len(a.rows()), a.held()) == (1, Held(names=1, count=1))
    assert (b.rows(), b.held(), b.forget()) == ([], Held(), 0)
    assert a.forget() == 2
    a.close()
    b.close()


@pytest.mark.service
def test_a_held_name_and_a_question_are_nowhere_in_the_database(shared: str) -> None:
    counts = PostgresCounts(shared, "held")
    for n in range(2):
        counts.add("2026-01-01", ASKED._replace(request=f"mijn geheime vraag {n}"), 3)
    with psycopg.connect(shared) as base:
        for table in ("gap_count", "gap_held", "gap_skipped", "gap_key"):
            for row in base.execute(f"SELECT t::text FROM dragoman.{table} AS t WHERE tenant = 'held'").fetchall():
                assert "vanderschueren" not in row[0]
                assert "geheime" not in row[0]
    counts.add("2026-01-02", ASKED._replace(request="een derde"), 3)
    (row,) = counts.rows()
    assert (row.kind, row.label, row.listed, row.count, row.last) == (DRUG, NAME, False, 3, "2026-01-02")
    assert counts.held() == Held()
    counts.close()


@pytest.mark.service
def test_many_at_once_lose_and_double_nothing(shared: str) -> None:
    faults: list[object] = []

    def write(worker: int) -> None:
        counts = PostgresCounts(shared, "many")
        try:
            for n in range(20):
                mixed = Missing(f"{worker}-{n}", ONE.concepts, (*ASKED.drugs, Drug("b", "b", "B")), ())
                counts.add("2026-01-01", mixed, 7)
        except DragomanError as error:
            faults.append(error)
        finally:
            counts.close()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = PostgresCounts(shared, "many")
    assert faults == []
    assert [(r.label, r.count) for r in counts.rows()] == [("B", 80), (NAME, 80), ("knarsvoet", 80)]
    counts.close()


@pytest.mark.service
def test_a_project_counts_into_its_database(database: str, tmp_path: Path) -> None:
    migrate(database)
    project = support.write(tmp_path, f'\n[gaps]\ndsn = "{database}"\nkeep_after = 3\n')
    build(project)
    assert begun(project)
    assert place(project).startswith("postgresql ")
    engine = Dragoman.open(tmp_path)
    row = engine.ask(QUESTION).trace[-1]
    assert (row.step, row.outcome, row.note) == ("gaps", "hit", None)
    engine.enrich(QUESTION)
    engine.close()
    with opened(project) as counts:
        assert [(r.label, r.count) for r in counts.rows()] == [("knarsvoet", 2)]
    engine.ask(QUESTION)  # opens it again
    engine.close()
    with opened(project) as counts:
        assert [r.count for r in counts.rows()] == [3]


@pytest.mark.service
def test_a_server_that_is_away_holds_up_nobody_and_gets_the_counts_when_it_is_back(
    mortal_postgres: Server, tmp_path: Path
) -> None:
    server = mortal_postgres
    migrate(server.dsn)
    project = support.write(tmp_path, f'\n[gaps]\ndsn = "{server.dsn}"\n')
    build(project)
    engine = Dragoman.open(tmp_path)
    recorder = engine.gaps
    assert isinstance(recorder, QueuedRecorder)
    recorder._retry_s = (0.05, 0.1)
    engine.ask(QUESTION)
    server.kill()
    rows = [engine.ask(QUESTION).trace[-1] for _ in range(20)]
    assert {row.outcome for row in rows} == {"hit"}
    until(lambda: recorder.fault is not None)
    assert "did not answer" in str(engine.ask(QUESTION).trace[-1].note)
    server.start()
    until(lambda: recorder.fault is None)
    engine.close()
    with opened(load(tmp_path)) as counts:
        assert [r.count for r in counts.rows()] == [22]
        assert counts.skipped() == 0


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


class Slow(Store):
    """Counts in memory; fails as often as told, and waits for permission."""

    def __init__(self, faults: int = 0) -> None:
        super().__init__(None)
        self.faults = faults
        self.may = threading.Event()
        self.may.set()

    def add(self, day: str, missing: Missing, keep_after: int, *, skipped: int = 0, before: str | None = None) -> None:
        self.may.wait(60)
        if self.faults:
            self.faults -= 1
            raise ServiceError("PostgreSQL did not answer (x)")
        super().add(day, missing, keep_after, skipped=skipped, before=before)

    def close(self) -> None:
        """It is looked into afterwards."""


def queued(counts: Slow, most: int = 1000) -> QueuedRecorder:
    return QueuedRecorder(lambda: counts, 3, 30, most=most, retry_s=(0.01, 0.02))


def test_what_finds_no_place_is_skipped_and_owed() -> None:
    counts = Slow()
    counts.may.clear()
    recorder = queued(counts, most=3)
    outcomes = [recorder.record(ONE).outcome for _ in range(5)]
    assert outcomes == ["hit"] * 3 + ["skipped"] * 2
    assert recorder.record(Missing()).outcome == "miss"
    counts.may.set()
    until(lambda: counts.rows() and counts.rows()[0].count == 3)
    recorder.record(ONE)
    recorder.close()
    assert counts.rows()[0].count == 4
    assert counts.skipped() == recorder.skipped == 2


def test_a_fault_passes_and_nothing_is_counted_twice() -> None:
    counts = Slow(faults=3)
    recorder = queued(counts)
    for _ in range(4):
        recorder.record(ONE)
    until(lambda: recorder.fault is None and counts.rows() and counts.rows()[0].count == 4)
    recorder.close()
    assert recorder.skipped == 0


def test_closing_does_not_wait_for_a_database_that_is_away() -> None:
    counts = Slow(faults=10**6)
    recorder = queued(counts)
    recorder.record(ONE)
    until(lambda: recorder.fault is not None)
    recorder.close(linger_s=60)
    assert recorder.skipped == 1
    assert counts.rows() == []
    counts.faults = 0
    recorder.record(ONE)  # goes on, and says what was lost
    until(lambda: counts.rows())
    recorder.close()
    assert counts.skipped() == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_counts_on_its_own(tmp_path: Path) -> None:
    counts = Slow()
    recorder = queued(counts)
    recorder.record(ONE)
    until(lambda: counts.rows())
    child = os.fork()
    if not child:
        code = 1
        try:
            own = Slow()
            recorder._open = lambda: own
            recorder.record(ONE)
            recorder.close()
            code = 0 if own.rows() and own.rows()[0].count == 1 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    recorder.close()
    assert counts.rows()[0].count == 1
