"""The file format: what is written comes back, and damage is refused."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import IndexUnusable
from dragoman.index import arrays, slots
from dragoman.index.arrays import Part, Writer

KEYS = st.dictionaries(st.text(max_size=20), st.lists(st.integers(0, 2**32 - 1), max_size=4), max_size=60)
HERE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@HERE
@given(KEYS, st.lists(st.text(max_size=20), max_size=8))
def test_a_table_gives_back_what_was_put_in_and_nothing_else(
    tmp_path: Path, rows: dict[str, list[int]], others: list[str]
) -> None:
    Writer(tmp_path).table("t", rows)
    table = Part(tmp_path).table("t")
    assert len(table) == len(rows)
    for key, row in rows.items():
        found = table.get(key)
        assert found is not None
        assert list(found) == row
    for other in set(others) - set(rows):
        assert table.get(other) is None
        assert other not in table


@HERE
@given(st.lists(st.text(max_size=30), max_size=40), st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=5)))
def test_strings_and_runs_come_back(tmp_path: Path, strings: list[str], runs: list[list[int]]) -> None:
    writer = Writer(tmp_path)
    writer.strings("s", strings)
    writer.runs("r", runs)
    part = Part(tmp_path)
    assert list(part.strings("s")) == strings
    opened = part.runs("r")
    assert [list(opened[i]) for i in range(len(opened))] == runs


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    Writer(tmp_path).ints("n", [1, 2, 3])
    path = tmp_path / "n.u32"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(IndexUnusable, match="cut short"):
        Part(tmp_path).ints("n")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable, match="cannot be read"):
        Part(tmp_path).table("nothing")


@HERE
@given(st.lists(st.tuples(st.text(max_size=3), st.integers(0, 2**32 - 1)), max_size=60))
def test_pairs_come_back_as_the_table_of_their_keys(tmp_path: Path, pairs: list[tuple[str, int]]) -> None:
    rows: dict[str, list[int]] = {}
    for key, value in pairs:
        rows.setdefault(key, []).append(value)
    several = Writer(tmp_path).grouped("g", pairs)
    table = Part(tmp_path).table("g")
    assert {key: list(table.get(key) or ()) for key in rows} == rows
    assert [table.row(key) for key in rows] == list(range(len(rows)))
    assert sorted(map(list, several)) == sorted(row for row in rows.values() if len(row) > 1)


@pytest.mark.parametrize("few", [0, 1_000])
def test_two_keys_of_one_digest_are_refused(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(slots, "FEW", few)
    with pytest.raises(IndexUnusable, match="two keys of t share a digest"):
        slots.slots("t", array("Q", [7, 9, 7]))
    with pytest.raises(IndexUnusable, match="two keys of t share a digest"):
        slots.groups("t", array("Q", [7, 9, 7]), array("I", [1, 1, 2]))


def test_offsets_are_wide_only_where_they_must_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_SMALL", 3)
    writer = Writer(tmp_path)
    writer.strings("short", ["a", "b"])
    writer.strings("long", ["abc", "de"])
    part = Part(tmp_path)
    assert list(part.strings("short")) == ["a", "b"]
    assert list(part.strings("long")) == ["abc", "de"]
    assert (tmp_path / "short.at.u32").is_file()
    assert (tmp_path / "long.at.u64").is_file()


def test_lists_of_which_none_was_written_are_all_empty(tmp_path: Path) -> None:
    Writer(tmp_path).runs("none", ())
    assert list(Part(tmp_path).runs("none")[41]) == []
