"""``doctor``: is everything there, and what to do where it is not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, Tenant, examples

if TYPE_CHECKING:
    from dragoman.index.store import SourceInfo
    from dragoman.project import Project as Loaded

Status = Literal["ok", "note", "silent", "wrong"]
Finding = tuple[Status, str, str]
"""``(status, what was looked at and found, what to do)``."""

_LEAST_MB = 1000  # a build of 529,000 descriptions peaks at 0.8 GB (docs/full-size.md)
_STYLE = {"ok": "green", "note": "yellow", "silent": "red", "wrong": "red"}


def doctor(project: Project = PROJECT, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Check project file, data, index and provider; say what to do.

    Exits with 2 where something is wrong, with 3 where only the provider did not answer.
    """
    from dragoman.cli.output import console, print_json

    findings = list(_findings(project, tenant))
    if as_json:
        print_json({"findings": [{"status": s, "what": w, "advice": a or None} for s, w, a in findings]})
    else:
        from rich.text import Text

        out = console()
        for status, what, advice in findings:
            out.print(Text.assemble((f"{status:<7}", _STYLE[status]), what, (f"; {advice}" if advice else "", "dim")))
    statuses = {status for status, _, _ in findings}
    if statuses & {"wrong", "silent"}:
        raise typer.Exit(2 if "wrong" in statuses else 3)


def _findings(project: str, tenant: str | None) -> Iterator[Finding]:
    from dragoman.errors import DragomanError
    from dragoman.project import load

    try:
        loaded = load(project)
        if tenant is not None:
            loaded = loaded.tenant(tenant)
    except DragomanError as error:
        yield "wrong", f"{error.where}: {error.what}" if error.where else error.what, error.advice
        return
    codes = ", ".join(p.code for p in loaded.languages)
    yield "ok", f"project file {loaded.path}: profile {loaded.profile.name}, languages {codes}", ""
    yield from _data(loaded)
    yield from _databases(loaded)
    yield from _index(project, loaded)
    for name in loaded.tenants:
        yield from _index(project, loaded.tenant(name))
    yield from _offline(loaded)
    yield from _provider(loaded)
    yield from _gaps(loaded)
    yield from _memory()


def _offline(loaded: Loaded) -> Iterator[Finding]:
    """Whether trained heads help the rules where no model reads a turn, and why not."""
    from dragoman.errors import DragomanError
    from dragoman.offline.understand import Missing, find

    table = loaded.file.offline
    if not table.enabled:
        yield "ok", "turns are read by cues, without trained heads ([offline] enabled is false)", ""
        return
    folder = None if table.heads is None else loaded.at(table.heads)
    try:
        found = find(loaded.profile.path, table.encoder, folder)
    except DragomanError as error:
        yield "wrong", f"[offline] {error.what}", error.advice
        return
    if isinstance(found, Missing):
        what = f"no trained heads help, so that turns are read by cues, which abstain more: {found.why}"
        yield "note", what, "or let a model read them ([llm])"
    else:
        yield "ok", f"trained heads help where no model reads a turn ({found.encoder.name})", ""


