"""What the terminologies say, row by row: concepts numbered in order of first mention, their terms and relations."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dragoman.index.relations_build import Relations
from dragoman.index.term_values import SYNONYM, TYPES
from dragoman.protocols import ConceptRow, MapRow, RelationRow, RelationRows, Row, Source, TermRow

_TYPE = {name: at for at, name in enumerate(TYPES)}


class Term(NamedTuple):
    """One term as it is indexed. ``owner``: a concept's number, or an entity's number plus the count of concepts."""

    text: str
    owner: int
    language: str
    type: int


class Concepts:
    """What the sources say, numbered in order of first mention."""

    def __init__(self) -> None:
        self.numbers: list[dict[str, int]] = []  # of each source, by id
        self.keys: list[tuple[int, str]] = []
        self.active: list[bool] = []
        self.tags: list[str | None] = []
        self.terms: list[Term] = []
        self.relations = Relations()
        self.maps: list[tuple[int, str, str]] = []
        self.sources: list[str] = []
        self.licences: dict[str, str | None] = {}
        self.retired = 0

    def number(self, source: int, id_: str) -> int:
        """The number of a concept, given now where it has none yet."""
        found = self.numbers[source].get(id_)
        if found is None:
            found = self.numbers[source][id_] = len(self.keys)
            self.keys.append((source, id_))
            self.active.append(True)
            self.tags.append(None)
        return found

    def read(self, sources: Iterable[tuple[Source, Iterator[Row]]]) -> None:
        """Read every source to its end. Sources of one name are one terminology."""
        for source, rows in sources:
            if source.name not in self.licences:
                self.sources.append(source.name)
                self.numbers.append({})
            self.licences.setdefault(source.name, source.licence)
            at = self.sources.index(source.name)
            known = self.numbers[at]
            places: tuple[Sequence[str], array[int]] = (), array("I")  # ids of blocks, their numbers
            for row in rows:
                if isinstance(row, TermRow):
                    if row.active:
                        language = row.language.partition("-")[0]
                        number = known.get(row.concept_id)
                        if number is None:
                            number = self.number(at, row.concept_id)
                        self.terms.append(Term(row.term, number, language, _TYPE.get(row.type, SYNONYM)))
                    else:
                        self.retired += 1
                elif isinstance(row, RelationRows):
                    if places[0] is not row.ids:
                        places = row.ids, array("I", (self.number(at, id_) for id_ in row.ids))
                    self.relations.extend(row.type, places[1], row.sources, row.targets)
                elif isinstance(row, RelationRow):
                    self.relations.add(self.number(at, row.source_id), row.type, self.number(at, row.target_id))
                elif isinstance(row, ConceptRow):
                    number = self.number(at, row.id)
                    self.active[number] = row.active
                    self.tags[number] = row.semantic_type
                elif isinstance(row, MapRow):
                    self.maps.append((self.number(at, row.concept_id), row.system, row.target_id))

    def name(self, concept: int) -> str:
        """A concept as people read it: ``terminology:id``."""
        source, id_ = self.keys[concept]
        return f"{self.sources[source]}:{id_}"
