"""The database: counts by day, names only from several requests, nothing left after forgetting."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import DataError
from dragoman.gaps.observe import Ambiguous, Concept, Drug, Missing
from dragoman.gaps.store import DRUG, NO_PAGE, Held, Store, opened

NAME = "jan vanderschueren"
ASKED = Missing("vraag van Jan Vanderschueren", (), (Drug(NAME, NAME, None),), ())


def said(request: str) -> Missing:
    return ASKED._replace(request=request)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "gaps.sqlite"


def files(path: Path) -> bytes:
    return b"".join(p.read_bytes() for p in sorted(path.parent.iterdir()))


def test_counts_are_summed_over_days_and_kept_apart_by_source(path: Path) -> None:
    store = Store(path)
    concept = Concept("sct", "1", "kwaal")
    for day in ("2026-01-01", "2026-01-01", "2026-01-03"):
        store.add(day, Missing("r", (concept, Concept("hpo", "1", "klacht"))), 5)
    rows = {(r.source, r.label): (r.count, r.last) for r in store.rows()}
    assert rows == {("sct", "kwaal"): (3, "2026-01-03"), ("hpo", "klacht"): (3, "2026-01-03")}
    assert [r.count for r in store.rows("2026-01-02")] == [1, 1]
    store.close()


def test_the_file_is_its_owners_alone(path: Path) -> None:
    store = Store(path)
    store.add("2026-01-01", ASKED, 5)
    assert {p.stat().st_mode & 0o777 for p in path.parent.iterdir()} == {0o600}
    store.close()


def test_an_unlisted_name_is_nowhere_in_the_file_until_enough_requests_brought_it(path: Path) -> None:
    store = Store(path)
    for n in range(4):
        store.add("2026-01-01", said(f"mijn vraag {n}"), 5)
        found = files(path).lower()
        assert b"vanderschueren" not in found
        assert b"mijn vraag" not in found
        assert store.rows() == []
        assert store.held() == Held(names=1, count=n + 1)
    store.add("2026-01-02", said("mijn vraag 5"), 5)
    (row,) = store.rows()
    assert (row.kind, row.label, row.listed, row.count, row.last) == (DRUG, NAME, False, 5, "2026-01-02")
    assert store.held() == Held()
    store.add("2026-01-03", said("mijn vraag 5"), 5)
    assert [r.count for r in store.rows()] == [6]
    assert b"mijn vraag" not in files(path).lower()
    store.close()


def test_the_same_request_again_is_not_another_one(path: Path) -> None:
    store = Store(path)
    for _ in range(20):
        store.add("2026-01-01", said("dezelfde vraag"), 2)
    assert store.rows() == []
    assert store.held() == Held(names=1, count=20)
    store.close()


def test_a_listed_name_is_stored_at_once(path: Path) -> None:
    store = Store(path)
    store.add("2026-01-01", Missing("r", (), (Drug("morvaxil", "morvaxil", "Morvaxil"),), ()), 5)
    assert [(r.label, r.listed) for r in store.rows()] == [("Morvaxil", True)]
    store.close()


def test_two_databases_hash_alike_names_differently(tmp_path: Path) -> None:
    hashes = []
    for name in ("a.sqlite", "b.sqlite"):
        store = Store(tmp_path / name)
        store.add("2026-01-01", ASKED, 5)
        store.close()
        with sqlite3.connect(tmp_path / name) as db:
            hashes.append(db.execute("SELECT name, request FROM held").fetchone())
        db.close()
    assert hashes[0][0] != hashes[1][0]
    assert hashes[0][1] != hashes[1][1]


def test_what_is_old_goes(path: Path) -> None:
    store = Store(path)
    store.add("2025-01-01", ASKED._replace(concepts=(Concept("sct", "1", "oudekwaal"),)), 5)
    store.add("2026-01-01", Missing("r", (Concept("sct", "2", "kwaal"),)), 5, before="2025-06-01")
    assert [(r.kind, r.label) for r in store.rows()] == [(NO_PAGE, "kwaal")]
    assert store.held() == Held()
    store.close()


def test_forgetting_leaves_nothing_in_the_file(path: Path) -> None:
    store = Store(path)
    for n in range(3):
        store.add("2026-01-01", said(f"r{n}")._replace(ambiguous=(Ambiguous("wrotel", ("a:1", "a:2")),)), 2, skipped=1)
    assert b"vanderschueren" in files(path)
    assert store.forget() > 0
    assert store.rows() == []
    assert store.held() == Held()
    assert store.skipped() == 0
    assert b"vanderschueren" not in files(path)
    assert b"wrotel" not in files(path)
    store.add("2026-01-01", ASKED, 2)  # and it goes on
    store.close()


def test_a_failed_write_leaves_nothing_behind(path: Path) -> None:
    store = Store(path)
    bad = Missing("r", (Concept("sct", "1", "kwaal"),), (Drug("x", "x", None),), ())
    with pytest.raises(sqlite3.Error):
        store.add("2026-01-01", bad._replace(drugs=(Drug("x", object(), None),)), 1)  # type: ignore[arg-type]
    assert store.rows() == []
    store.add("2026-01-01", bad, 5)
    assert len(store.rows()) == 1
    store.close()


@pytest.mark.parametrize("what", [b"this is no database at all, whatever it is called", b""])
def test_a_damaged_file_is_told(tmp_path: Path, what: bytes) -> None:
    (tmp_path / "gaps.sqlite").write_bytes(what * 100)
    with pytest.raises(DataError, match="is not a database of gaps"), opened(tmp_path / "gaps.sqlite") as counts:
        counts.rows()


def test_nothing_recorded_is_empty_and_makes_no_file(tmp_path: Path) -> None:
    with opened(tmp_path / "gaps.sqlite") as counts:
        assert counts.rows() == []
    assert list(tmp_path.iterdir()) == []


WRITER = """
import sys
from pathlib import Path
from dragoman.gaps.observe import Concept, Drug, Missing
from dragoman.gaps.store import Store
path, me = Path(sys.argv[1]), sys.argv[2]
store = Store(path, 30)
store.wait(30_000)
for n in range(50):
    drugs = (Drug("plixobrand", "plixobrand", None), Drug(f"eigen{me}", f"eigen{me}", None))
    store.add("2026-01-01", Missing(f"vraag {me} {n % 2}", (Concept("sct", "1", "kwaal"),), drugs), 8)
store.close()
"""


def test_several_processes_at_once_lose_nothing(path: Path) -> None:
    """They all find no file and make it; four of them bring two requests each, the eighth brings the name."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(n)], env=env) for n in range(4)]
    assert [w.wait(120) for w in writers] == [0] * 4
    store = Store(path)
    rows = {(r.kind, r.label): r.count for r in store.rows()}
    assert rows == {(NO_PAGE, "kwaal"): 200, (DRUG, "plixobrand"): 200}
    assert store.held() == Held(names=4, count=200)
    store.close()
    assert [p.name for p in path.parent.iterdir()] == ["gaps.sqlite"]
    assert b"eigen" not in files(path)


@given(st.text(min_size=6, max_size=40), st.integers(1, 3))
def test_no_text_reaches_the_database_too_early(name: str, requests: int) -> None:
    """Whatever is asked, in memory as in a file: the same statements."""
    store = Store(None)
    for n in range(requests):
        store.add("2026-01-01", Missing(f"{name} {n}", (), (Drug(name, name, None),), ()), requests + 1)
    dump = "\n".join(store._db.iterdump())
    assert store.rows() == []
    assert name not in dump or set(name) <= set("0123456789abcdefABCDEF(),'X ;-")  # hashes are hexadecimal here
    store.close()
