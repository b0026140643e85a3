"""The opened term index: concepts, entities and their terms, found in text and asked about.

Concepts and entities are numbers inside; ``number`` and ``entity`` turn ids into them. An *owner* is what a term
names: a concept's number, or an entity's number plus the count of concepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dragoman.folder import Language
from dragoman.index.arrays import Runs, Table
from dragoman.index.concept_names import ConceptNames
from dragoman.index.found import Found
from dragoman.index.layers import Numbered, Over
from dragoman.index.term_match import Matcher
from dragoman.index.term_near import near
from dragoman.index.term_values import ACTIONS, DEPARTMENT, LISTED, NOT, RELATIONS, TYPES, content_keys, has
from dragoman.text.tokens import Tokens, fold_key, tokenize
from dragoman.types import Candidate, Span


class _TermsOf:
    """The terms of each owner; of a concept those of its terminology, then those that an editor adds."""

    __slots__ = ("_added", "_of")

    def __init__(self, of: Numbered[memoryview], added: Table) -> None:
        self._of = of
        self._added = added if len(added) else None

    def __getitem__(self, owner: int) -> Sequence[int]:
        if self._added is None:
            return self._of[owner]
        return [*self._of[owner], *(self._added.get(str(owner)) or ())]


class TermIndex:
    """Concepts and entities with their terms. Immutable; safe to share between threads."""

    def __init__(self, part: Over, languages: Sequence[Language]) -> None:
        shared, own = part.shared, part.own
        self.languages = tuple(languages)
        self.sources = list(shared.strings("terms.sources"))
        self.ids = shared.strings("terms.concept.id")
        self.count = len(self.ids)
        self.source = shared.ints("terms.concept.source", "B")
        self.types = list(shared.strings("terms.types"))
        self.type = shared.ints("terms.concept.type")
        self.names = ConceptNames(shared)
        self._numbers = shared.table("terms.concept.ids")
        self.relations: dict[str, Runs] = {kind: shared.runs(f"terms.{kind}") for kind in RELATIONS}
        self.children = shared.runs("terms.children")
        self.same = shared.runs("terms.same")
        self.canonical = shared.ints("terms.canonical")
        self.entity_ids = own.strings("terms.entity.id")
        self.entity_names = own.strings("terms.entity.name")
        self.entity_types = own.strings("terms.entity.type")
        self.entity_urls = own.strings("terms.entity.url")
        self.entity_concepts = own.runs("terms.entity.concepts")
        self.paged = own.ints("terms.paged", "B")
        self._pages = own.table("terms.pages")
        self._entity_numbers = own.table("terms.entity.ids")
        self.relation_names = list(own.strings("terms.relations"))
        self._into = own.runs("terms.entity.into")
        self._out = own.runs("terms.entity.out")
        self._overrides = own.table("terms.override")
        self._override_why = own.strings("terms.override.why")
        self._override_language = own.strings("terms.override.language")
        self.frequent = frozenset(own.strings("terms.frequent"))
        self.text = part.strings("terms.text")
        self.term_languages = [*shared.strings("terms.languages"), *own.strings("terms.languages")]
        self.term_language = part.ints("terms.language", "B")
        self.term_type = part.ints("terms.type", "B")
        self.terms_of = _TermsOf(part.runs("terms.of"), own.table("terms.of.concept"))
        self._seldom = shared.ints("terms.seldom")
        self._everyday = {pack.code: shared.ints(f"terms.everyday.{pack.code}") for pack in languages}
        self.matcher = Matcher(part, self)

    @classmethod
    def open(cls, part: Over, languages: Sequence[Language]) -> TermIndex:
        """Map the ``terms.*`` arrays of ``part``, an organisation's own over the shared terminologies; ``languages``
        as given to the build.

        Raises ``IndexUnusable`` where an array is missing or cut short.
        """
        return cls(part, languages)

    # --- in text ------------------------------------------------------------------------------------------------------

    def match(self, tokens: Tokens, message: int, *, whole_words: bool = False) -> Found:
        """Concepts and entities whose terms stand in the text: exactly after folding, or in another inflection,
        spelling, derivation or compound. Every concept of a term is kept. ``whole_words``: only what the vocabulary
        has word by word."""
        return self.matcher.match(tokens, message, whole_words=whole_words)

    def near(
        self, tokens: Tokens, message: int, covered: Iterable[Span], candidates: Sequence[Candidate] = ()
    ) -> Found:
        """Concepts and entities that a misspelt word outside ``covered`` may mean. Words of the language are never
        taken for misspelt ones. ``candidates``: what was found so far; the ``doubts`` are about these."""
        return near(self.matcher, tokens, message, covered, candidates)

    def has_words(self, language: str) -> bool:
        """Whether the pack of ``language`` brings a list of its words."""
        return len(self._everyday.get(language, ())) > LISTED

    def everyday(self, key: str, language: str | None = None) -> bool:
        """Whether ``key`` is a word of ``language``; of any of the index's languages where that is None."""
        if language is not None:
            return has(self._everyday[language], key)
        return any(has(table, key) for table in self._everyday.values())

    def seen(self, key: str) -> bool:
        """Whether ``key`` is a word or a name that any of the index's languages has, however seldom."""
        return has(self._seldom, key) or self.everyday(key)

    # --- concepts -----------------------------------------------------------------------------------------------------

    def number(self, id_: str, source: str | None = None) -> int | None:
        """The number of the concept ``id_`` (or ``source:id``); ``None`` where no terminology has it."""
        row = self._numbers.get(id_)
        if source is not None:
            return next((n for n in row or () if self.sources[self.source[n]] == source), None)
        if row:
            return row[0]
        for name in self.sources:
            if id_.startswith(f"{name}:"):
                return self.number(id_[len(name) + 1 :], name)
        return None

    def concept_name(self, concept_id: str) -> str | None:
        """The concept's preferred term in the corpus language, else in any."""
        number = self.number(concept_id)
        return None if number is None else self.names[number]

    def semantic_type(self, number: int) -> str | None:
        """The semantic type of a concept, as far as its source or the packs tell."""
        return self.types[self.type[number]] or None

    def pages_of(self, number: int) -> list[int]:
        """The published entities of a concept and of those that are the same in another terminology."""
        if not self.paged[number]:
            return []
        found: list[int] = []
        for one in (number, *self.same[number]):
            found.extend(e for e in self._pages.get(str(one)) or () if e not in found)
        return found

    def related(self, number: int, kind: str) -> memoryview:
        """The concepts that ``number`` has the relation ``kind`` to."""
        return self.relations[kind][number]

    def rules(self, term: str, language: str) -> list[tuple[str, int | None, str]]:
        """The editor's rules on a term in a text of ``language``: ``(action, owner or None for anything, why)``."""
        if not len(self._overrides):
            return []
        row = self._overrides.get(fold_key(term)) or ()
        languages = self._override_language
        return [
            (ACTIONS[row[at]], row[at + 1] - 1 if row[at + 1] else None, self._override_why[row[at + 2]])
            for at in range(0, len(row), 3)
            if (of := languages[row[at + 2]]) in ("", language) or (of[:1] == NOT and of[1:] != language)
        ]

    # --- entities -----------------------------------------------------------------------------------------------------

    def entity(self, entity_id: str) -> int | None:
        """The number of a published entity."""
        row = self._entity_numbers.get(entity_id)
        return row[0] if row else None

    def entity_name(self, entity_id: str) -> str | None:
        """The name of a published entity."""
        number = self.entity(entity_id)
        return None if number is None else self.entity_names[number]

    def is_department(self, entity: int) -> bool:
        """Whether an entity is a department."""
        return self.entity_types[entity] == DEPARTMENT

    def relations_into(self, entity: int) -> Iterator[tuple[str, int]]:
        """``(relation, source entity)`` of the published relations whose target is ``entity``."""
        row = self._into[entity]
        for at in range(0, len(row), 2):
            yield self.relation_names[row[at]], row[at + 1]

    def relations_from(self, entity: int) -> Iterator[tuple[str, int]]:
        """``(relation, target entity)`` of the published relations whose source is ``entity``."""
        row = self._out[entity]
        for at in range(0, len(row), 2):
            yield self.relation_names[row[at]], row[at + 1]

    @property
    def has_taxonomy(self) -> bool:
        """Whether there is any published entity."""
        return len(self.entity_ids) > 0

    # --- for people ---------------------------------------------------------------------------------------------------

    def lookup(self, term_or_id: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Concepts and entities with this id, or with a term that folds to this; as ``dragoman lookup`` prints them."""
        concepts: list[int] = []
        entities: list[int] = []
        number = self.number(term_or_id)
        if number is not None:
            concepts.append(number)
        entity = self.entity(term_or_id)
        if entity is not None:
            entities.append(entity)
        key = fold_key(term_or_id)
        for owner in self.matcher.owners(content_keys(tokenize(term_or_id))):
            (concepts if owner < self.count else entities).append(owner if owner < self.count else owner - self.count)
        if not concepts and not entities and key:
            for candidate in self.match(tokenize(term_or_id), -1).candidates:
                if candidate.kind == "concept" and (n := self.number(candidate.id, candidate.source)) is not None:
                    concepts.append(n)
                elif candidate.kind == "entity" and (e := self.entity(candidate.id)) is not None:
                    entities.append(e)
        for concept in list(concepts):
            entities.extend(self.pages_of(concept))
        return (
            [self._concept(n) for n in dict.fromkeys(concepts)],
            [self._entity(n) for n in dict.fromkeys(entities)],
        )

    def _concept(self, number: int) -> dict[str, Any]:
        return {
            "source": self.sources[self.source[number]],
            "id": self.ids[number],
            "name": self.names[number],
            "semantic_type": self.semantic_type(number),
            "terms": [
                {
                    "term": self.text[t],
                    "language": self.term_languages[self.term_language[t]],
                    "type": TYPES[self.term_type[t]],
                }
                for t in self.terms_of[number]
            ],
            "relations": {
                kind: [{"id": self.ids[n], "name": self.names[n]} for n in runs[number]]
                for kind, runs in self.relations.items()
                if len(runs[number])
            },
            "same": [f"{self.sources[self.source[n]]}:{self.ids[n]}" for n in self.same[number]],
            "entities": [self.entity_ids[e] for e in self.pages_of(number)],
        }

    def _entity(self, number: int) -> dict[str, Any]:
        return {
            "id": self.entity_ids[number],
            "name": self.entity_names[number],
            "type": self.entity_types[number],
            "url": self.entity_urls[number] or None,
            "terms": [self.text[t] for t in self.terms_of[self.count + number]],
            "concepts": [self.ids[c] for c in self.entity_concepts[number]],
            "from": [{"relation": r, "id": self.entity_ids[e]} for r, e in self.relations_into(number)],
            "to": [{"relation": r, "id": self.entity_ids[e]} for r, e in self.relations_from(number)],
        }
