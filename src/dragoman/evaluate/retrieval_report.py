"""A retrieval evaluation as one HTML file: opens offline, and the numbers stand beside every drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import msgspec

from dragoman.evaluate.effects import LEADING, MEASURES, Loss, Outcome
from dragoman.evaluate.study import Study

_CSS = Path(__file__).with_name("report.css")
_LEFT, _WIDTH, _RIGHT, _ROW = 190, 440, 170, 24  # of a chart, in SVG units
_LEVEL = 0.05


class RetrievalReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a report shows. ``queries`` is the file's name, ``pages`` how many there are."""

    title: str
    queries: str
    pages: int
    index: str
    version: str
    study: Study


def render(report: RetrievalReport) -> str:
    """The page. Everything that comes from a query is escaped; nothing is loaded from elsewhere."""
    study = report.study
    parts = [
        f"<h1>{escape(report.title)}</h1>",
        f'<p class="soft">{escape(report.queries)} · {study.queries} queries on {report.pages:,} pages · index '
        f"<code>{escape(report.index)}</code> · dragoman {escape(report.version)}</p>",
        "<p>The same queries are asked in several ways. Each way is compared with the query as it stands "
        "(<b>plain</b>), query by query, with the same retriever. The line is the 95% interval of the mean difference; "
        "p is a paired randomisation test's, corrected (Holm) for all tests on this page.</p>",
        _ways(study.outcomes),
        _weights(study),
    ]
    for measure in MEASURES:
        parts += [f"<h2>{escape(measure)}</h2>", *(_chart(rows, measure) for rows in _by_retriever(study.outcomes))]
        parts.append(_table(study.outcomes, measure))
    parts += _losses(study.outcomes)
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>\n{_CSS.read_text('utf-8')}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _by_retriever(outcomes: Iterable[Outcome]) -> list[list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.retriever, []).append(outcome)
    return list(found.values())


def _ways(outcomes: Sequence[Outcome]) -> str:
    about = {o.run: o.about for o in outcomes}
    return "<ul>" + "".join(f"<li><b>{escape(n)}</b>: {escape(a)}</li>" for n, a in about.items()) + "</ul>"


def _weights(study: Study) -> str:
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td class=n>{w.sparse:g}</td><td class=n>{w.documents:g}</td></tr>"
        for name, w in study.weights.items()
    )
    card = study.card
    how = (
        f"Chosen on {escape(card.when)} by {escape(card.measure)} on {card.queries} other queries, "
        f"none of which is reported here."
        if card
        else "As configured; none was chosen on these queries."
    )
    tried = ""
    if card:
        cells = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(kind)}</td>"
            f"<td>{', '.join(f'{w}: {mean:.3f}' for w, mean in row.items())}</td></tr>"
            for name, kinds in card.tried.items()
            for kind, row in kinds.items()
        )
        tried = f"<table><thead><tr><th>retriever<th>weight<th>tried: mean</thead><tbody>{cells}</tbody></table>"
    return (
        f"<h2>Weights</h2><p>{how}</p><div class=wide><table><thead><tr><th>retriever<th class=n>appended terms"
        f"<th class=n>terms of pages</thead><tbody>{rows}</tbody></table>{tried}</div>"
    )


