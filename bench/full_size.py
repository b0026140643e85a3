"""What an index of full size costs: the table of docs/full-size.md.

    python bench/full_size.py FOLDER [--descriptions 50000 529000 3000000]

Generates RF2 releases (``generate_rf2.py``; kept in FOLDER, so that a second run goes faster), builds each in a fresh
process, and opens it in further ones. All times are CPU (user and system), so that neighbours do not count; memory is
private (anonymous) beside what the process held before it opened the index, so that pages of the mapped index, which
workers share, do not count.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from statistics import median

from bench import generate_rf2
from dragoman.bench.timing import child, disk_mb, rounded

STARTS = 5
WORKER = """
import json, sys, time
from dragoman.bench.timing import memory_mb
from dragoman.engine import Dragoman
from dragoman.project import load
load(sys.argv[1]).packs
before = memory_mb()[1]
start = time.process_time()
engine = Dragoman.open(sys.argv[1])
opened = time.process_time()
engine.ask(sys.argv[2])
first = time.process_time()
for n in range(200):
    engine.ask(f"{sys.argv[2]} {n}")
print(json.dumps({"open_ms": 1000 * (opened - start), "first_ms": 1000 * (first - opened),
                  "private_mb": memory_mb()[1] - before}))
"""
HEAD = (
    "descriptions",
    "relationships",
    "build CPU s",
    "peak MB",
    "disk MB",
    "open ms",
    "private MB",
    "first answer ms",
)


def measure(folder: Path, size: int) -> list[object]:
    """One row of the table."""
    place = folder / str(size)
    if not (place / "dragoman.toml").is_file():
        relationships = round(size * generate_rf2.RELATIONS)
        ids = generate_rf2.release(place / "release", size, round(size * generate_rf2.PER_CONCEPT), relationships)
        generate_rf2.project(place, ids)
    shutil.rmtree(place / ".dragoman", ignore_errors=True)
    cost = child(["-m", "dragoman", "build", "--project", str(place), "--json"])
    counts = json.loads(cost.output)["counts"]
    term = (place / "entities.csv").read_text("utf-8").splitlines()[1].split(",")[2]
    found = [json.loads(child(["-c", WORKER, str(place), f"ik heb last van {term}"]).output) for _ in range(STARTS)]
    return [
        f"{size:,}",
        f"{counts['relations']:,}",
        rounded(cost.cpu_s),
        rounded(cost.peak_rss_mb),
        disk_mb(place / ".dragoman"),
        rounded(min(f["open_ms"] for f in found)),
        rounded(median(f["private_mb"] for f in found)),
        rounded(min(f["first_ms"] for f in found)),
    ]


def main() -> None:
    """The command line; see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--descriptions", type=int, nargs="+", default=[50_000, 529_000])
    given = parser.parse_args()
    print("| " + " | ".join(HEAD) + " |\n|" + "---:|" * len(HEAD))
    for size in given.descriptions:
        print("| " + " | ".join(str(cell) for cell in measure(given.folder, size)) + " |", flush=True)


if __name__ == "__main__":
    main()
