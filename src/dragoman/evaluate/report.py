"""The evaluation as one HTML file: opens offline, prints, and can be read by someone who does not write code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

import msgspec

from dragoman.evaluate.compare import Comparison
from dragoman.evaluate.golden import Rate, Result, rates
from dragoman.types import Answer

_CSS = Path(__file__).with_name("report.css")
_LEFT, _WIDTH, _RIGHT, _ROW = 190, 440, 170, 26  # of a chart, in SVG units


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a report shows. ``missed`` are the stated thresholds that the run misses, each a sentence."""

    title: str
    golden: str
    project: str
    index: str
    version: str
    results: Sequence[Result]
    safety: frozenset[str]
    missed: Sequence[str] = ()
    without: Sequence[str] = ()
    ablations: Mapping[str, Comparison] = {}
    against: tuple[str, Comparison] | None = None


def render(report: Report) -> str:
    """The page. Everything that comes from a case or an answer is escaped; nothing is loaded from elsewhere."""
    counted = rates(report.results)
    failed = [r for r in report.results if r.failed and not r.known]
    known = [r for r in report.results if r.known]
    parts = [
        f"<h1>{escape(report.title)}</h1>",
        f'<p class="soft">{escape(report.golden)} · project {escape(report.project)} · index '
        f"<code>{escape(report.index)}</code> · dragoman {escape(report.version)}"
        + (f" · without {escape(', '.join(report.without))}" if report.without else "")
        + "</p>",
        _tiles(counted.all, len(failed), len(known)),
        _verdict(report.missed),
        "<h2>By category</h2>",
        "<p>The bar is the share of questions that passed; the line across its end is the 95% interval (Wilson). With "
        "few questions it is wide: the true share may well be anywhere on it.</p>",
        _chart(counted.categories, report.safety),
        "<h2>By language</h2>",
        _chart(counted.languages, frozenset()),
    ]
    if report.against:
        parts += [f"<h2>Against {escape(report.against[0])}</h2>", _paired(report.against[1])]
    if report.ablations:
        parts += ["<h2>What each layer does</h2>", _ablations(report.ablations)]
    parts += _failures("Questions that fail", failed, report.safety)
    parts += _failures("Known failures", known, report.safety)
    skipped = [r.case.id for r in report.results if r.skipped]
    if skipped:
        parts += ["<h2>Skipped</h2>", f"<p>{len(skipped)} need a model: <code>{escape(', '.join(skipped))}</code></p>"]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>\n{_CSS.read_text('utf-8')}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _tiles(total: Rate, failed: int, known: int) -> str:
    share = "–" if total.rate is None else f"{total.rate:.1%}"
    tiles = [
        (share, f"passed: {total.passed} of {total.total}"),
        (f"{total.low:.1%} – {total.high:.1%}", "95% interval"),
        (str(failed), "fail"),
        (str(known), "known failures"),
        (str(total.skipped), "skipped: need a model"),
    ]
    return '<ul class="tiles">' + "".join(f"<li><b>{b}</b>{escape(t)}</li>" for b, t in tiles) + "</ul>"


def _verdict(missed: Sequence[str]) -> str:
    if not missed:
        return '<p class="verdict">Every stated threshold is met.</p>'
    items = "".join(f"<li>{escape(m)}</li>" for m in missed)
    return f'<div class="verdict no">A stated threshold is not met:<ul>{items}</ul></div>'


