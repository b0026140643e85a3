"""Half load for half an hour, with a newer index every ten seconds: nothing fails, and nothing piles up."""

from __future__ import annotations

import os
import statistics
from pathlib import Path

import pytest

MINUTES = float(os.environ.get("DRAGOMAN_SOAK_MINUTES", "30"))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory from /proc")
def test_soak(tmp_path):
    from bench import serve_load

    path = serve_load.project(tmp_path / "project")
    rate = serve_load.measure(path, 10.0)["full"]["per_s"] / 2
    rows = serve_load.soak(path, MINUTES * 60, rate, tmp_path / "soak.csv")
    assert sum(row["failures"] for row in rows) == 0
    assert rows[-1]["reloads"] >= MINUTES * 60 / serve_load.RELOAD_S / 2
    memory = [row["rss_mb"] for row in rows]
    third = len(memory) // 3
    assert statistics.median(memory[-third:]) < statistics.median(memory[third : 2 * third]) * 1.05 + 8
