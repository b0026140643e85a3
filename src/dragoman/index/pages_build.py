"""Compiles an organisation's own pages and rules, over terminologies that are compiled already.

Numbers of words, terms and owners go on where the terminologies end. Nothing here grows with the terminologies but a
few small arrays by word and by concept, so that a change of the taxonomy is compiled in a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dragoman.errors import DataError
from dragoman.folder import Language
from dragoman.index.arrays import Part, Writer
from dragoman.index.term_flags import Flags, proper
from dragoman.index.term_rows import rows, write_rows
from dragoman.index.term_values import ACTIONS, ALWAYS, DEPARTMENT, EPONYM, NAME, NEVER, NOT, PERSON, SYNONYM
from dragoman.index.term_writing import Writing, parts
from dragoman.index.terms_read import Term
from dragoman.index.terms_report import SHOWN, TermReport
from dragoman.index.words_below import Below
from dragoman.index.words_build import WordClasses
from dragoman.index.words_tables import write_words
from dragoman.text.tokens import fold_key
from dragoman.text.words import stop_words

if TYPE_CHECKING:
    from dragoman.readers.deployment import Entity, Override, Taxonomy

PUBLISHED = "published"


def compile_pages(
    taxonomy: Taxonomy,
    languages: Sequence[Language],
    writer: Writer,
    shared: Part,
    overrides: Sequence[Override] = (),
    without: frozenset[str] = frozenset(),
    frequent: Sequence[str] = (),
) -> TermReport:
    """Write the ``terms.*`` arrays of the published entities and of the editor's rules.

    ``shared`` are the compiled terminologies, ``languages`` and ``without`` as they were compiled with; ``frequent``
    folded names that too many pages of the corpus have (see ``index.frequent``). Raises ``DataError`` for an override
    whose target is not there.
    """
    report = _Compiler(languages, writer, shared, without).run(taxonomy, overrides)
    writer.strings("terms.frequent", frequent)
    report.counts["names_too_frequent"] = len(frequent)
    return report


class _Compiler:
    def __init__(self, languages: Sequence[Language], writer: Writer, shared: Part, without: frozenset[str]) -> None:
        self.languages = languages
        self.writer = writer
        self.without = without
        self.below = Below(shared, languages)
        self.writing = Writing(languages)
        self.marked = {pack.code for pack in languages if pack.marks_matter}
        self.corpus = languages[0].code if languages else ""

    def run(self, taxonomy: Taxonomy, overrides: Sequence[Override]) -> TermReport:
        entities = [e for e in taxonomy.entities if e.status == PUBLISHED]
        concepts_of = [[c for id_ in e.concept_ids for c in self.below.called(id_)] for e in entities]
        unmapped = [e.entity_id for e, of in zip(entities, concepts_of, strict=True) if e.concept_ids and not of]
        pages = self._write_pages(concepts_of)
        out = self._write_entities(entities, concepts_of, taxonomy)
        unreached = _unreached(entities, concepts_of, out)
        terms = self._entity_terms(entities)
        terms += self._write_overrides(overrides, entities, terms, concepts_of)
        words, short = self._write_terms(terms, len(entities))
        return TermReport(
            counts={
                "terms": len(terms),
                "entities": len(entities),
                "entities_not_published": len(taxonomy.entities) - len(entities),
                "entities_without_concept": len(unmapped),
                "entities_with_concepts": sum(map(bool, concepts_of)),
                "entities_unreached": len(unreached),
                "entity_relations": sum(map(len, out)) // 2,
                "concepts_with_page": pages,
                "terms_everyday": len(short),
                "words": words,
            },
            everyday=tuple(short[:SHOWN]),
            unmapped=tuple(unmapped[:SHOWN]),
            unreached=tuple(unreached[:SHOWN]),
        )

    def _write_pages(self, concepts_of: Sequence[Sequence[int]]) -> int:
        """Write which concepts have pages, their own or those of the same concept elsewhere; returns how many have
        their own."""
        pages: dict[int, list[int]] = {}
        for number, concepts in enumerate(concepts_of):
            for concept in concepts:
                pages.setdefault(concept, []).append(number)
        paged = bytearray(self.below.count)
        for concept in pages:
            paged[concept] = 1
            for other in self.below.same[concept]:
                paged[other] = 1
        self.writer.table("terms.pages", {str(concept): found for concept, found in pages.items()})
        self.writer.ints("terms.paged", paged, "B")
        return len(pages)

    def _write_entities(
        self, entities: Sequence[Entity], concepts_of: Sequence[Sequence[int]], taxonomy: Taxonomy
    ) -> list[list[int]]:
        """Write the entities and their published relations; returns these, by source: kind, target, kind, ..."""
        writer = self.writer
        writer.strings("terms.entity.id", (e.entity_id for e in entities))
        writer.strings("terms.entity.name", (e.name for e in entities))
        writer.strings("terms.entity.type", (e.type for e in entities))
        writer.strings("terms.entity.url", (e.url or "" for e in entities))
        writer.runs("terms.entity.concepts", concepts_of)
        place = {e.entity_id: n for n, e in enumerate(entities)}
        writer.table("terms.entity.ids", {id_: [n] for id_, n in place.items()})
        kinds = sorted({r.relation for r in taxonomy.relations})
        into: list[list[int]] = [[] for _ in entities]
        out: list[list[int]] = [[] for _ in entities]
        for relation in taxonomy.relations:
            source, target = place.get(relation.source_id), place.get(relation.target_id)
            if relation.status == PUBLISHED and source is not None and target is not None:
                kind = kinds.index(relation.relation)
                into[target] += [kind, source]
                out[source] += [kind, target]
        writer.strings("terms.relations", kinds)
        writer.runs("terms.entity.into", into)
        writer.runs("terms.entity.out", out)
        return out

    def _entity_terms(self, entities: Sequence[Entity]) -> list[Term]:
        found: list[Term] = []
        names = {fold_key(entity.name) for entity in entities}
        for owner, entity in enumerate(entities, self.below.count):
            language = (entity.language or self.corpus).partition("-")[0]
            name: str = entity.name
            found.append(Term(name, owner, language, NAME))
            found += [Term(s, owner, language, SYNONYM) for s in entity.synonyms if s.strip()]
            found += [Term(v, owner, language, SYNONYM) for v in self.writing.person(name)]
            if entity.type == DEPARTMENT:
                found += [Term(v, owner, language, SYNONYM) for v in parts(name)]
                several = self.writing.specialities(name, language)
                found += [Term(v, owner, language, SYNONYM) for v in several if fold_key(v) not in names]
            eponym = self.writing.eponym(name, language)
            if eponym:
                found.append(Term(eponym, owner, language, EPONYM))
        return found

    def _write_overrides(
        self,
        overrides: Sequence[Override],
        entities: Sequence[Entity],
        terms: Sequence[Term],
        concepts_of: Sequence[Sequence[int]],
    ) -> list[Term]:
        """Write the editor's rules, and return the terms that ``always`` adds to those that the entities have."""
        place = {e.entity_id: n for n, e in enumerate(entities, self.below.count)}
        table: dict[str, list[int]] = {}
        found: list[Term] = []
        whys: list[tuple[str, str]] = []  # the reason, and the language
        for one in overrides:
            owner = 0
            if one.target:
                concepts = self.below.called(one.target)
                if one.target not in place and len(concepts) != 1:
                    what = "a concept of several terminologies" if concepts else "no published entity and no concept"
                    raise DataError(
                        f"the target {one.target!r} is {what}",
                        where=one.where,
                        advice="write `terminology:id`" if concepts else "correct the id, or publish the page",
                    )
                owner = place.get(one.target, concepts[0] if concepts else 0) + 1
            key = fold_key(one.term)
            table.setdefault(key, []).extend((ACTIONS.index(one.action), owner, len(whys)))
            whys.append((one.why, one.language))
            if one.action == ALWAYS:
                found.append(Term(one.term, owner - 1, one.language or self.corpus, SYNONYM))
                if one.language and not self._has(owner - 1, key, terms, concepts_of):
                    # in a text of another language the term, which is one by this rule alone, brings nothing
                    table[key].extend((ACTIONS.index(NEVER), owner, len(whys)))
                    whys.append((one.why, NOT + one.language))
        self.writer.table("terms.override", table)
        self.writer.strings("terms.override.why", (why for why, _ in whys))
        self.writer.strings("terms.override.language", (language for _, language in whys))
        return found

    def _has(self, owner: int, key: str, terms: Sequence[Term], concepts_of: Sequence[Sequence[int]]) -> bool:
        """Whether a term that folds to ``key`` leads to ``owner``, or to the same page, without the editor."""
        first = self.below.count
        pages = [n for n, of in enumerate(concepts_of) if owner in (first + n, *of)]
        concepts = {c for n in pages for c in concepts_of[n]} | ({owner} if owner < first else set())
        held = [t for c in sorted(concepts) for t in self.below.terms_of(c)]
        held += [t for t in terms if t.owner - first in pages]
        return any(fold_key(term.text) == key for term in held)

    def _write_terms(self, terms: Sequence[Term], entities: int) -> tuple[int, list[str]]:
        """Write the terms and what finds them; returns how many new words they have, and those that need evidence."""
        below, writer = self.below, self.writer
        named = {t.owner for t in terms if t.owner < below.count}  # concepts that the editor gives a term
        found = rows(terms, self.marked, [t for concept in sorted(named) for t in below.terms_of(concept)])
        stops = stop_words(self.languages)
        short = Flags(self.languages, below.lists, stops).mark(found, below.count)
        new = sorted({t.language for t in found.terms} - set(below.codes))
        write_rows(writer, found, [*below.codes, *new], new)
        numbered: dict[int, list[int]] = {}
        for n, term in enumerate(found.terms, below.terms):
            numbered.setdefault(term.owner, []).append(n)
        writer.runs("terms.of", (numbered.get(below.count + n, ()) for n in range(entities)))
        writer.table("terms.of.concept", {str(c): numbered[c] for c in sorted(named) if c in numbered})
        languages = [t.language for t in found.terms]
        classes = WordClasses(self.languages, below.lists, stops, below.words, joins="morphology" not in self.without)
        classes.learn(zip(found.tokens, languages, strict=True), proper(found.terms))
        write_words(writer, classes, found.tokens, languages, below.terms, self.without)
        return len(classes.vocabulary), short


def _unreached(
    entities: Sequence[Entity], concepts_of: Sequence[Sequence[int]], out: Sequence[Sequence[int]]
) -> list[str]:
    """The ids of pages that no term of a terminology leads to, so that people must use the pages' own words.

    A department is reached through a page that it has a relation to, as well. People are found by their names.
    """
    return [
        entity.entity_id
        for entity, concepts, related in zip(entities, concepts_of, out, strict=True)
        if not concepts
        and entity.type != PERSON
        and not (entity.type == DEPARTMENT and any(concepts_of[target] for target in related[1::2]))
    ]
