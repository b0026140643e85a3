"""What is wrong with a project file, by its line: unknown keys, and values that no table may have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from dragoman.errors import ConfigError
from dragoman.meant import did_you_mean
from dragoman.project_lines import line_of
from dragoman.project_tables import PROVIDERS, SWITCHES, WAYS, ProjectFile, StoredTable, TenantTable, TerminologyTable

_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")  # it is a folder's name, too


def check_values(file: ProjectFile, path: Path, text: str) -> None:
    """Refuse values out of their range, and data that are nowhere or in two places: ``ConfigError`` with the line of
    ``text``, the file at ``path``."""
    if not file.project.languages:
        raise ConfigError(
            "languages is empty", where=f"{path}:{line_of(text, 'languages', 'project')}", advice="name at least one"
        )
    if not 0 <= file.enrich.max_terms <= 20:
        raise ConfigError(
            "max_terms must be from 0 to 20",
            where=f"{path}:{line_of(text, 'max_terms', 'enrich')}",
            advice="3 is the default",
        )
    _check_llm(file, path, text)
    for key, least in (("keep_after", 2), ("keep_days", 1)):
        if file.gaps and getattr(file.gaps, key) < least:
            raise ConfigError(
                f"{key} must be at least {least}",
                where=f"{path}:{line_of(text, key, 'gaps')}",
                advice="with fewer requests one person's words would be stored" if least > 1 else "it is in days",
            )
    owners: tuple[ProjectFile | TenantTable, ...] = (file, *file.tenants.values())
    for own, of in zip(owners, ("", *(f"tenants.{name}." for name in file.tenants)), strict=True):
        _check_place(own.catalog, f"{of}catalog", "drugs", path, text)
        _check_place(own.taxonomy, f"{of}taxonomy", "entities", path, text)
    if file.gaps and file.gaps.dsn is not None and file.gaps.dsn_env is not None:
        _refuse_both("gaps", path, text)
    for name, without, known in (("build", file.build.without, WAYS), ("enrich", file.enrich.without, SWITCHES)):
        for way in without:
            if way not in known:
                raise ConfigError(
                    f"[{name}] without names {way!r}",
                    where=f"{path}:{line_of(text, 'without', name)}",
                    advice=did_you_mean(way, known),
                )
    _check_numbers(file, path, text)
    _check_sources(file.terminology, path, text)
    for tenant in file.tenants:
        if not _TENANT.fullmatch(tenant):
            raise ConfigError(
                f"{tenant!r} is no name for a tenant",
                where=f"{path}:{line_of(text, 'tenants')}",
                advice="use letters, digits, - and _; what people read is its `name`",
            )


def _check_llm(file: ProjectFile, path: Path, text: str) -> None:
    """Refuse a provider that there is not, and a word for an outage that means nothing."""
    llm = file.llm
    if llm is None:
        return
    if llm.provider not in PROVIDERS:
        raise ConfigError(
            f"[llm] provider is {llm.provider!r}",
            where=f"{path}:{line_of(text, 'provider', 'llm')}",
            advice=f"use one of {', '.join(PROVIDERS)}",
        )
    if llm.on_outage not in ("fail_closed", "offline"):
        raise ConfigError(
            f"on_outage is {llm.on_outage!r}",
            where=f"{path}:{line_of(text, 'on_outage', 'llm')}",
            advice="use 'fail_closed' or 'offline'",
        )


def _check_numbers(file: ProjectFile, path: Path, text: str) -> None:
    """Refuse shares that are none, and amounts of nothing."""
    for name, table, keys, advice in (
        ("build", file.build, ("max_rejects", "min", "max_loss"), "it is a share: 0.1 is 10%"),
        ("enrich", file.enrich, ("max_share",), "it is a share: 0.1 is 10%"),
        ("enrich", file.enrich, ("sparse_weight",), "the person's own words weigh 1"),
    ):
        for key in keys:
            if not 0 <= getattr(table, key) <= 1:
                at = line_of(text, key, name)
                raise ConfigError(f"{key} must be from 0 to 1", where=f"{path}:{at}", advice=advice)
    amounts: list[tuple[str, str, float]]
    amounts = [("limits", key, getattr(file.limits, key)) for key in ("text", "reply", "body")]
    if file.llm:
        keys_of_calls = ("timeout_s", "max_concurrent", "max_output_tokens", "max_input_tokens")
        amounts += [("llm", key, getattr(file.llm, key)) for key in keys_of_calls]
    for name, key, amount in amounts:
        if not amount > 0:  # nor is it, where it is no number
            raise ConfigError(
                f"{key} must be more than 0",
                where=f"{path}:{line_of(text, key, name)}",
                advice="leave it out for the default",
            )


def _check_sources(tables: tuple[TerminologyTable, ...], path: Path, text: str) -> None:
    """Refuse a terminology without a name or a path. Several of one name are layers of one terminology."""
    for nth, table in enumerate(tables):
        for key in ("name", "path"):
            if not getattr(table, key).strip():
                raise ConfigError(
                    f"a [[terminology]] has an empty {key}",
                    where=f"{path}:{line_of(text, key, 'terminology', nth)}",
                    advice="give it one" if key == "name" else "name a folder or a file",
                )


def _check_place(table: StoredTable | None, name: str, first: str, path: Path, text: str) -> None:
    """Refuse a table whose data are nowhere, or in two places."""
    if table is None:
        return
    files = [key for key in table.__struct_fields__ if key not in StoredTable.__struct_fields__]
    given = [key for key in files if getattr(table, key) is not None]
    if table.dsn is not None and table.dsn_env is not None:
        _refuse_both(name, path, text)
    if table.stored and given:
        raise ConfigError(
            f"[{name}] names both a database and a file ({given[0]})",
            where=f"{path}:{line_of(text, given[0], name)}",
            advice="leave one out; `dragoman db import` brings files into the database",
        )
    if not table.stored and getattr(table, first) is None:
        raise ConfigError(
            f"[{name}] says nothing of where its data are",
            where=f"{path}:{line_of(text, '', name)}",
            advice=f"give {first}, or dsn",
        )


def _refuse_both(name: str, path: Path, text: str) -> None:
    raise ConfigError(
        f"[{name}] has both dsn and dsn_env", where=f"{path}:{line_of(text, 'dsn_env', name)}", advice="leave one out"
    )


def check_keys(data: object, type_: type[msgspec.Struct], path: Path, text: str, inside: str) -> None:
    """Refuse keys that the tables do not have, deepest first; ``[[terminology]]`` leaves its options to the reader."""
    if not isinstance(data, dict):
        return
    for field in msgspec.structs.fields(type_):
        value = data.get(field.name)
        below = struct_in(field.type)
        if below is None or below is TerminologyTable:
            continue
        if below is TenantTable and isinstance(value, dict):
            for name, item in value.items():
                check_keys(item, below, path, text, f"tenants.{name}")
            continue
        for item in value if isinstance(value, list) else [value]:
            check_keys(item, below, path, text, f"{inside}.{field.name}" if inside else field.name)
    known = type_.__struct_fields__
    for key in data:
        if key not in known:
            place = f"[{inside}]" if inside else "the project file"
            raise ConfigError(
                f"{place} has no key {key!r}",
                where=f"{path}:{line_of(text, key, inside)}",
                advice=did_you_mean(key, known),
            )


def struct_in(type_: Any) -> type[msgspec.Struct] | None:
    """The struct that a field's type is or may be; ``None`` for scalars and lists."""
    for part in (type_, *getattr(type_, "__args__", ())):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            return part
    return None
