"""Answers for a person to read, in Rich."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dragoman.types import Answer, Candidate, Enrichment, Mention, QueryFrame, Scope, TraceRow, TurnEcho

if TYPE_CHECKING:
    from dragoman.engine import Resolved

STATUS_STYLE = {
    "exact": "green",
    "variant": "green",
    "fuzzy": "yellow",
    "ambiguous": "yellow",
    "unknown": "red",
    "class": "cyan",
    "suppressed": "dim",
}


def table(*columns: str, title: str = "") -> Table:
    """A table in the one style that all commands use."""
    made = Table(
        box=SIMPLE_HEAD, title=title or None, title_justify="left", title_style="bold", pad_edge=False, expand=False
    )
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


def heading(console: Console, title: str, note: str = "") -> None:
    """A section's title, with a remark beside it."""
    console.print()
    console.print(Text.assemble((title, "bold"), ("  " + note if note else "", "dim")))


def show_answer(answer: Answer, console: Console) -> None:
    """All of an answer, compactly."""
    _turn(answer.turn, answer.scope, console)
    _mentions(answer.mentions, answer.candidates, console)
    show_frame(answer.frame, console)
    show_enrichment(answer.enrichment, console)
    _trace(answer.trace, console)
    console.print(Text(f"index {answer.index.id}", "dim"))


def show_resolved(resolved: Resolved, console: Console) -> None:
    """Mentions and candidates."""
    _turn(resolved.turn, resolved.scope, console)
    _mentions(resolved.mentions, resolved.candidates, console)
    _trace(resolved.trace, console)


def show_frame(frame: QueryFrame, console: Console) -> None:
    """The fields that say something."""
    heading(console, "Frame", f"understood by {frame.understood_by}")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan")
    grid.add_column(overflow="fold")
    for name, value in set_fields(frame):
        grid.add_row(name, Text(value, "red" if name == "system_error" else ""))
    console.print(grid)


def set_fields(frame: QueryFrame) -> list[tuple[str, str]]:
    """``(dotted name, value)`` of each field that differs from an empty frame's; the turn type always."""
    now, empty = msgspec.to_builtins(frame), msgspec.to_builtins(QueryFrame())
    fields = [("turn_type", frame.turn_type)]
    skip = {"turn_type", "understood_by", "pending"}  # pending repeats the quick replies with their places
    for name, value in now.items():
        if name not in skip and value != empty[name]:
            fields.extend(_flat(name, value, empty[name]))
    return fields


def _flat(name: str, value: Any, empty: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        base = empty if isinstance(empty, dict) else {}
        for key, inner in value.items():
            if inner != base.get(key) and inner not in (None, [], "", ()):
                yield from _flat(f"{name}.{key}", inner, base.get(key))
    elif isinstance(value, list | tuple):
        yield name, ", ".join(_short(v) for v in value)
    else:
        yield name, _short(value)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        name = value.get("text") or value.get("name") or ""
        more = value.get("drug_id") or value.get("value")
        return f"{name} ({more})" if more and more != name else str(name)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def show_enrichment(enrichment: Enrichment, console: Console) -> None:
    """The enriched text, why each term is there, and what became of every concept."""
    heading(console, "Enrichment")
    added = enrichment.text[len(enrichment.original) :] if enrichment.text.startswith(enrichment.original) else ""
    if added:
        console.print(Text.assemble(enrichment.original, (added, "green")))
    else:
        console.print(Text.assemble(enrichment.text, ("  nothing appended", "dim")))
    if enrichment.expansions:
        rows = table("term", "layer", "for", "via", "ids")
        for e in enrichment.expansions:
            words = enrichment.original[e.span.start : e.span.end]
            ids = " · ".join(i for i in (e.entity_id, e.concept_id) if i)
            rows.add_row(Text(e.term, "green"), Text(e.layer), Text(words), Text(e.via), Text(ids, "dim"))
        console.print(rows)
    others = [o for o in enrichment.concept_outcomes if o.outcome != "expanded"]
    for outcome in others:
        words = enrichment.original[outcome.span.start : outcome.span.end]
        console.print(Text(f"{words} ({outcome.concept_id}): {outcome.outcome.replace('_', ' ')}", "dim"))
    if enrichment.roster:
        departments = ", ".join(enrichment.roster.department_ids) or "none"
        console.print(Text(f"list of doctors asked for ({enrichment.roster.signal}): departments {departments}"))


def _turn(turn: TurnEcho, scope: Scope, console: Console) -> None:
    subject = scope.subject + (f" ({scope.reason})" if scope.reason else "")
    console.print(Text.assemble((turn.text, "bold"), (f"  {turn.language} · {subject}", "dim")))


def _mentions(mentions: Iterable[Mention], candidates: Iterable[Candidate], console: Console) -> None:
    by_place: dict[tuple[int, int, int], list[Candidate]] = {}
    for c in candidates:
        by_place.setdefault((c.message, *c.span), []).append(c)
    rows = table("words", "status", "candidates", "why")
    for mention in mentions:
        found = by_place.pop((mention.message, *mention.span), [])
        _mention_row(rows, mention, found)
    for (message, *_), found in by_place.items():
        rows.add_row(
            Text(_words(found[0].text, message)), Text(found[0].match), _names(found), Text(_whys(found), "dim")
        )
    heading(console, "Mentions", "" if rows.row_count else "none")
    if rows.row_count:
        console.print(rows)


def _mention_row(rows: Table, mention: Mention, found: list[Candidate]) -> None:
    why = [w for w in (mention.reason, _whys(found)) if w]
    if mention.confusable_with:
        why.append("easily confused with " + ", ".join(mention.confusable_with))
    names = _names(found) if found else Text(", ".join(mention.candidate_ids))
    status = Text(mention.status, STATUS_STYLE.get(mention.status, ""))
    rows.add_row(Text(_words(mention.text, mention.message)), status, names, Text("; ".join(dict.fromkeys(why)), "dim"))


def _words(text: str, message: int) -> str:
    return text if message == -1 else f"{text} (message {message})"


def _names(found: list[Candidate], most: int = 4) -> Text:
    text = Text()
    for i, c in enumerate(found[:most]):
        text.append("\n" if i else "")
        text.append(c.name)
        text.append(f"  {c.kind} {c.source}:{c.id}", "dim")
    if len(found) > most:
        text.append(f"\nand {len(found) - most} more", "dim")
    return text


def _whys(found: list[Candidate]) -> str:
    return ", ".join(dict.fromkeys(c.why for c in found if c.why))


def _trace(trace: Iterable[TraceRow], console: Console) -> None:
    heading(console, "Trace")
    parts = [f"{t.step} {t.outcome}{f' {t.count}' if t.count else ''} {t.us} µs" for t in trace]
    console.print(Text(" · ".join(parts), "dim"))
