"""``gaps``: what people ask for and the organisation does not have."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, Tenant, examples

if TYPE_CHECKING:
    from rich.console import Console

    from dragoman.engine import Dragoman
    from dragoman.gaps.report import Gaps
    from dragoman.gaps.store import Store


def gaps(
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Look in a file instead: turns as JSONL, or lines of text; [bold]-[/] is stdin. Nothing is recorded.",
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Only from this day on (2026-01-31).")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Rows of each table, at most.")] = 20,
    forget: Annotated[bool, typer.Option("--forget", help="Delete everything that was recorded.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --forget: do not ask first.")] = False,
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    r"""What people ask for and is not there: pages, drugs, terms that stayed ambiguous; and pages that no term reaches.

    A page is lacking where a term reached a concept and no page of it is published. Reads what was counted while the
    project file had a \[gaps] table. Names that no list has are shown when enough distinct requests have brought them;
    the words of a question never.
    """
    from dragoman.cli.output import console, print_json
    from dragoman.errors import ConfigError

    if forget:
        if source is not None or since is not None:
            raise ConfigError("--forget deletes everything", where="--forget", advice="leave --from and --since out")
        _forget(project, tenant, yes, as_json)
        return
    if source is not None and since is not None:
        raise ConfigError("a file of turns has no days", where="--since", advice="leave --since or --from out")
    found = (
        _from_file(project, tenant, source, limit)
        if source is not None
        else _recorded(project, tenant, _day(since), limit)
    )
    if as_json:
        print_json(found)
    else:
        _show(found, console())


def _recorded(project: str, tenant: str | None, since: str | None, limit: int) -> Gaps:
    from dragoman.engine import Dragoman
    from dragoman.gaps.counts import opened
    from dragoman.gaps.report import report
    from dragoman.project_tables import GapsTable

    engine = Dragoman.open(project, record=False, tenant=tenant)
    keep_after = (engine.project.file.gaps or GapsTable()).keep_after
    with opened(engine.project) as counts:
        v = engine.vocabularies
        return report(counts, v.terms, v.drugs, keep_after, since=since, limit=limit)


def _from_file(project: str, tenant: str | None, source: str, limit: int) -> Gaps:
    """The same over a file: counted in memory, read without a model."""
    from dragoman.engine import Dragoman
    from dragoman.errors import DataError
    from dragoman.gaps.report import report
    from dragoman.gaps.store import Store
    from dragoman.project_tables import GapsTable

    engine = Dragoman.open(project, record=False, tenant=tenant)
    keep_after = (engine.project.file.gaps or GapsTable()).keep_after
    counts = Store(None)
    try:
        if source == "-":
            _count(engine, sys.stdin.buffer, "stdin", counts, keep_after)
        else:
            try:
                file = Path(source).open("rb")  # noqa: SIM115 - closed below; reading is no part of this try
            except OSError as error:
                raise DataError(f"cannot be read ({error.strerror})", where=source, advice="check the path") from None
            with file:
                _count(engine, file, source, counts, keep_after)
        v = engine.vocabularies
        return report(counts, v.terms, v.drugs, keep_after, limit=limit)
    finally:
        counts.close()


def _count(engine: Dragoman, lines: Iterator[bytes], name: str, counts: Store, keep_after: int) -> None:
    from datetime import date

    from dragoman.errors import DataError, LimitExceeded
    from dragoman.gaps import observe
    from dragoman.gaps.turns import read
    from dragoman.pipeline import finish, prepare

    day = date.today().isoformat()
    v = engine.vocabularies
    for number, turn in read(lines, name):
        try:
            prepared = prepare(turn, engine.project, v, frozenset())
        except LimitExceeded as error:
            raise DataError(error.what, where=f"{name}:{number}", advice=error.advice) from None
        answer = finish(prepared, engine.project, v)
        missing = observe(prepared.reading, answer.enrichment, answer.frame, v.terms, v.drugs)
        if missing.size:
            counts.add(day, missing, keep_after)


def _forget(project: str, tenant: str | None, yes: bool, as_json: bool) -> None:
    from dragoman.cli.output import console, print_json
    from dragoman.errors import ConfigError
    from dragoman.gaps.counts import begun, opened, place
    from dragoman.project import load

    loaded = load(project) if tenant is None else load(project).tenant(tenant)
    where = place(loaded)
    gone = 0
    if begun(loaded):
        if not yes:
            if as_json or not sys.stdin.isatty():
                raise ConfigError("nobody is there to ask", where="--forget", advice="say --yes")
            typer.confirm(f"Delete all that was counted in {where}?", abort=True)
        with opened(loaded) as counts:
            gone = counts.forget()
    if as_json:
        print_json({"path": where, "deleted": gone})
    else:
        console().print(f"{gone} rows deleted from {where}" if gone else f"nothing was counted in {where}")


def _day(text: str | None) -> str | None:
    from datetime import date

    from dragoman.errors import ConfigError

    if text is None:
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ConfigError(f"{text!r} is no day", where="--since", advice="write it as 2026-01-31") from None


def _show(found: Gaps, out: Console) -> None:
    from rich.text import Text

    from dragoman.cli.render import heading, table

    tables: list[tuple[str, str, tuple[str, ...], list[tuple[str, ...]]]] = [
        (
            "no_page",
            "Asked for, and no page",
            ("term", "concept", "type", "count", "last", "nearest pages"),
            [
                (
                    g.name,
                    f"{g.source}:{g.concept_id}",
                    g.semantic_type or "",
                    str(g.count),
                    g.last,
                    "\n".join(f"{n.name} ({n.via.replace('_', ' ')})" for n in g.nearest),
                )
                for g in found.no_page
            ],
        ),
        (
            "unknown_drugs",
            "Asked for, and not in the catalogue",
            ("drug", "count", "last", ""),
            [(d.name, str(d.count), d.last, "" if d.listed else "on no list") for d in found.unknown_drugs],
        ),
        (
            "ambiguous",
            "Ambiguous, and nothing decided",
            ("term", "may mean", "count", "last"),
            [(a.term, "\n".join(s.name for s in a.senses), str(a.count), a.last) for a in found.ambiguous],
        ),
        (
            "unreached",
            "Published, and no term of a vocabulary leads there",
            ("page", "type", "id"),
            [(u.name, u.type, u.entity_id) for u in found.unreached],
        ),
    ]
    for key, title, columns, rows in tables:
        total = found.totals[key]
        heading(out, title, "none" if not rows else f"{len(rows)} of {total}" if total > len(rows) else "")
        if rows:
            shown = table(*columns)
            for row in rows:
                shown.add_row(*map(Text, row))
            out.print(shown)
        if key == "unknown_drugs" and (held := found.withheld).names:
            names = f"{held.names} name{'s' if held.names > 1 else ''}"
            out.print(Text(f"and {names} that fewer than {held.keep_after} requests have brought: not kept", "dim"))
    if found.skipped:
        out.print()
        out.print(Text(f"{found.skipped} turns were not counted: the database was locked or not to be written"))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("gaps"))(gaps)
