"""Draws ``img/soak.svg`` from the rows of ``python -m bench.serve_load --soak``: ``python docs/make_soak.py``."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

IMAGES = Path(__file__).parent / "img"
WIDTH, HEIGHT, LEFT, TOP, GAP = 720, 110, 70, 24, 46
PANELS = (("rss_mb", "memory, MB"), ("per_s", "requests a second"), ("p99_ms", "99th percentile, ms"))


def draw(rows: Sequence[dict[str, str]]) -> str:
    """The picture: a panel for each of ``PANELS`` over the minutes of the soak."""
    times = [float(row["s"]) for row in rows]
    failures = sum(int(row["failures"]) for row in rows)
    asked = round(sum(float(row["per_s"]) for row in rows) * times[-1] / len(rows))
    reloads = float(rows[-1].get("reloads") or 0)
    title = f"{asked:,} requests in {times[-1] / 60:.0f} minutes, {reloads:.0f} reloads, {failures} failures"
    tall = TOP + len(PANELS) * (HEIGHT + GAP)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {tall}" role="img" '
        f'aria-label="{title}" font-family="sans-serif" font-size="12" fill="#607d8b">',
        f'<text x="{LEFT}" y="14" font-size="13">{title}</text>',
    ]
    for number, (field, label) in enumerate(PANELS):
        values = [float(row[field]) for row in rows]
        most = max(values) * 1.1 or 1.0
        base = TOP + number * (HEIGHT + GAP) + HEIGHT + 12
        points = " ".join(
            f"{LEFT + WIDTH * at / times[-1]:.1f},{base - HEIGHT * value / most:.1f}"
            for at, value in zip(times, values, strict=True)
        )
        out += [
            f'<path d="M{LEFT} {base - HEIGHT}V{base}H{LEFT + WIDTH}" fill="none" stroke="#90a4ae"/>',
            f'<polyline points="{points}" fill="none" stroke="#00897b" stroke-width="1.5"/>',
            f'<text x="{LEFT - 6}" y="{base - HEIGHT + 10}" text-anchor="end">{most:.4g}</text>',
            f'<text x="{LEFT - 6}" y="{base}" text-anchor="end">0</text>',
            f'<text x="{LEFT + 6}" y="{base - HEIGHT - 3}">{label}</text>',
            f'<text x="{LEFT + WIDTH}" y="{base + 14}" text-anchor="end">{times[-1] / 60:.1f} min</text>',
        ]
    return "\n".join([*out, "</svg>"]) + "\n"


if __name__ == "__main__":
    with (IMAGES / "soak.csv").open(encoding="utf-8", newline="") as file:
        (IMAGES / "soak.svg").write_text(draw(list(csv.DictReader(file))), "utf-8")
