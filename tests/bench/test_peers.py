"""The peers' comparison: its probes are sound, it says of dragoman what happens, and the pages show that one run."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from pathlib import Path
from typing import Any

from bench.peers import adapters, compare

ROOT = Path(__file__).parents[2]
RUN: dict[str, Any] = json.loads((ROOT / "bench/peers/results.json").read_text("utf-8"))


def vocabulary() -> list[dict[str, str]]:
    with compare.VOCABULARY.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_probes_expect_concepts_that_there_are() -> None:
    ids = {row["concept_id"] for row in vocabulary()}
    asked = compare.probes()
    assert len({probe["id"] for probe in asked}) == len(asked) >= 33
    for probe in asked:
        assert set(filter(None, probe["expected"].split("|"))) <= ids, probe["id"]
    assert sum(not probe["expected"] for probe in asked) >= 6


def test_every_peer_is_pinned_and_has_an_adapter() -> None:
    listed = tomllib.loads((ROOT / "bench/peers/requirements.toml").read_text("utf-8"))
    listed.pop("not_run")
    assert set(listed) == set(adapters.PEERS) == set(RUN["results"])
    for entry in listed.values():
        assert entry.get("here") or all(re.search(r"==|<", package) for package in entry["packages"])


def test_what_the_run_says_of_dragoman_is_what_happens() -> None:
    asked = compare.probes()
    find = adapters.dragoman(vocabulary())
    now = compare.judge({probe["id"]: sorted(find(probe["text"])) for probe in asked}, asked)
    was = RUN["results"]["dragoman"]
    assert now["false"] == was["false"] == 0
    assert now["right"] >= was["right"], "dragoman does worse than the page says: run bench/peers/compare.py"


def test_the_pages_show_the_run() -> None:
    for page in ("README.md", "docs/peers.md"):
        text = (ROOT / page).read_text("utf-8")
        for name, result in RUN["results"].items():
            if not isinstance(result, str):
                counts = f"| {result['right']} | {result['missed']} | {result['false']} |"
                assert counts in text, f"{page}: {name} {counts}"


def test_a_probe_is_judged_by_what_was_found() -> None:
    asked = [{"id": "1", "expected": "A|B"}, {"id": "2", "expected": ""}, {"id": "3", "expected": "C"}]
    found = {"1": ["B", "A"], "2": ["A"], "3": ["D"]}
    assert compare.judge(found, asked) == {"right": 1, "missed": 1, "false": 2, "wrong": {"2": ["A"], "3": ["D"]}}