def _chart(rows: Sequence[Outcome], measure: str) -> str:
    """Differences to plain as points with intervals, about a line at 0."""
    compared = [o for o in rows if measure in o.effects]
    if not compared:
        return ""
    ends = [abs(end) for o in compared for end in o.effects[measure].interval]
    scale = max(0.01, *ends)
    middle = _LEFT + _WIDTH / 2
    height = 26 + _ROW * len(compared)
    label = f"{rows[0].retriever}: difference in {measure}"
    out = [f'<figure><svg viewBox="0 0 {_LEFT + _WIDTH + _RIGHT} {height}" role="img" aria-label="{escape(label)}">']
    for tick in (-1.0, -0.5, 0.0, 0.5, 1.0):
        x = middle + tick * _WIDTH / 2
        out.append(f'<line class="grid" x1="{x:g}" y1="20" x2="{x:g}" y2="{height}"/>')
        out.append(f'<text class="tick" x="{x:g}" y="12" text-anchor="middle">{tick * scale:+.3f}</text>')
    for i, o in enumerate(compared):
        effect = o.effects[measure]
        y = 32 + i * _ROW
        low, high, at = (middle + v / scale * _WIDTH / 2 for v in (*effect.interval, effect.difference))
        whisker = f"M{low:.1f} {y}H{high:.1f}M{low:.1f} {y - 4}v8M{high:.1f} {y - 4}v8"
        star = " *" if effect.p_holm <= _LEVEL else ""
        out.append(f'<text x="{_LEFT - 10}" y="{y + 5}" text-anchor="end">{escape(o.run)}</text>')
        out.append(
            f"<g><title>{escape(o.run)}: {effect.difference:+.4f}, p {effect.p_holm:.3g}</title>"
            f'<path class="ci" d="{whisker}"/><rect class="bar" x="{at - 4:.1f}" y="{y - 4}" width="8" height="8"/></g>'
        )
        out.append(f'<text x="{_LEFT + _WIDTH + 14}" y="{y + 5}">{effect.difference:+.3f}{star}</text>')
    note = f"<figcaption>{escape(label)} to plain; * p ≤ {_LEVEL} after correction.</figcaption>"
    return "".join([*out, "</svg>", note, "</figure>"])


def _table(outcomes: Sequence[Outcome], measure: str) -> str:
    head = "".join(f"<th class=n>{h}" for h in ("mean", "95%", "difference", "95%", "p", "won : lost", "touched"))
    rows = "".join(_row(o, measure) for o in outcomes)
    return (
        f"<div class=wide><table><thead><tr><th>retriever<th>run{head}</thead><tbody>{rows}</tbody></table></div>"
        "<p class=soft>touched: how many queries were asked in another way, and the mean difference of these.</p>"
    )


def _row(o: Outcome, measure: str) -> str:
    mean, effect = o.means[measure], o.effects.get(measure)
    cells = [f"{mean.mean:.3f}", "{:.3f} – {:.3f}".format(*mean.interval)]
    if effect:
        cells += [
            f"{effect.difference:+.3f}",
            "{:+.3f} – {:+.3f}".format(*effect.interval),
            probability(effect.p_holm),
            f"{effect.wins} : {effect.losses}",
            f"{effect.touched}: {effect.touched_difference:+.3f}",
        ]
    cells += [""] * (7 - len(cells))
    tail = "".join(f"<td class=n>{escape(c).replace(' ', '&nbsp;')}</td>" for c in cells)
    return f"<tr><td>{escape(o.retriever)}</td><td>{escape(o.run)}</td>{tail}</tr>"


def probability(p: float) -> str:
    """A p-value as it is read: two or three places, and never more than the draws can tell."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0") if p < 0.1 else f"{p:.2f}".removeprefix("0")


def _losses(outcomes: Sequence[Outcome]) -> list[str]:
    shown = [o for o in outcomes if o.worst]
    if not shown:
        return []
    return [
        "<h2>Worst losses</h2>",
        f"<p>By {escape(LEADING)}: what each way of asking made worse, the worst first.</p>",
        *(
            f"<details><summary>{escape(o.retriever)}, {escape(o.run)}</summary><div><ul>"
            f"{''.join(map(_loss, o.worst))}</ul></div></details>"
            for o in shown
        ),
    ]


def _loss(loss: Loss) -> str:
    added = f" <span class=soft>+ {escape(', '.join(loss.added))}</span>" if loss.added else ""
    return f"<li>{loss.before:.2f} → {loss.after:.2f} {escape(loss.text)}{added}</li>"
