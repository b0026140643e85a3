"""The file format: what is written comes back, and damage is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import IndexUnusable
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
