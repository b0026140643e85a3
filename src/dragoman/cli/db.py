"""``db``: the database that is the store of record: its tables up and down, where it stands, files into it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, Tenant, examples

if TYPE_CHECKING:
    from dragoman.project import Project as Loaded
    from dragoman.protocols import Report

group = typer.Typer(
    name="db",
    help="PostgreSQL as the store of record for taxonomy, catalogue and gaps.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog=examples("db"),
)
DsnEnv = Annotated[
    str | None,
    typer.Option(
        "--dsn-env",
        metavar="NAME",
        help="Connect with the string in this environment variable instead: a role that may more than the project's.",
    ),
]
_SOME = 20  # rejects that a person is shown; --json holds as many of each reason


@group.command(epilog=examples("db migrate"))
def migrate(
    reader: Annotated[
        str | None, typer.Option("--reader", metavar="ROLE", help="Give this role what building and serving need.")
    ] = None,
    recorder: Annotated[
        str | None, typer.Option("--recorder", metavar="ROLE", help="Give this role what counting gaps needs as well.")
    ] = None,
    dsn_env: DsnEnv = None,
    project: Project = PROJECT,
    as_json: AsJson = False,
) -> None:
    """Make the tables, or bring them up to date; all or nothing, and nothing where they are."""
    from dragoman.cli.output import console, print_json
    from dragoman.store_postgres import migrate as steps
    from dragoman.store_postgres.connect import shown

    done = {shown(dsn): steps.migrate(dsn, reader=reader, recorder=recorder) for dsn in _strings(project, dsn_env)}
    if as_json:
        print_json({"databases": [{"database": name, "applied": names} for name, names in done.items()]})
        return
    for name, names in done.items():
        console().print(f"{name}: applied {', '.join(names)}" if names else f"{name}: nothing to do")


@group.command(epilog=examples("db rollback"))
def rollback(
    to: Annotated[
        int | None, typer.Option("--to", metavar="N", min=0, help="Undo every step after this one; 0: all of them.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
    dsn_env: DsnEnv = None,
    project: Project = PROJECT,
    as_json: AsJson = False,
) -> None:
    """Undo the last step of the tables, or several. Tables go with all that they hold."""
    from dragoman.cli.output import console, print_json
    from dragoman.errors import ConfigError
    from dragoman.store_postgres import migrate as steps
    from dragoman.store_postgres.connect import shown

    strings = _strings(project, dsn_env)
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise ConfigError("nobody is there to ask", where="db rollback", advice="say --yes")
        typer.confirm(f"Undo, and lose what the tables hold, in {', '.join(map(shown, strings))}?", abort=True)
    done = {shown(dsn): steps.rollback(dsn, to=to) for dsn in strings}
    if as_json:
        print_json({"databases": [{"database": name, "undone": names} for name, names in done.items()]})
        return
    for name, names in done.items():
        console().print(f"{name}: undid {', '.join(names)}" if names else f"{name}: nothing to undo")


@group.command(epilog=examples("db status"))
def status(dsn_env: DsnEnv = None, project: Project = PROJECT, as_json: AsJson = False) -> None:
    """Which steps a database has taken. Exits with 1 where some are pending."""
    from rich.text import Text

    from dragoman.cli.output import console, print_json
    from dragoman.cli.render import table
    from dragoman.store_postgres import migrate as steps

    found = [steps.status(dsn) for dsn in _strings(project, dsn_env)]
    if as_json:
        print_json({"databases": [{"current": s.current, **s._asdict()} for s in found]})
    else:
        rows = table("database", "step", "")
        for at in found:
            for step in at.applied:
                label = f"{step.number:04d}_{step.name}"
                note = "of a newer dragoman" if label in at.unknown else ""
                note = "applied in an earlier form" if label in at.changed else note
                rows.add_row(*map(Text, (at.database, label, note or f"applied {step.at}")))
            for label in at.pending:
                rows.add_row(*map(Text, (at.database, label, "pending")))
        console().print(rows)
    if not all(s.current for s in found):
        raise typer.Exit(1)


@group.command("import", epilog=examples("db import"))
def import_(
    origin: Annotated[
        str | None,
        typer.Option("--from", metavar="PATH", help="A project whose files are taken, where none is named."),
    ] = None,
    entities: Annotated[Path | None, typer.Option("--entities", metavar="FILE", help="Of the taxonomy.")] = None,
    relations: Annotated[Path | None, typer.Option("--relations", metavar="FILE", help="Of the taxonomy.")] = None,
    drugs: Annotated[Path | None, typer.Option("--drugs", metavar="FILE", help="Of the catalogue.")] = None,
    aliases: Annotated[Path | None, typer.Option("--aliases", metavar="FILE", help="Of the catalogue.")] = None,
    known: Annotated[Path | None, typer.Option("--known", metavar="FILE", help="Of the catalogue.")] = None,
    confusable: Annotated[Path | None, typer.Option("--confusable", metavar="FILE", help="Of the catalogue.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Delete what the tables hold first.")] = False,
    skip: Annotated[bool, typer.Option("--skip", help="Leave rows out that no build would take.")] = False,
    dsn_env: DsnEnv = None,
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Bring files into the database, checked as a build checks them; all or nothing. A program that watches the
    database hears of it."""
    from dragoman.cli.output import complain, console, print_json
    from dragoman.errors import ConfigError, DataError
    from dragoman.project import load
    from dragoman.project_tables import CatalogTable, TaxonomyTable
    from dragoman.protocols import Report
    from dragoman.readers.own import own_catalog, own_taxonomy
    from dragoman.readers.postgres import table_rows
    from dragoman.store_postgres.connect import shown
    from dragoman.store_postgres.fill import fill

    into = load(project) if tenant is None else load(project).tenant(tenant)
    files = {"drugs": drugs, "aliases": aliases, "known": known, "confusable": confusable}
    named = any((entities, relations, *files.values()))
    if named:
        at: Callable[[str], Path] = Path
        pages = TaxonomyTable(entities=_text(entities), relations=_text(relations)) if entities or relations else None
        formulary = CatalogTable(**{k: _text(v) for k, v in files.items()}) if any(files.values()) else None
    elif origin is not None:
        other = load(origin)
        at, pages, formulary = other.at, other.file.taxonomy, other.file.catalog
        if (pages and pages.stored) or (formulary and formulary.stored):
            raise ConfigError("that project has no files", where="--from", advice="name files, or another project")
    else:
        raise ConfigError("no file is named", where="db import", advice="give --entities, --drugs or --from")
    for table, key in ((pages, "entities"), (formulary, "drugs")):
        if table is not None and getattr(table, key) is None:
            raise ConfigError(f"--{key} is missing", where="db import", advice="the other files are about its rows")
    report = Report()
    catalog = own_catalog(formulary, at, "db import", report, inactive=True) if formulary else None
    taxonomy = own_taxonomy(pages, at, "db import", report) if pages else None
    if bad := report.rejected.total():
        for line in _rejects(report):
            complain(line)
        if not skip:
            first = report.examples[0]
            raise DataError(
                f"{bad} rows cannot be taken, first: {first.reason}",
                where=f"{first.path}:{first.line}",
                advice="correct them, or leave them out with --skip",
            )
    rows = table_rows(taxonomy, catalog)
    written: dict[str, dict[str, int]] = {}
    for dsn, tables in _targets(into, dsn_env, rows).items():
        written[shown(dsn)] = fill(dsn, {table: rows[table] for table in tables}, replace=replace)
    if as_json:
        done = [{"database": name, "rows": counts} for name, counts in written.items()]
        print_json({"databases": done, "rejected": dict(report.rejected), "rejects": report.examples})
        return
    for name, counts in written.items():
        console().print(f"{name}: " + ", ".join(f"{table} {count:,}" for table, count in counts.items()))


