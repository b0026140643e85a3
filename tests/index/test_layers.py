"""Two parts read as one: the lower one's items first, a key of either or of both."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.index import slots
from dragoman.index.arrays import Part, Writer
from dragoman.index.layers import Over

ROWS = st.dictionaries(st.text(max_size=8), st.lists(st.integers(0, 2**32 - 1), max_size=3), max_size=40)
INTS = st.lists(st.integers(0, 255), max_size=8)
HERE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def over(place: Path) -> tuple[Writer, Writer, Over]:
    folders = place / "shared", place / "own"
    for folder in folders:
        folder.mkdir(exist_ok=True)
        for file in folder.iterdir():
            file.unlink()
    return Writer(folders[0]), Writer(folders[1]), Over(Part(folders[0]), Part(folders[1]))


@HERE
@given(ROWS, ROWS)
def test_a_key_has_the_runs_of_both(tmp_path: Path, below: dict[str, list[int]], above: dict[str, list[int]]) -> None:
    shared, own, both = over(tmp_path)
    shared.table("t", below)
    own.table("t", above)
    table = both.table("t")
    assert len(table) == len(below) + len(above)
    rows = {key: row for row, key in enumerate((*below, *(k for k in above if k not in below)))}
    for key in {**below, **above}:
        found = table.get(key)
        assert found is not None
        assert list(found) == below.get(key, []) + above.get(key, [])
        assert key in table
        if below.keys().isdisjoint(above):
            assert table.row(key) == rows[key]
    assert table.get("a key that is too long to be drawn") is None
    assert table.row("a key that is too long to be drawn") == -1


@HERE
@given(INTS, INTS)
def test_numbers_go_on_where_the_lower_part_ends(tmp_path: Path, below: list[int], above: list[int]) -> None:
    shared, own, both = over(tmp_path)
    for writer, values in ((shared, below), (own, above)):
        writer.ints("i", values, "B")
        writer.strings("s", map(str, values))
        writer.runs("r", [[value] for value in values])
    every = below + above
    ints, strings, runs = both.ints("i", "B"), both.strings("s"), both.runs("r")
    assert [ints[n] for n in range(len(ints))] == every
    assert [strings[n] for n in range(len(strings))] == [str(v) for v in every]
    assert [list(runs[n]) for n in range(len(runs))] == [[v] for v in every]


def test_what_a_part_lacks_is_looked_for_below(tmp_path: Path) -> None:
    shared, own, both = over(tmp_path)
    shared.ints("a", [1])
    shared.ints("b", [2])
    own.ints("b", [3])
    part = Part(both.own.folder, both.shared)
    assert list(part.ints("a")) == [1]
    assert list(part.ints("b")) == [3]


@HERE
@given(st.sets(st.text(max_size=6), max_size=70))
def test_a_small_table_is_the_same_with_and_without_numpy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: set[str]
) -> None:
    rows = {key: [n] for n, key in enumerate(sorted(keys))}
    made = []
    for few in (0, 1_000):
        monkeypatch.setattr(slots, "FEW", few)
        place = tmp_path / str(few)
        place.mkdir(exist_ok=True)
        Writer(place).table("t", rows)
        several = Writer(place).grouped("g", ((key[:1], n) for n, key in enumerate(keys)))
        assert all(len(run) > 1 for run in several)
        made.append({p.name: p.read_bytes() for p in place.iterdir()})
    assert made[0] == made[1]