def _memory() -> Iterator[Finding]:
    """Free memory, where the system tells it: a build needs far more than answering does."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (AttributeError, ValueError, OSError):  # Windows and some others do not say
        return
    if free < _LEAST_MB:
        yield "note", f"memory: {free:.0f} MB free", "a build of a large terminology wants a gigabyte"
    else:
        yield "ok", f"memory: {free:.0f} MB free", ""


def _data(loaded: Loaded) -> Iterator[Finding]:
    """Every file that the project names is there."""
    files: list[tuple[str, Path]] = [(f"terminology {s.name}", s.path) for s in loaded.sources]
    files += loaded.own_files
    if not files and not loaded.databases:
        yield "note", "the project names no data", "add [[terminology]], [catalog] or [taxonomy]"
    for name, path in files:
        if not path.exists():
            yield "wrong", f"{name}: {path} is not there", "correct the path in the project file"
        elif not os.access(path, os.R_OK):
            yield "wrong", f"{name}: {path} may not be read", "give this user the right to read it"
        else:
            yield "ok", f"{name}: {path}", ""


def _databases(loaded: Loaded) -> Iterator[Finding]:
    """Every database answers, has all tables, and may be read."""
    from dragoman.errors import DragomanError, ServiceError
    from dragoman.store_postgres.connect import conninfo
    from dragoman.store_postgres.migrate import status

    for name, dsn, dsn_env in loaded.databases:
        try:
            found = status(conninfo(dsn, dsn_env, f"{loaded.path}: [{name}]"))
        except ServiceError as error:
            yield "silent", f"{name}: {error.where}: {error.what}", error.advice
        except DragomanError as error:
            yield "wrong", f"{name}: {error.where}: {error.what}", error.advice
        else:
            if found.pending:
                yield "wrong", f"{name}: {found.database} lacks {', '.join(found.pending)}", "run `dragoman db migrate`"
            else:
                yield "ok", f"{name}: {found.database} answers, and has all tables", ""


def _index(project: str, loaded: Loaded) -> Iterator[Finding]:
    """There is an index, it is whole, and no source has changed since."""
    from dragoman.demos import home_of
    from dragoman.errors import IndexUnusable
    from dragoman.index import store
    from dragoman.project import BUILT_IN

    built_in = project in BUILT_IN
    home = home_of(project) if built_in else loaded.index
    if store.current_name(home) is None:
        command = "dragoman demo" if built_in else f"dragoman build --project {project}"
        yield "note" if built_in else "wrong", f"no index in {home}", f"run `{command}`"
        return
    try:
        manifest = store.check(store.open_place(home))
    except IndexUnusable as error:
        yield "wrong", f"index {error.where}: {error.what}", error.advice
        return
    whose = f"tenant {loaded.of}: " if loaded.of else ""
    yield "ok", f"{whose}index {manifest.id} of {manifest.built_at} is whole, in {home}", ""
    for s in manifest.sources:
        told = [f"version {s.version or 'unknown'}", f"licence {s.licence or 'not stated'}", f"{s.rows:,} rows"]
        told += [f"{sum(counts.values()):,} {what}" for counts, what in _apart(s) if counts]
        yield "ok", f"source {s.name}: {', '.join(told)}", ""
        for what, count in s.doubted.items():
            yield "note", f"source {s.name}: {count:,} × {what}", "`dragoman build` says where"
    changed = [name for s in manifest.sources for name, digest in s.files.items() if _changed(loaded, name, digest)]
    if changed:
        names = ", ".join(changed[:3]) + (", ..." if len(changed) > 3 else "")
        yield "note", f"{len(changed)} source files changed since the index was built ({names})", "run `dragoman build`"


def _apart(source: SourceInfo) -> tuple[tuple[dict[str, int], str], ...]:
    return (source.rejected, "rejected"), (source.skipped, "left out"), (source.noted, "changed")


def _changed(loaded: Loaded, name: str, digest: str) -> bool:
    from dragoman.index import store

    path = loaded.base / name
    return path.is_file() and store.digest_file(path) != digest  # files outside the project are known by name alone


def _provider(loaded: Loaded) -> Iterator[Finding]:
    """Where the person's text goes, if anywhere."""
    llm = loaded.file.llm
    if llm is None:
        yield "ok", "no model: the person's text does not leave this machine", ""
        return
    from dragoman.errors import ConfigError
    from dragoman.models.probe import probe

    try:
        found = probe(loaded)
    except ConfigError as error:
        yield "wrong", error.what, error.advice
        return
    if not found.sent:
        yield "ok", f"model {found.model} runs on this machine: the person's text does not leave it", ""
    else:
        masked = "obvious identifiers masked" if found.redacted else "as they are; redact = true masks identifiers"
        to = llm.base_url or found.host
        yield "note", f"each turn sends to {to} (model {found.model}): {'; '.join(found.sent)}", masked
    if found.error:
        yield "silent", f"{found.host} gave no usable answer ({found.error})", "check base_url, model and key of [llm]"
    elif found.enforced:
        yield "ok", f"{found.host} holds the model to the schema ({found.latency_s:.1f} s)", ""
    else:
        advice = "what it says is bounded all the same; a provider with structured output reads better"
        yield "note", f"{found.host} does not hold the model to the schema", advice


def _gaps(loaded: Loaded) -> Iterator[Finding]:
    """Where it is counted what people ask for in vain, if anywhere."""
    table = loaded.file.gaps
    if table is None:
        return
    if table.stored:
        from dragoman.errors import ConfigError
        from dragoman.gaps.counts import place as shown

        with suppress(ConfigError):  # told with the databases
            yield "ok", f"gaps are counted in {shown(loaded)}, without the person's words", ""
        return
    path = loaded.at(table.path)
    place = next(p for p in (path, *path.parents) if p.exists())
    if os.access(place, os.W_OK) and (place == path or place.is_dir()) and not path.is_dir():
        yield "ok", f"gaps are counted in {path}, without the person's words", ""
    else:
        yield "wrong", f"gaps: {path} cannot be written", "correct path in [gaps], or the rights of its folder"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("doctor"))(doctor)
