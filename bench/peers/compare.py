"""The same vocabulary and the same probes, put to dragoman and to what people use today.

    python bench/peers/compare.py [--only NAME ...] [--out bench/peers/results.json]

Makes an environment for each peer in ``--venvs`` (a folder that is kept, so that a second run is quick), pinned by
``requirements.toml``, runs ``adapters.py`` in it, and prints a table. A probe is *right* where exactly the expected
concepts were found, *missed* where one was not, *false* where anything else was; it may be both of the last two.
What only is offered as a question (dragoman's ``fuzzy``) counts as found. No time is taken: ``dragoman bench`` does.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
VOCABULARY, PROBES = HERE / "vocabulary.csv", HERE / "probes.csv"
LIMIT_S = 600


def probes() -> list[dict[str, str]]:
    with PROBES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def judge(found: dict[str, list[str]], asked: list[dict[str, str]]) -> dict[str, Any]:
    """Counts, and what was not right: ``{probe: what was found}``."""
    counts = {"right": 0, "missed": 0, "false": 0}
    wrong = {}
    for probe in asked:
        expected, got = set(filter(None, probe["expected"].split("|"))), set(found[probe["id"]])
        counts["right"] += got == expected
        counts["missed"] += bool(expected - got)
        counts["false"] += bool(got - expected)
        if got != expected:
            wrong[probe["id"]] = sorted(got)
    return {**counts, "wrong": wrong}


def python_of(name: str, packages: list[str] | None, venvs: Path) -> str:
    """The interpreter of the peer's own environment, made where it is not there."""
    if packages is None:
        return sys.executable
    place = venvs / name
    python = place / "bin" / "python"
    done = place / "installed"
    if not done.is_file() or done.read_text() != "\n".join(packages):
        subprocess.run([sys.executable, "-m", "venv", "--clear", place], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        done.write_text("\n".join(packages))
    return str(python)


def run(name: str, python: str) -> dict[str, list[str]] | str:
    """What the peer found by probe, or why it could not be run."""
    command = [python, "-m", "bench.peers.adapters", name, str(VOCABULARY), str(PROBES)]
    env = {**os.environ, "HF_HUB_OFFLINE": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, env=env, cwd=HERE.parents[1])
    if ran.returncode:
        return (ran.stderr.strip().splitlines() or ["no word"])[-1][:200]
    found: dict[str, list[str]] = json.loads(ran.stdout)
    return found


def table(results: dict[str, Any], asked: list[dict[str, str]]) -> str:
    kinds = sorted({p["kind"] for p in asked})
    lines = [f"| system | right of {len(asked)} | missed | false | not right |", "|---|---|---|---|---|"]
    for name, result in results.items():
        if isinstance(result, str):
            lines.append(f"| {name} | not run: {result} | | | |")
            continue
        of = {p["id"]: p["kind"] for p in asked}
        per_kind = {kind: sum(of[i] == kind for i in result["wrong"]) for kind in kinds}
        said = ", ".join(f"{kind} {count}" for kind, count in per_kind.items() if count)
        lines.append(f"| {name} | {result['right']} | {result['missed']} | {result['false']} | {said or '–'} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--venvs", type=Path, default=Path.home() / ".cache" / "dragoman-peers")
    parser.add_argument("--out", type=Path, default=HERE / "results.json")
    options = parser.parse_args()
    listed = tomllib.loads((HERE / "requirements.toml").read_text("utf-8"))
    not_run = listed.pop("not_run")
    asked = probes()
    results: dict[str, Any] = {}
    for name, entry in listed.items():
        if options.only and name not in options.only:
            continue
        found = run(name, python_of(name, entry.get("packages"), options.venvs))
        results[name] = found if isinstance(found, str) else judge(found, asked)
        print(name, "…", found if isinstance(found, str) else results[name]["right"], file=sys.stderr)
    text = json.dumps({"results": results, "not_run": not_run}, ensure_ascii=False, indent=1)
    options.out.write_text(text + "\n", "utf-8")
    print(table(results, asked))
    for name, why in not_run.items():
        print(f"| {name} | not run: {why} | | | |")


if __name__ == "__main__":
    main()
