"""What an index of full size costs: the table of docs/full-size.md.

    python -m bench.full_size FOLDER [--descriptions 50000 529000 3000000] [--exact] [--plot FILE.svg]

Generates RF2 releases (``generate_rf2.py``; kept in FOLDER, so that a second run goes faster), builds each in a fresh
process (then again, when one page has changed), and opens it in further ones. All times are CPU (user and system), so
that neighbours do not count; memory is private (anonymous) beside what the process held before it opened the index, so
that pages of the mapped index, which workers share, do not count. The first answer is measured twice: in a process that
loads the offline understanding (NumPy, the encoder, the heads; once a process, whatever the index) with it, and in one
that has it already.
"""

from __future__ import annotations

import argparse
import json
import shutil
from math import log
from pathlib import Path
from statistics import median

from bench import generate_rf2
from dragoman.bench.timing import child, disk_mb, rounded

STARTS = 5
WORKER = """
import json, sys, time
from dragoman.bench.timing import memory_mb
from dragoman.engine import Dragoman
from dragoman.offline.understand import of_project
from dragoman.project import load
project = load(sys.argv[1])
project.packs
if len(sys.argv) > 3:
    of_project(project)
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
HEAD = {
    "descriptions": "descriptions",
    "relations": "relationships",
    "cpu_s": "build CPU s",
    "pages_s": "pages alone CPU s",
    "peak_mb": "peak MB",
    "disk_mb": "disk MB",
    "open_ms": "open ms",
    "private_mb": "private MB",
    "first_ms": "first answer ms",
    "loaded_ms": "first answer ms, offline model loaded",
}
WITHOUT = '\n[build]\nwithout = ["morphology", "spelling", "compounds", "fuzzy"]\n'
PLOTTED = ("cpu_s", "peak_mb", "disk_mb", "open_ms")


def measure(folder: Path, size: int, exact: bool) -> dict[str, float]:
    """One row of the table."""
    place = folder / str(size)
    if not (place / "dragoman.toml").is_file():
        relationships = round(size * generate_rf2.RELATIONS)
        ids = generate_rf2.release(place / "release", size, round(size * generate_rf2.PER_CONCEPT), relationships)
        generate_rf2.project(place, ids)
    project = place / "dragoman.toml"
    text = project.read_text("utf-8").partition("\n[build]")[0]
    project.write_text(text + (WITHOUT if exact else ""), "utf-8")
    shutil.rmtree(place / ".dragoman", ignore_errors=True)
    build = ["-m", "dragoman", "build", "--project", str(place), "--json"]
    cost = child(build)
    disk = disk_mb(place / ".dragoman")
    pages = place / "entities.csv"
    rows = pages.read_text("utf-8").splitlines()
    term = rows[1].split(",")[2]
    pages.write_text("\n".join([*rows[:-1], rows[-1].replace(",published,", "x,published,")]) + "\n", "utf-8")
    found, loaded = _starts(place, f"ik heb last van {term}"), _starts(place, f"ik heb last van {term}", "loaded")
    return {
        "descriptions": size,
        "relations": json.loads(cost.output)["counts"]["relations"],
        "cpu_s": rounded(cost.cpu_s),
        "pages_s": rounded(child(build).cpu_s),
        "peak_mb": rounded(cost.peak_rss_mb),
        "disk_mb": disk,
        "open_ms": rounded(min(f["open_ms"] for f in found)),
        "private_mb": rounded(median(f["private_mb"] for f in found)),
        "first_ms": rounded(min(f["first_ms"] for f in found)),
        "loaded_ms": rounded(min(f["first_ms"] for f in loaded)),
    }


def _starts(place: Path, *arguments: str) -> list[dict[str, float]]:
    """What ``WORKER`` measures, in fresh processes."""
    return [json.loads(child(["-c", WORKER, str(place), *arguments]).output) for _ in range(STARTS)]


def plot(rows: list[dict[str, float]]) -> str:
    """How each cost grows with the descriptions, against the smallest size, as SVG with logarithmic axes; the dashed
    line is what would grow as the descriptions do."""
    first, last = rows[0]["descriptions"], rows[-1]["descriptions"]
    width, height, edge = 560, 340, 60
    top = log(last / first)

    def at(size: float, times: float) -> str:
        x = edge + (width - 2 * edge) * log(size / first) / top
        y = height - edge - (height - 2 * edge) * max(log(times), 0) / top
        return f"{x:.0f},{y:.0f}"

    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12"'
        f' viewBox="0 0 {width} {height}">',
        f'<polyline points="{at(first, 1)} {at(last, last / first)}" fill="none" stroke="#888" stroke-dasharray="5"/>',
    ]
    for colour, key in zip(("#0b6", "#06c", "#c60", "#808"), PLOTTED, strict=True):
        points = [at(row["descriptions"], row[key] / rows[0][key]) for row in rows]
        x, y = points[-1].split(",")
        lines.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        times = rows[-1][key] / rows[0][key]
        lines.append(
            f'<text x="{x}" y="{y}" dx="-8" dy="-6" text-anchor="end" fill="{colour}">{HEAD[key]} ×{times:.1f}</text>'
        )
    for row in rows:
        x = at(row["descriptions"], 1).partition(",")[0]
        lines.append(f'<text x="{x}" y="{height - edge + 20}" text-anchor="middle">{row["descriptions"]:,.0f}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def main() -> None:
    """The command line; see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--descriptions", type=int, nargs="+", default=[50_000, 529_000])
    parser.add_argument("--exact", action="store_true", help="terms as they are written alone: [build] without")
    parser.add_argument("--plot", type=Path, help="write the growth as an SVG file")
    given = parser.parse_args()
    print("| " + " | ".join(HEAD.values()) + " |\n|" + "---:|" * len(HEAD))
    rows = []
    for size in sorted(given.descriptions):
        rows.append(measure(given.folder, size, given.exact))
        print("| " + " | ".join(f"{rows[-1][key]:,}" for key in HEAD) + " |", flush=True)
    if given.plot:
        given.plot.write_text(plot(rows), "utf-8")


if __name__ == "__main__":
    main()
