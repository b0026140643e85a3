"""Write the figures of the offline heads into ``docs/cards/offline-understanding.md`` and its confusion matrices.

    python scripts/offline_card.py

The text between the two markers is replaced; everything else of the page is written by hand. ``train_heads.py`` has
left the figures in each profile's ``card.json``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dragoman.offline.heads import DATA

DOCS = Path(__file__).parent.parent / "docs" / "cards"
PAGE = DOCS / "offline-understanding.md"
BEGIN, END = "<!-- figures: written by scripts/offline_card.py -->", "<!-- end of figures -->"
ABSTAINS = "(abstains)"
LANGUAGES = {"vi": "Vietnamese", "en": "English", "nl": "Dutch"}
VARIANTS = {
    "plain": "as written, names known",
    "noisy": "half of the names unknown, people's words around it",
    "bare": "Vietnamese without marks",
}
CELL, LABEL = 46, 170  # pixels


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def row(name: str, r: dict[str, Any]) -> str:
    cells = [percent(r.get(k)) for k in ("accuracy", "precision", "coverage")]
    cells += [percent(r["rules"][k]) for k in ("precision", "coverage")] if "rules" in r else ["", ""]
    return f"| {name} | {r['n']} | " + " | ".join(cells) + " |"


HEAD = (
    "| | n | heads, forced | right, where it answers | answers | rules alone: right | rules alone: answer |",
    "|---|--:|--:|--:|--:|--:|--:|",
)


def tables(card: dict[str, Any]) -> list[str]:
    """The tables of one profile."""
    f = card["figures"]
    held, frozen, unknown = f["families held out"], f["frozen"], f["frozen, no name known"]
    levels = card["heads"]["question"]
    out = [
        f"### `{card['profile']}`",
        "",
        f"Trained {card['trained']} on {card['families']} families ({card['turns']} turns); encoder: "
        f"{card['encoder']}. Levels: the heads alone {levels['threshold']}, against a rule {levels['overrule']}, what "
        f"the rules guess too {levels['agreed']}. Figures are percentages of turn types.",
        "",
        *HEAD,
        *(row(f"**families held out**, as written, {LANGUAGES[k]}", v) for k, v in held["plain"].items()),
        *(row(f"… {VARIANTS[k]}", v) for k, v in held["variant"].items()),
        *(row(f"… all of these, {LANGUAGES[k]}", v) for k, v in held["language"].items()),
        row("**separately worded, frozen**", frozen),
        *(row(f"… {LANGUAGES[k]}", v) for k, v in frozen["language"].items()),
        row("… no name in it known", unknown),
        *(
            f"| language held out: {LANGUAGES[k]} |  | {percent(v)} |  |  |  |  |"
            for k, v in f["language held out"].items()
        ),
        "",
        "| turn type, families held out | n | found | right, where told |",
        "|---|--:|--:|--:|",
        *(
            f"| `{k}` | {v['n']} | {percent(v['recall'])} | {percent(v['precision'])} |"
            for k, v in held["turn type"].items()
        ),
    ]  # fmt: skip
    if held["attribute"]:
        out += [
            "",
            "| attribute, of questions about one section | n | heads, forced | right, where told | told |",
            "|---|--:|--:|--:|--:|",
            short("families held out", held["attribute"]),
            *(
                f"| … as written, {LANGUAGES[k]} |  | {percent(v)} |  |  |"
                for k, v in held["attribute"]["plain"].items()
            ),
            short("separately worded, frozen", frozen["attribute"]),
            short("… no name in it known", unknown["attribute"]),
        ]
    others = [(n, f[n]) for n in ("context_action", "section_overview", "list_request") if f.get(n)]
    if others:
        out += [
            "", "| other heads, families held out | n | forced | right, where it answers | answers |",
            "|---|--:|--:|--:|--:|", *(short(f"`{name}`", r) for name, r in others),
        ]  # fmt: skip
    out += [
        "",
        f"![Confusion of turn types, {card['profile']}, families held out](confusion-{card['profile']}.svg)",
        "",
    ]
    return out


def short(name: str, r: dict[str, Any]) -> str:
    return (
        f"| {name} | {r['n']} | " + " | ".join(percent(r.get(k)) for k in ("accuracy", "precision", "coverage")) + " |"
    )


def matrix(card: dict[str, Any]) -> str:
    """The confusion of turn types on held-out families at the threshold, as SVG; rows are what was meant."""
    confusion = card["figures"]["families held out"]["confusion"]
    labels = sorted(confusion)
    columns = [*labels, ABSTAINS]
    width, height = LABEL + CELL * len(columns) + 10, LABEL + CELL * len(labels) + 10
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12" role="img">',
        f"<title>Confusion of turn types, {card['profile']}: rows are what was meant, columns what was told, "
        "in percent of the row</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for j, name in enumerate(columns):
        x = LABEL + CELL * j + CELL // 2 + 4
        out.append(f'<text transform="translate({x},{LABEL - 8}) rotate(-60)" fill="#1b1b1b">{name}</text>')
    for i, meant in enumerate(labels):
        total = sum(confusion[meant].values())
        y = LABEL + CELL * i
        out.append(f'<text x="{LABEL - 8}" y="{y + CELL // 2 + 4}" text-anchor="end" fill="#1b1b1b">{meant}</text>')
        for j, told in enumerate(columns):
            share = confusion[meant].get(told, 0) / total
            base = (86, 96, 110) if told == ABSTAINS else (16, 98, 152) if told == meant else (176, 58, 46)
            depth = min(1.0, share if told in (meant, ABSTAINS) else share * 6)
            r, g, b = (round(255 - (255 - c) * depth) for c in base)
            ink = "#ffffff" if depth > 0.55 else "#1b1b1b"
            x = LABEL + CELL * j
            out.append(
                f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{CELL - 1}" '
                f'fill="rgb({r},{g},{b})" stroke="#d5d5d5"/>'
            )
            if share >= 0.0005:
                text = f"{100 * share:.1f}" if share < 0.1 else f"{100 * share:.0f}"
                out.append(
                    f'<text x="{x + CELL // 2}" y="{y + CELL // 2 + 4}" text-anchor="middle" fill="{ink}">{text}</text>'
                )
    out.append("</svg>\n")
    return "\n".join(out)


def main() -> None:
    lines = [BEGIN, ""]
    for path in sorted(DATA.glob("*/card.json")):
        card = json.loads(path.read_text("utf-8"))
        lines += tables(card)
        (DOCS / f"confusion-{card['profile']}.svg").write_text(matrix(card), "utf-8")
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + "\n".join([*lines, END]) + after, "utf-8")


if __name__ == "__main__":
    main()
