"""Counting beside a turn: never fails one, never holds one up, never keeps its words."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sqlite3
import threading
from datetime import date
from pathlib import Path
from time import perf_counter

import pytest
from tests.gaps import support

from dragoman import Dragoman
from dragoman.gaps import Missing, Recorder
from dragoman.gaps.observe import Concept
from dragoman.gaps.store import Store, opened
from dragoman.types import Answer, TraceRow

ONE = Missing("r", (Concept("made", "k3", "knarsvoet"),))


def gap_row(answer: Answer) -> TraceRow:
    return next(row for row in answer.trace if row.step == "gaps")


def counted(folder: Path) -> dict[str, int]:
    with opened(support.database(folder)) as counts:
        return {r.label: r.count for r in counts.rows()}


def test_ask_aask_and_enrich_count(tmp_path: Path) -> None:
    engine = support.engine(tmp_path)
    answer = engine.ask("ik heb een knarsvoet")
    assert (gap_row(answer).outcome, gap_row(answer).count) == ("hit", 1)
    assert gap_row(asyncio.run(engine.aask("ik heb een knarsvoet"))).outcome == "hit"
    engine.enrich("ik heb een knarsvoet")
    engine.resolve("ik heb een knarsvoet")
    engine.lookup("knarsvoet")
    assert counted(tmp_path) == {"knarsvoet": 3}
    engine.close()


def test_a_turn_that_lacks_nothing_makes_no_file(tmp_path: Path) -> None:
    engine = support.engine(tmp_path)
    assert gap_row(engine.ask("ik heb een zwelvoet")).outcome == "miss"
    assert gap_row(asyncio.run(engine.aask("ik heb een zwelvoet"))).outcome == "miss"
    assert not support.database(tmp_path).exists()


def test_off_unless_the_table_stands_in_the_file(tmp_path: Path) -> None:
    engine = support.engine(tmp_path, more="")
    assert engine.gaps is None
    assert all(row.step != "gaps" for row in engine.ask("ik heb een knarsvoet").trace)
    assert not (tmp_path / ".dragoman" / "gaps.sqlite").exists()


def test_turns_that_no_person_asks_are_not_counted(tmp_path: Path) -> None:
    support.engine(tmp_path)
    Dragoman.open(tmp_path, record=False).ask("ik heb een knarsvoet")
    assert not support.database(tmp_path).exists()


def test_the_words_of_a_turn_are_nowhere_in_the_files(tmp_path: Path) -> None:
    engine = support.engine(tmp_path)
    for n in range(2):  # keep_after is 3
        engine.ask(support.UNLISTED.format(f"groeten van Wiebrand {n}, die een knarsvoet en wrotel heeft"))
    found = support.bytes_of(tmp_path).lower()
    assert b"knarsvoet" in found  # the vocabulary's word
    for word in (b"plixobrand", b"groeten", b"wiebrand", b"nemen"):
        assert word not in found
    engine.ask(support.UNLISTED.format("nu de derde"))
    found = support.bytes_of(tmp_path).lower()
    assert b"plixobrand" in found
    for word in (b"groeten", b"wiebrand", b"nemen", b"derde"):
        assert word not in found
    engine.close()


def test_a_locked_database_is_skipped_counted_and_told(tmp_path: Path) -> None:
    engine = support.engine(tmp_path)
    engine.ask("ik heb een knarsvoet")
    other = sqlite3.connect(support.database(tmp_path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    row = gap_row(engine.ask("ik heb een knarsvoet"))
    assert (row.outcome, row.note) == ("skipped", "not counted: the database is locked")
    began = perf_counter()
    rows = [engine.gaps.record(ONE) for _ in range(20)] if engine.gaps else []
    assert perf_counter() - began < 0.5  # only the first one waited
    assert {r.outcome for r in rows} == {"skipped"}
    other.execute("ROLLBACK")
    other.close()
    assert gap_row(engine.ask("ik heb een knarsvoet")).outcome == "hit"
    assert engine.gaps is not None
    assert engine.gaps.skipped == 21
    assert counted(tmp_path) == {"knarsvoet": 2}
    with opened(support.database(tmp_path)) as counts:
        assert counts.skipped() == 21
    engine.close()


@pytest.mark.parametrize("fault", ["a folder", "rubbish", "no place"])
def test_a_database_that_cannot_be_used_fails_no_turn(tmp_path: Path, fault: str) -> None:
    engine = support.engine(tmp_path)
    path = support.database(tmp_path)
    if fault == "no place":
        path.parent.write_text("a file where the folder should be")
    else:
        path.parent.mkdir()
        if fault == "a folder":
            path.mkdir()
        else:
            path.write_bytes(b"rubbish" * 1000)
    for _ in range(2):
        answer = engine.ask("ik heb een knarsvoet")
        row = gap_row(answer)
        assert row.outcome == "error"
        assert row.note is not None
        assert row.note.startswith("not counted: ")
        assert "knarsvoet" not in row.note
        assert answer.enrichment.concept_outcomes[0].outcome == "no_page"
    assert engine.gaps is not None
    assert engine.gaps.skipped == 2


def test_old_counts_go_once_a_day(tmp_path: Path) -> None:
    path = tmp_path / "gaps.sqlite"
    today = [date(2026, 1, 1)]
    recorder = Recorder(path, 5, 30, today=lambda: today[0])
    recorder.record(ONE)
    today[0] = date(2026, 1, 20)
    recorder.record(ONE)
    today[0] = date(2026, 2, 15)
    recorder.record(ONE)
    store = Store(path)
    assert [(r.count, r.last) for r in store.rows()] == [(2, "2026-02-15")]
    store.close()
    recorder.close()


def test_threads_share_one_recorder(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "gaps.sqlite", 5, 30)
    recorder.record(ONE)
    outcomes: list[str] = []

    def work() -> None:
        outcomes.extend(recorder.record(ONE).outcome for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    recorder.close()
    store = Store(tmp_path / "gaps.sqlite")
    assert store.rows()[0].count == 1 + outcomes.count("hit")
    assert outcomes.count("hit") + recorder.skipped == 200
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_worker_opens_its_own(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "gaps.sqlite", 5, 30)
    recorder.record(ONE)
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=lambda: os._exit(_worked(recorder))) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0, 0]
    assert recorder.record(ONE).outcome == "hit"
    recorder.close()
    store = Store(tmp_path / "gaps.sqlite")
    assert store.rows()[0].count == 2 + 2 * 20
    store.close()


def _worked(recorder: Recorder) -> int:
    hits = 0
    while hits < 20:
        hits += recorder.record(ONE).outcome == "hit"
    return 0