def _strings(project: str, dsn_env: str | None) -> tuple[str, ...]:
    """The databases that a project (its tenants as well) names, each once; that of ``--dsn-env`` instead."""
    from dragoman.errors import ConfigError
    from dragoman.project import load
    from dragoman.store_postgres.connect import conninfo

    loaded = load(project)
    if dsn_env is not None:
        return (conninfo(None, dsn_env, "--dsn-env"),)
    every = (loaded, *map(loaded.tenant, loaded.tenants))
    found = [conninfo(dsn, env, f"{one.path}: [{name}]") for one in every for name, dsn, env in one.databases]
    if not found:
        raise ConfigError(
            "the project has no database", where=str(loaded.path), advice="give [taxonomy], [catalog] or [gaps] a dsn"
        )
    return tuple(dict.fromkeys(found))


def _targets(loaded: Loaded, dsn_env: str | None, rows: dict[str, Any]) -> dict[str, list[str]]:
    """Which tables go into which database."""
    from dragoman.errors import ConfigError
    from dragoman.store_postgres.connect import conninfo

    places = {name: (dsn, env) for name, dsn, env in loaded.databases}
    found: dict[str, list[str]] = {}
    for table in rows:
        part = "taxonomy" if table in ("entity", "relation") else "catalog"
        if dsn_env is not None:
            target = conninfo(None, dsn_env, "--dsn-env")
        elif part in places:
            target = conninfo(*places[part], f"{loaded.path}: [{part}]")
        else:
            raise ConfigError(f"[{part}] names no database", where=str(loaded.path), advice=f"give [{part}] a dsn")
        found.setdefault(target, []).append(table)
    return found


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _rejects(report: Report) -> list[str]:
    return [f"{r.path}:{r.line}: {r.reason}" for r in report.examples[:_SOME]]


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group)
