"""``index``: the indexes at hand, the way back to the last one, and whether they are whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, Tenant, examples

if TYPE_CHECKING:
    from dragoman.index.remote import Moved
    from dragoman.index.store import Generation

group = typer.Typer(
    name="index",
    help="The indexes at hand: list them, go back to the last one, check that they are whole, send and fetch them.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog=examples("index"),
)


def _home(project: str, tenant: str | None) -> Path:
    """The folder that holds the generations of a project, or of one of its tenants."""
    from dragoman.demos import home_of
    from dragoman.project import BUILT_IN, load

    if tenant is not None:
        return load(project).tenant(tenant).index
    return home_of(project) if project in BUILT_IN else load(project).index


@group.command("list", epilog=examples("index list"))
def list_(project: Project = PROJECT, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Indexes at hand, newest first; the one in use is marked."""
    from rich.text import Text

    from dragoman.cli.output import console, print_json
    from dragoman.cli.render import table
    from dragoman.index import store

    home = _home(project, tenant)
    current = store.current_name(home)
    found = store.generations(home)
    if as_json:
        print_json({"home": str(home), "indexes": [_row(g, current) for g in found]})
        return
    out = console()
    if not found:
        out.print(Text(f"no index in {home}; run `dragoman build`"))
        return
    shown = table("", "id", "built", "dragoman", "size", "sources")
    for g in found:
        mark = "→" if g.id == current else ""
        if g.manifest is None:
            shown.add_row(*map(Text, (mark, g.id, "", "", "", f"unusable: {g.fault.what}" if g.fault else "")))
            continue
        m = g.manifest
        sources = ", ".join(f"{s.name} {s.version or ''}".strip() for s in m.sources)
        cells = (mark, g.id, m.built_at, m.dragoman, f"{m.whole_size / 1e6:.1f} MB", sources)
        shown.add_row(*map(Text, cells))
    out.print(shown)


def _row(generation: Generation, current: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {"id": generation.id, "current": generation.id == current}
    if (m := generation.manifest) is None:
        return row | {"unusable": str(generation.fault)}
    sources = [
        {"name": s.name, "version": s.version, "licence": s.licence, "rows": s.rows, "noted": s.noted}
        for s in m.sources
    ]
    return row | {
        "built_at": m.built_at,
        "dragoman": m.dragoman,
        "bytes": m.whole_size,
        "bytes_shared": m.shared.bytes if m.shared else 0,
        "counts": m.counts,
        "rates": m.rates,
        "sources": sources,
    }


@group.command(epilog=examples("index rollback"))
def rollback(
    index: Annotated[str | None, typer.Argument(metavar="ID", help="Which index; by default the one before.")] = None,
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Go back to an earlier index, if it is whole. An engine that is running takes it up when it reloads."""
    from dragoman.cli.output import console, print_json
    from dragoman.index import store

    home = _home(project, tenant)
    left = store.current_name(home)
    manifest = store.rollback(home, index)
    if as_json:
        print_json({"id": manifest.id, "left": left, "built_at": manifest.built_at})
    else:
        console().print(f"index {manifest.id} of {manifest.built_at} is in use again, instead of {left}")


@group.command(epilog=examples("index check"))
def check(
    index: Annotated[str | None, typer.Argument(metavar="ID", help="Which index; by default the one in use.")] = None,
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Compare every part with its checksum."""
    from dragoman.cli.output import console, print_json
    from dragoman.errors import IndexUnusable
    from dragoman.index import store

    home = _home(project, tenant)
    if index is None:
        place = store.open_place(home)
    else:
        place = home / index
        if Path(index).name != index or not place.is_dir():
            raise IndexUnusable(f"there is no index {index!r}", where=str(home), advice="see `dragoman index list`")
    manifest = store.check(place)
    if as_json:
        print_json({"id": manifest.id, "ok": True, "parts": len(manifest.parts), "path": str(place)})
    else:
        console().print(f"index {manifest.id} is whole: {len(manifest.parts)} parts match their checksums")


@group.command(epilog=examples("index push"))
def push(
    url: Annotated[str, typer.Argument(metavar="URL", help="A folder: s3://, gs://, abfs://, or a path.")],
    index: Annotated[str | None, typer.Argument(metavar="ID", help="Which index; by default the one in use.")] = None,
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Send an index to an object store, and make it the one in use there. Parts that are there are not sent again."""
    from dragoman.index import remote

    _moved(remote.push(_home(project, tenant), url, index, tenant=tenant or ""), "sent", as_json)


@group.command(epilog=examples("index pull"))
def pull(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where the index was pushed to.")],
    index: Annotated[str | None, typer.Argument(metavar="ID", help="Which index; by default the one in use.")] = None,
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Fetch an index, compare every part with its checksum, and take it into use. One that is not whole is refused, and
    the old one stays; an engine that is running takes the new one up when it reloads.
    """
    from dragoman.index import remote

    _moved(remote.pull(url, _home(project, tenant), index, tenant=tenant or ""), "fetched", as_json)


def _moved(done: Moved, verb: str, as_json: bool) -> None:
    from dragoman.cli.output import console, print_json

    if as_json:
        print_json(done)
    else:
        again = "is in use now" if done.changed else "was in use already"
        parts = f"{done.moved} of {done.parts} parts {verb}, {done.bytes / 1e6:.1f} MB in all"
        console().print(f"index {done.id} {again} ({done.where}); {parts}")


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group)
