"""Clocks and meters."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.bench.timing import child, disk_mb, memory_mb, microseconds, percentiles, rounded
from dragoman.errors import DragomanError


def test_percentiles_by_nearest_rank() -> None:
    assert percentiles(list(range(1, 101)), 50, 99) == {"p50": 50.0, "p99": 99.0}
    assert percentiles([7.0], 50, 99) == {"p50": 7.0, "p99": 7.0}
    assert percentiles([3.0, 1.0, 2.0], 50) == {"p50": 2.0}


def test_three_digits_are_enough() -> None:
    assert [rounded(x) for x in (123456.0, 1.23456, 0.00123456, 0.0)] == [123000.0, 1.23, 0.00123, 0.0]


def test_every_input_is_called_once() -> None:
    seen: list[int] = []
    assert len(microseconds(seen.append, range(5))) == 5
    assert seen == [0, 1, 2, 3, 4]


def test_a_child_is_metered_whatever_it_prints() -> None:
    code = "import sys; sys.stderr.write('x' * 200_000); sys.stdout.write('y' * 200_000); b = bytearray(60_000_000)"
    cost = child(["-c", code])
    assert len(cost.output) == 200_000
    assert cost.wall_s > 0
    assert cost.peak_rss_mb > 60


def test_a_child_that_fails_says_why() -> None:
    with pytest.raises(DragomanError, match="failed: no luck"):
        child(["-c", "import sys; sys.exit('no luck')"])


def test_memory_and_disk(tmp_path: Path) -> None:
    resident, private = memory_mb()
    assert 5 < private <= resident < 10_000
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "x").write_bytes(b"x" * 2_000_000)
    assert disk_mb(tmp_path) == 2.0
