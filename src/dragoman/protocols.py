"""The few seams of dragoman: what a part must offer to take another's place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

import msgspec


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One ``[[terminology]]`` of a project: what to read and how.

    ``path`` is absolute. ``languages`` limits the terms that are kept (empty: all; ``nl`` also keeps ``nl-BE``).
    ``options`` are the remaining keys of the table, for the reader of that format.
    """

    name: str
    format: str
    path: Path
    languages: tuple[str, ...] = ()
    licence: str | None = None
    options: dict[str, Any] = {}


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


class MapRow(msgspec.Struct, frozen=True):
    """The concept is, in ``system`` (a terminology's name or a coding system), the concept ``target_id``."""

    concept_id: str
    system: str
    target_id: str


Row = ConceptRow | TermRow | RelationRow | MapRow


class Reject(msgspec.Struct, frozen=True):
    """A row that was not taken: ``path:line: reason`` (line counts from 1; 0 when the format has none)."""

    path: str
    line: int
    reason: str


class Report:
    """What a reader tells beside its rows: rejects by reason, counts, the files and version it read.

    ``reject`` for a row that is wrong; ``skip`` for one that is rightly left out (inactive, another language).
    Only the first ``keep`` rejects of each reason are held in full, all are counted.
    """

    def __init__(self, keep: int = 20) -> None:
        self.keep = keep
        self.rejected: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.examples: list[Reject] = []
        self.files: list[Path] = []
        self.version: str | None = None

    def reject(self, path: Path | str, line: int, reason: str) -> None:
        """Count a bad row under ``reason``; ``reason`` is a fixed sentence, without the row's own content."""
        self.rejected[reason] += 1
        if self.rejected[reason] <= self.keep:
            self.examples.append(Reject(str(path), line, reason))

    def skip(self, reason: str, count: int = 1) -> None:
        """Count rows that the source or the project rightly leaves out."""
        self.skipped[reason] += count

    def read(self, path: Path) -> None:
        """Note a file whose content went into the rows (its checksum goes into the manifest)."""
        if path not in self.files:
            self.files.append(path)


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
