"""The few seams of dragoman: what a part must offer to take another's place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One ``[[terminology]]`` of a project: what to read and how.

    ``path`` is absolute. ``languages`` limits the terms that are kept (empty: all; ``nl`` also keeps ``nl-BE``).
    ``options`` are the remaining keys of the table, for the reader of that format. ``spoken`` are the project's
    languages, by which a reader tells a misspelt one (empty: none is told); ``where`` is the table's ``file:line``.
    """

    name: str
    format: str
    path: Path
    languages: tuple[str, ...] = ()
    licence: str | None = None
    options: dict[str, Any] = {}
    spoken: tuple[str, ...] = ()
    where: str = ""


class ConceptRow(msgspec.Struct, frozen=True):
    """A concept as its source states it; ``active`` false retires it with all its terms."""

    id: str
    active: bool = True
    semantic_type: str | None = None


class TermRow(msgspec.Struct, frozen=True):
    """One term of one concept. ``type``: ``preferred``, ``synonym``, ``fsn`` or ``lay`` (patient-friendly)."""

    concept_id: str
    term: str
    language: str
    type: str = "synonym"
    active: bool = True


class RelationRow(msgspec.Struct, frozen=True):
    """``source`` *type* ``target`` inside one terminology, e.g. ``is_a``, ``finding_site``, ``due_to``."""

    source_id: str
    type: str
    target_id: str


class RelationRows(msgspec.Struct, frozen=True):
    """Many relations of one type at once: for each pair of ``sources`` and ``targets``, ``ids[source]`` *type*
    ``ids[target]``.

    A reader may yield them instead of ``RelationRow`` where rows are counted in millions. ``ids`` is the same list in
    all of one reading; ``sources`` and ``targets`` are places in it, arrays of whole numbers of one length.
    """

    type: str
    ids: Sequence[str]
    sources: Any
    targets: Any

    def __len__(self) -> int:
        return len(self.sources)


class MapRow(msgspec.Struct, frozen=True):
    """The concept is, in ``system`` (a terminology's name or a coding system), the concept ``target_id``."""

    concept_id: str
    system: str
    target_id: str


Row = ConceptRow | TermRow | RelationRow | RelationRows | MapRow


class Reject(msgspec.Struct, frozen=True):
    """A row that was not taken: ``path:line: reason`` (line counts from 1; 0 when the format has none)."""

    path: str
    line: int
    reason: str


class Doubt(msgspec.Struct, frozen=True):
    """Rows that were taken, though they may not mean what they say: ``count`` of them, the first at ``path:line``.

    ``what`` says what is odd, and what was meant instead where that can be told.
    """

    path: str
    line: int
    what: str
    count: int


class Report:
    """What a reader tells beside its rows: rejects by reason, counts, the files and version it read.

    ``reject`` for a row that is wrong; ``skip`` for one that is rightly left out (inactive, another language);
    ``note`` for one that is kept, but not quite as it stood; ``doubt`` for one that is kept as it stands, and that
    nothing will use as long as it stands so. Only the first ``keep`` rejects of each reason are held in full, all are
    counted.
    """

    def __init__(self, keep: int = 20) -> None:
        self.keep = keep
        self.rejected: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.noted: Counter[str] = Counter()
        self.examples: list[Reject] = []
        self._doubts: dict[str, tuple[str, int]] = {}
        self._doubted: Counter[str] = Counter()
        self.files: list[Path] = []
        self.digests: dict[str, str] = {}
        self.version: str | None = None

    def reject(self, path: Path | str, line: int, reason: str) -> None:
        """Count a bad row under ``reason``; ``reason`` is a fixed sentence, without the row's own content."""
        self.rejected[reason] += 1
        if self.rejected[reason] <= self.keep:
            self.examples.append(Reject(str(path), line, reason))

    def skip(self, reason: str, count: int = 1) -> None:
        """Count rows that the source or the project rightly leaves out."""
        self.skipped[reason] += count

    def note(self, what: str, count: int = 1) -> None:
        """Count what was kept with a change or an assumption (a term composed to NFC, a language taken for granted)."""
        self.noted[what] += count

    def doubt(self, path: Path | str, line: int, what: str) -> None:
        """Count a row that is kept, and of which ``what`` is odd."""
        self._doubts.setdefault(what, (str(path), line))
        self._doubted[what] += 1

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """What is odd, in the order in which it was met."""
        return tuple(Doubt(*place, what, self._doubted[what]) for what, place in self._doubts.items())

    def read(self, path: Path) -> None:
        """Note a file whose content went into the rows (its checksum goes into the manifest)."""
        if path not in self.files:
            self.files.append(path)

    def digest(self, name: str, sha256: str) -> None:
        """Note rows that came from no file, by a digest of them (goes into the manifest beside those of the files)."""
        self.digests[name] = sha256


class Reader(Protocol):
    """Reads one terminology format. A module of ``dragoman.readers`` with a function of this shape."""

    def __call__(self, source: Source, report: Report) -> Iterator[Row]:
        """Yield rows in any order, streaming.

        Raises ``DataError`` where the source as a whole cannot be read (missing file, missing column, not UTF-8,
        empty); single bad rows go to ``report.reject``.
        """
        ...


class Retriever(Protocol):
    """A search engine, as far as dragoman's demos and evaluations need one."""

    def index(self, pages: Iterable[tuple[str, str]]) -> None:
        """Take ``(id, text)`` pages."""
        ...

    def search(self, terms: Iterable[tuple[str, float]], k: int) -> list[tuple[str, float]]:
        """Best ``k`` pages for weighted terms, as ``(id, score)``, best first."""
        ...


class Names(Protocol):
    """What the steps after matching may ask of the vocabularies; an unknown id gives ``None`` or nothing."""

    def drug_name(self, drug_id: str) -> str | None:
        """The drug's own display name."""
        ...

    def concept_name(self, concept_id: str) -> str | None:
        """The concept's preferred term in the corpus language, else in any."""
        ...

    def entity_name(self, entity_id: str) -> str | None:
        """The name of a published entity."""
        ...


# --- the model turn ------------------------------------------------------------------------------------------------


class ChatMessage(msgspec.Struct, frozen=True):
    """One message to a model: the profile's instructions (``system``), or the blocks of this turn (``user``)."""

    role: Literal["system", "user"]
    content: str


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a provider is sent for one turn, whoever it is.

    ``schema`` is the JSON schema that the reply must keep to. ``prompt`` names the prompt that was used (profile,
    version, hash of its text). ``tokens`` estimates the input; ``cut`` messages of the history did not fit into it.
    """

    messages: tuple[ChatMessage, ...]
    schema: dict[str, Any]
    prompt: str
    max_output_tokens: int
    tokens: int = 0
    cut: int = 0


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What one call used: tokens as the provider counts them, and its price in US dollars where that is known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """A provider's answer: ``text`` is what the model wrote, not yet read by anyone. ``latency_s`` in seconds."""

    text: str
    usage: Usage = Usage()
    request_id: str | None = None
    latency_s: float = 0.0
    attempts: int = 1


class Model(Protocol):
    """Whoever turns a request into a reply."""

    async def call(self, request: Request, deadline_s: float) -> Answered:
        """Ask once and wait at most ``deadline_s`` seconds in all.

        Raises ``ModelUnavailable``, ``ModelMalformed`` or ``ModelRefused``, and nothing else on account of the
        provider; none of them carries a word of the request or of the answer.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...
