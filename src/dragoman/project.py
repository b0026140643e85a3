"""``dragoman.toml`` → ``Project``: every key known, every path absolute, every mistake with its line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from dragoman import folder
from dragoman.errors import ConfigError
from dragoman.folder import PACKAGE, Language, Profile
from dragoman.project_check import check_keys, check_values
from dragoman.project_lines import complaint, line_of
from dragoman.project_tables import ProjectFile, StoredTable, TerminologyTable
from dragoman.protocols import Source

BUILT_IN = {"demo-hospital": "hospital", "demo-formulary": "formulary"}


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """A project, ready to build or open: packs loaded, paths absolute (``base`` is the project file's folder).

    ``of``: the tenant's name where this is one of the project's tenants (see ``tenant``).
    """

    path: Path
    base: Path
    file: ProjectFile
    profile: Profile
    languages: tuple[Language, ...]
    sources: tuple[Source, ...]
    index: Path
    of: str | None = None

    @property
    def name(self) -> str:
        """The project's name, or its folder's."""
        return self.file.project.name or self.base.name

    @property
    def corpus_language(self) -> str:
        """The language that the pages are written in."""
        return self.languages[0].code

    @property
    def packs(self) -> tuple[Language, ...]:
        """The project's languages, then the rules that hold in all."""
        return (*self.languages, folder.language(folder.EVERYWHERE))

    def at(self, path: str) -> Path:
        """``path`` of the project file as an absolute path."""
        return (self.base / path).resolve()

    @property
    def own_files(self) -> tuple[tuple[str, Path], ...]:
        """The files that hold the organisation's own data, each with the table and key that names it."""
        tables = (("catalog", self.file.catalog), ("taxonomy", self.file.taxonomy), ("overrides", self.file.overrides))
        return tuple(
            (f"{name} {key}", self.at(value))
            for name, table in tables
            if table is not None
            for key in table.__struct_fields__
            if key not in StoredTable.__struct_fields__ and (value := getattr(table, key)) is not None
        )

    @property
    def databases(self) -> tuple[tuple[str, str | None, str | None], ...]:
        """``(table, dsn, dsn_env)`` of the tables whose data stand in PostgreSQL."""
        file = self.file
        tables = (("catalog", file.catalog), ("taxonomy", file.taxonomy), ("gaps", file.gaps))
        return tuple((name, table.dsn, table.dsn_env) for name, table in tables if table is not None and table.stored)

    @property
    def tenants(self) -> tuple[str, ...]:
        """The names of the project's tenants, in the order of the file."""
        return tuple(self.file.tenants)

    def tenant(self, name: str) -> Project:
        """The tenant ``name`` as a project of its own, with an index of its own below this one's.

        Raises ``ConfigError`` that names the known ones for a name that is not among them.
        """
        table = self.file.tenants.get(name)
        if table is None:
            there = f"there are: {', '.join(self.tenants)}" if self.tenants else "the project has no [tenants.NAME]"
            raise ConfigError(f"there is no tenant {name!r}", where=str(self.path), advice=there)
        gaps = self.file.gaps
        if gaps is not None:
            path = Path(gaps.path)
            gaps = msgspec.structs.replace(gaps, path=str(path.with_name(f"{path.stem}-{name}{path.suffix}")))
        file = msgspec.structs.replace(
            self.file,
            project=msgspec.structs.replace(self.file.project, name=table.name or name),
            catalog=table.catalog,
            taxonomy=table.taxonomy,
            overrides=table.overrides,
            build=msgspec.structs.replace(self.file.build, golden=table.golden),
            gaps=gaps,
            serve=msgspec.structs.replace(
                self.file.serve,
                pages=table.pages,
                reports=f"{self.file.serve.reports}/{name}" if self.file.serve.reports else None,
            ),
            tenants={},
        )
        return msgspec.structs.replace(self, file=file, index=home_of(self.index, name), of=name)


def home_of(index: Path, tenant: str) -> Path:
    """Where the indexes of a tenant are kept, below the project's own at ``index``."""
    return index / "tenants" / tenant


def locate(project: str | Path) -> Path:
    """The project file that ``project`` means: a built-in name, a file, or a folder that holds ``dragoman.toml``."""
    if str(project) in BUILT_IN:
        return PACKAGE / "demo" / BUILT_IN[str(project)] / "dragoman.toml"
    path = Path(project)
    return path / "dragoman.toml" if path.is_dir() else path


def load(project: str | Path = "dragoman.toml") -> Project:
    """Read and check a project file.

    Raises ``ConfigError`` for a missing file, TOML that does not parse, an unknown key (with the nearest right one), a
    wrong type or value, an unknown profile or language.
    """
    path = locate(project)
    try:
        text = path.read_text("utf-8-sig")
        data = tomllib.loads(text)
    except FileNotFoundError:
        raise ConfigError(
            "there is no such project file",
            where=str(path),
            advice="make one with `dragoman init`, or try `--project demo-hospital`",
        ) from None
    except UnicodeDecodeError:
        raise ConfigError("is not UTF-8", where=str(path), advice="save it as UTF-8") from None
    except OSError as error:
        raise ConfigError(
            f"cannot be read ({error.strerror})", where=str(path), advice="check the path, and who may read it"
        ) from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        where = f"{path}:{line[1] if line else text.count(chr(10)) + 1}"
        twice = "its keys go where the table stands already" if "Cannot declare" in str(error) else "correct the line"
        raise ConfigError(f"is not TOML: {error}", where=where, advice=twice) from None
    except RecursionError:
        raise ConfigError("is nested too deep", where=str(path), advice="start again with `dragoman init`") from None
    check_keys(data, ProjectFile, path, text, "")
    options = [
        {k: v for k, v in table.items() if k not in TerminologyTable.__struct_fields__}
        for table in data.get("terminology", [])
        if isinstance(table, dict)
    ]
    try:
        file = msgspec.convert(data, ProjectFile)
    except msgspec.ValidationError as error:
        what, at, advice = complaint(str(error), text, {"terminology": [set(option) for option in options]})
        raise ConfigError(what, where=f"{path}:{at}", advice=advice) from None
    check_values(file, path, text)
    return _resolve(path, file, options, text)


def _resolve(path: Path, file: ProjectFile, options: list[dict[str, Any]], text: str) -> Project:
    base = path.parent.resolve()
    try:
        profile = folder.profile(file.project.profile, base)
        languages = tuple(folder.spoken(code, base) for code in file.project.languages)
    except ConfigError as error:
        key = "profile" if "profile" in error.what else "languages"
        raise ConfigError(error.what, where=f"{path}:{line_of(text, key, 'project')}", advice=error.advice) from None
    sources = tuple(
        Source(
            name=t.name,
            format=t.format,
            path=(base / t.path).resolve(),
            languages=t.languages,
            licence=t.licence,
            options=option,
            spoken=tuple(pack.code for pack in languages),
            where=f"{path}:{line_of(text, 'format', 'terminology', nth)}",
        )
        for nth, (t, option) in enumerate(zip(file.terminology, options, strict=True))
    )
    index = (base / file.project.index).resolve()
    return Project(
        path=path.resolve(), base=base, file=file, profile=profile, languages=languages, sources=sources, index=index
    )
