"""``bench``: the document of the contract, on a small size."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Dragoman


@pytest.mark.slow
def test_the_figures_of_the_contract(dragoman: Dragoman) -> None:
    ran = dragoman("bench", "--size", "3000", "--json")
    assert ran.code == 0
    found = ran.json
    assert found["resolver"]["aliases"] == 10164
    for part, keys in (
        ("resolver", ("resolve_us", "suggest_us", "difflib_us", "times_faster")),
        ("enrich", ("terms", "exact_us", "all_us", "dict_us", "times_dict")),
        ("build", ("rows", "relations", "cpu_s", "disk_mb", "peak_rss_mb")),
    ):
        assert set(keys) <= set(found[part])
    assert set(found["resolver"]["resolve_us"]) == {"p50", "p99"}
    for name in ("open_ms", "worker_rss_mb", "import_ms", "cli_cold_ms"):
        assert found[name] > 0
    offline = found["offline_understand_ms"]
    assert offline is None or min(offline["p50"], offline["batch_a_second"], offline["added_mb"]) > 0
    assert found["model_overhead_ms"] is None or found["model_overhead_ms"]["p50"] > 0