def _chart(rows: Mapping[str, Rate], safety: frozenset[str]) -> str:
    """Horizontal bars with intervals; the numbers stand beside them, so that colour carries nothing alone."""
    height = 22 + _ROW * len(rows)
    right = _LEFT + _WIDTH
    out = [f'<figure><svg viewBox="0 0 {right + _RIGHT} {height}" role="img" aria-label="Pass rates">']
    for tick in range(0, 101, 25):
        x = _LEFT + _WIDTH * tick / 100
        out.append(f'<line class="grid" x1="{x:g}" y1="18" x2="{x:g}" y2="{height}"/>')
        out.append(f'<text class="tick" x="{x:g}" y="12" text-anchor="middle">{tick}%</text>')
    for i, (name, rate) in enumerate(rows.items()):
        y = 20 + i * _ROW
        label = escape(name) + (" ⚠" if name in safety else "")
        out.append(f'<text x="{_LEFT - 10}" y="{y + 16}" text-anchor="end">{label}</text>')
        if rate.rate is None:
            out.append(f'<text class="tick" x="{_LEFT + 6}" y="{y + 16}">all {rate.skipped} skipped</text>')
            continue
        low, high = _LEFT + _WIDTH * rate.low, _LEFT + _WIDTH * rate.high
        middle = y + 11.5
        whisker = f"M{low:.1f} {middle}H{high:.1f}M{low:.1f} {middle - 4}v8M{high:.1f} {middle - 4}v8"
        out.append(
            f"<g><title>{escape(name)}: {rate.passed} of {rate.total}, {rate.low:.1%} to {rate.high:.1%}</title>"
            f'<rect class="bar" x="{_LEFT}" y="{y + 4}" width="{_WIDTH * rate.rate:.1f}" height="15" rx="2"/>'
            f'<path class="ci" d="{whisker}"/></g>'
        )
        out.append(f'<text x="{right + 14}" y="{y + 16}">{rate.passed}/{rate.total} · {rate.rate:.0%}</text>')
    note = "<figcaption>⚠ a safety category: one failure is one too many.</figcaption>" if safety & rows.keys() else ""
    return "".join([*out, "</svg>", note, "</figure>"])


def _paired(found: Comparison) -> str:
    lost = f'<b class="bad">Newly failing: {_ids(found.lost)}</b>' if found.lost else "Nothing newly fails."
    parts = [
        f"<p>{lost}</p>",
        f"<p>Newly passing: {_ids(found.won)}</p>" if found.won else "",
        f"<p>{found.paired} questions ran both times: {found.before} passed before, {found.after} now. "
        f"McNemar's exact test: p = {found.p:.3g}.</p>",
    ]
    if found.new or found.gone:
        parts.append(f'<p class="soft">Only now: {len(found.new)}; only then: {len(found.gone)}.</p>')
    return "".join(parts)


def _ablations(rows: Mapping[str, Comparison]) -> str:
    cells = "".join(
        f"<tr><td>{escape(name)}</td><td class=n>{c.before}</td><td class=n>{c.after}</td>"
        f"<td class=n>{c.after - c.before:+d}</td><td class=n>{c.p:.3g}</td><td>{_ids(c.lost)}</td></tr>"
        for name, c in rows.items()
    )
    return (
        "<p>Each is switched off alone, on the same questions. One that loses nothing earns nothing here.</p>"
        '<div class="wide"><table><thead><tr><th>switched off</th><th class=n>with</th><th class=n>without</th>'
        "<th class=n>change</th><th class=n>p</th><th>lost</th></tr></thead>"
        f"<tbody>{cells}</tbody></table></div>"
    )


def _ids(ids: Sequence[str], most: int = 12) -> str:
    if not ids:
        return "–"
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    return f"<code>{escape(', '.join(ids[:most]))}</code>{more}"


def _failures(title: str, results: Iterable[Result], safety: frozenset[str]) -> list[str]:
    ordered = sorted(results, key=lambda r: r.case.category not in safety)  # stable: safety first, then as in the file
    if not ordered:
        return []
    return [f"<h2>{title} ({len(ordered)})</h2>", *map(_failure, ordered)]


def _failure(result: Result) -> str:
    case = result.case
    history = "".join(
        f"<p class=soft>{escape(m.role)}</p><blockquote>{escape(m.text)}</blockquote>" for m in case.turn.history
    )
    whys = "".join(f"<li>{escape(w)}</li>" for w in result.why)
    return (
        f"<details><summary><code>{escape(case.id)}</code> {escape(_short(case.turn.text))}"
        f"<span class=tag>{escape(case.category)}</span><span class=tag>{escape(case.tongue)}</span></summary><div>"
        f"{history}<blockquote>{escape(case.turn.text)}</blockquote><ul class=why>{whys}</ul>"
        f"{_came(result.answer) if result.answer else ''}</div></details>"
    )


def _came(answer: Answer) -> str:
    """What was found and done, for whoever looks for the cause."""
    found = ", ".join(f"{c.text} → {c.id} ({c.match})" for c in answer.candidates) or "none"
    steps = " · ".join(f"{t.step} {t.outcome} {t.count}" for t in answer.trace)
    return (
        f"<p><b>Candidates</b> {escape(found)}</p><p><b>Enriched</b> {escape(answer.enrichment.text)}</p>"
        f"<p class=soft><b>Trace</b> {escape(steps)}</p>"
    )


def _short(text: str, most: int = 90) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
