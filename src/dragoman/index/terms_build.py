"""Compiles terminologies and the organisation's taxonomy into the arrays that ``index.terms`` reads.

Concepts and entities are numbered; every term names one of them (its *owner*: a concept's number, or an entity's
number plus the count of concepts). A term is found by the *classes* of its tokens (``index.words_build``), so that one
table serves exact and inflected matches alike; whether a match is exact is told by a digest of the folded term.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dragoman.errors import DataError
from dragoman.folder import Language
from dragoman.index.arrays import Writer
from dragoman.index.relations_build import Relations
from dragoman.index.term_values import (
    ABBREVIATION,
    ACTIONS,
    CAPITAL,
    DEPARTMENT,
    EPONYM,
    EVERYDAY,
    FSN,
    LAY,
    LONGEST,
    MARKS,
    NAME,
    PREFERRED,
    SYNONYM,
    TYPES,
    content_keys,
    digest32,
)
from dragoman.index.terms_report import SHOWN, Ambiguous, TermReport
from dragoman.index.words_build import COMMON, WordClasses, write_words
from dragoman.protocols import ConceptRow, MapRow, RelationRow, Row, Source, TermRow
from dragoman.text.abbreviations import initials, is_abbreviation, pair
from dragoman.text.morphology import PLURAL, Morphology
from dragoman.text.tokens import fold_key, plain_keys, tokenize
from dragoman.text.words import stop_words, words

if TYPE_CHECKING:
    from dragoman.readers.deployment import Entity, Override, Taxonomy

PUBLISHED = "published"
SHORT_NAME = 5  # letters of a name that needs its capital where it is an everyday word too: Down, Still
SPELT = 3  # letters of an abbreviation that may be told from a word by its letters
LONG_WORD = 4  # letters that are too few to show how words begin and end
RARE = 10  # words that are too few for that
_MANY = 5  # concepts under one code of a third system: more say nothing about each other


class TermsTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``terms.toml`` of a language: how its vocabularies write.

    ``types``: semantic tag or top-level concept's name → semantic type. ``brackets``: synonyms stand in ``[ ]`` and
    ``( )`` inside terms. ``eponyms``: what stands before or (behind ``…``) after a person's name that is a term by
    itself. ``titles``: what may stand before a person's name.
    """

    types: dict[str, str] = {}
    brackets: bool = False
    eponyms: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()


class Term(NamedTuple):
    """One term as it is indexed."""

    text: str
    owner: int
    language: str
    type: int


class _Concepts:
    """What the sources say, numbered in order of first mention and pruned of what is retired."""

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
        found = self.numbers[source].get(id_)
        if found is None:
            found = self.numbers[source][id_] = len(self.keys)
            self.keys.append((source, id_))
            self.active.append(True)
            self.tags.append(None)
        return found

    def read(self, sources: Iterable[tuple[Source, Iterator[Row]]]) -> None:
        for source, rows in sources:
            if source.name not in self.licences:
                self.sources.append(source.name)
                self.numbers.append({})
            self.licences.setdefault(source.name, source.licence)
            at = self.sources.index(source.name)
            get, add = self.numbers[at].get, self.relations.add
            for row in rows:
                if isinstance(row, RelationRow):  # by far the most
                    one, other = get(row.source_id), get(row.target_id)
                    add(
                        self.number(at, row.source_id) if one is None else one,
                        row.type,
                        self.number(at, row.target_id) if other is None else other,
                    )
                elif isinstance(row, TermRow):
                    if row.active:
                        type_ = TYPES.index(row.type) if row.type in TYPES else SYNONYM
                        language = row.language.partition("-")[0]
                        self.terms.append(Term(row.term, self.number(at, row.concept_id), language, type_))
                    else:
                        self.retired += 1
                elif isinstance(row, ConceptRow):
                    number = self.number(at, row.id)
                    self.active[number] = row.active
                    self.tags[number] = row.semantic_type
                elif isinstance(row, MapRow):
                    self.maps.append((self.number(at, row.concept_id), row.system, row.target_id))


def compile_terms(
    sources: Iterable[tuple[Source, Iterator[Row]]],
    taxonomy: Taxonomy,
    languages: Sequence[Language],
    writer: Writer,
    overrides: Sequence[Override] = (),
) -> TermReport:
    """Read every source to its end and write the ``terms.*`` arrays.

    ``languages`` are the project's packs, the corpus language first, and the ``mul`` pack last. What a reader raises
    passes through; so does ``DataError`` for an override whose target is not there. Terms, concepts and entities that
    are retired or not published are left out altogether.
    """
    collecting = gc.isenabled()
    gc.disable()  # millions of small tuples that all stay: the collector would only walk them again and again
    try:
        return _Compiler(languages, writer).run(sources, taxonomy, overrides)
    finally:
        if collecting:
            gc.enable()


class _Compiler:
    def __init__(self, languages: Sequence[Language], writer: Writer) -> None:
        self.languages = languages
        self.writer = writer
        self.tables = {pack.code: pack.table("terms.toml", TermsTable) for pack in languages}
        self.marked = {pack.code for pack in languages if pack.marks_matter}
        self.everyday = words(languages)
        self._edges: dict[str, tuple[frozenset[str], frozenset[str], Counter[str]]] | None = None
        self.stops = stop_words(languages)
        self.types = {fold_key(name): type_ for table in self.tables.values() for name, type_ in table.types.items()}
        self.corpus = languages[0].code if languages else ""

    # --- reading ------------------------------------------------------------------------------------------------------

    def run(
        self, sources: Iterable[tuple[Source, Iterator[Row]]], taxonomy: Taxonomy, overrides: Sequence[Override]
    ) -> TermReport:
        read = _Concepts()
        read.read(sources)
        self.read = read
        dead = [not active for active in read.active]
        self.retired_terms = read.retired + sum(dead[t.owner] for t in read.terms)
        terms = self._split([t for t in read.terms if not dead[t.owner]], read)
        read.terms = []
        has_terms = {t.owner for t in terms}
        self.dead = [gone or n not in has_terms for n, gone in enumerate(dead)]
        read.relations.prune(dead)
        semantic = self._semantic(terms)
        same, duplicates = self._same(terms)
        entities = [e for e in taxonomy.entities if e.status == PUBLISHED]
        pages, unmapped = self._pages(entities)
        terms += self._entity_terms(entities, len(read.keys))
        terms += self._overrides(overrides, entities)
        self._write_concepts(terms, semantic, same)
        canonical = self._canonical(duplicates, semantic)
        self.writer.ints("terms.canonical", (canonical.get(n, n) for n in range(len(read.keys))))
        paged = bytearray(len(read.keys))
        for concept in pages:
            paged[concept] = 1
            for other in same.get(concept, ()):
                paged[other] = 1
        self.writer.ints("terms.paged", paged, "B")
        self._write_entities(entities, pages, taxonomy)
        report = self._write_terms(terms, entities)
        return TermReport(
            counts={
                "concepts": sum(not d for d in self.dead),
                "terms": len(terms),
                "terms_retired": self.retired_terms,
                "relations": len(read.relations),
                "entities": len(entities),
                "entities_not_published": len(taxonomy.entities) - len(entities),
                "entities_without_concept": len(unmapped),
                "entities_with_concepts": sum(map(bool, self.concepts_of)),
                "entity_relations": self.entity_relations,
                "concepts_without_page": sum(not d for d in self.dead) - len(pages),
                **report.counts,
            },
            ambiguous=report.ambiguous,
            everyday=report.everyday,
            unmapped=tuple(unmapped[:SHOWN]),
            duplicates=tuple((self._name(a), self._name(b)) for a, others in duplicates.items() for b in others)[
                :SHOWN
            ],
        )

    def _split(self, terms: list[Term], read: _Concepts) -> list[Term]:
        """Terms that hold several: a short form with its long form, synonyms in brackets, a tag at the end."""
        found: list[Term] = []
        for term in terms:
            text = term.text.strip()
            if term.type == FSN and text.endswith(")") and (at := text.rfind(" (")) > 0:
                if read.tags[term.owner] is None:
                    read.tags[term.owner] = text[at + 2 : -1]
                found.append(term._replace(text=text[:at]))
                continue
            if " - " in text or " – " in text:
                both = pair(text)
                if both:
                    found += [term._replace(text=both[1]), term._replace(text=both[0], type=SYNONYM)]
                    continue
            table = self.tables.get(term.language)
            if table is not None and table.brackets and text[-1:] in ")]":
                found += [
                    term._replace(text=t, type=term.type if i == 0 else SYNONYM) for i, t in enumerate(_inner(text))
                ]
                continue
            found.append(term if text == term.text else term._replace(text=text))
            name = self._eponym(text, table) if table is not None and table.eponyms else None
            if name:
                found.append(term._replace(text=name, type=EPONYM))
        return found

    @staticmethod
    def _eponym(text: str, table: TermsTable) -> str | None:
        """``Parkinson`` of ``ziekte van Parkinson``, ``Parkinson's disease``."""
        for pattern in table.eponyms:
            before, _, after = pattern.partition("…")
            if text[: len(before)].casefold() == before and text.casefold().endswith(after):
                name = text[len(before) : len(text) - len(after)].strip().removesuffix("'s").removesuffix("'")
                if name[:1].isupper() and name.isalpha() and len(name) > 2:
                    return name
        return None

    def _semantic(self, terms: list[Term]) -> dict[int, str]:
        """Semantic types: the source's own or a fully specified name's tag, else that of the nearest ancestor that
        the packs know by name."""
        named: dict[int, str] = {}
        beginnings = {name[:2] for name in self.types}
        longest = 2 * max(map(len, self.types), default=0)
        for term in terms:
            text = term.text
            if term.type == SYNONYM or len(text) > longest or (text.isascii() and text[:2].lower() not in beginnings):
                continue
            type_ = self.types.get(fold_key(text))
            if type_ is not None:
                named.setdefault(term.owner, type_)
        found = self.read.relations.nearest(named, len(self.read.keys))
        folded = {tag: self.types.get(fold_key(tag), tag) for tag in set(self.read.tags) if tag is not None}
        found |= {number: folded[tag] for number, tag in enumerate(self.read.tags) if tag is not None}
        return {number: type_ for number, type_ in found.items() if not self.dead[number]}

    def _same(self, terms: list[Term]) -> tuple[dict[int, set[int]], dict[int, list[int]]]:
        """Concepts of different sources that maps make one, and those of one source that carry each other's name."""
        same: dict[int, set[int]] = {}

        def link(one: int, other: int) -> None:
            if one != other and not self.dead[one] and not self.dead[other]:
                same.setdefault(one, set()).add(other)
                same.setdefault(other, set()).add(one)

        codes: dict[tuple[str, str], list[int]] = {}
        names = {name: at for at, name in enumerate(self.read.sources)}
        for concept, system, target in self.read.maps:
            if system in names:
                other = self.read.numbers[names[system]].get(target)
                if other is not None:
                    link(concept, other)
            codes.setdefault((system, target), []).append(concept)
        for concepts in codes.values():
            if 1 < len(set(concepts)) <= _MANY:
                for i, one in enumerate(concepts):
                    for other in concepts[i + 1 :]:
                        if self.read.keys[one][0] != self.read.keys[other][0]:
                            link(one, other)
        preferred: dict[tuple[int, str, str], list[int]] = {}
        for term in terms:
            if term.type == PREFERRED:
                key = (self.read.keys[term.owner][0], term.language, term.text.casefold())
                preferred.setdefault(key, []).append(term.owner)
        duplicates: dict[int, list[int]] = {}
        for term in terms:
            if term.type != SYNONYM or len(term.text) < 4 or is_abbreviation(term.text):
                continue
            key = (self.read.keys[term.owner][0], term.language, term.text.casefold())
            for other in preferred.get(key, ()):
                if other != term.owner and other not in duplicates.setdefault(term.owner, []):
                    duplicates[term.owner].append(other)
        return same, duplicates

    def _canonical(self, duplicates: dict[int, list[int]], semantic: dict[int, str]) -> dict[int, int]:
        """Of a concept that carries the name of exactly one other, of the same kind, as a synonym: that other.

        Two that carry each other's name are both the one that comes first.
        """
        found: dict[int, int] = {}
        for concept, others in duplicates.items():
            alike = [o for o in others if semantic.get(o) == semantic.get(concept)]
            if len(others) == 1 and alike and not (concept in duplicates.get(alike[0], ()) and concept < alike[0]):
                found[concept] = alike[0]
        return found

    def _name(self, concept: int) -> str:
        source, id_ = self.read.keys[concept]
        return f"{self.read.sources[source]}:{id_}"

    # --- the taxonomy -------------------------------------------------------------------------------------------------

    def _pages(self, entities: Sequence[Entity]) -> tuple[dict[int, list[int]], list[str]]:
        """Concept → its published entities, and the ids of entities that name only concepts nobody has."""
        pages: dict[int, list[int]] = {}
        unmapped: list[str] = []
        self.concepts_of: list[list[int]] = []
        for number, entity in enumerate(entities):
            concepts = [c for id_ in entity.concept_ids for c in self._called(id_)]
            self.concepts_of.append(concepts)
            for concept in concepts:
                pages.setdefault(concept, []).append(number)
            if entity.concept_ids and not concepts:
                unmapped.append(entity.entity_id)
        return pages, unmapped

    def _called(self, id_: str) -> list[int]:
        """The concepts with an id, or with a terminology's name and an id."""
        found = []
        for name, numbers in zip(self.read.sources, self.read.numbers, strict=True):
            for form in (id_, id_.removeprefix(f"{name}:")):
                number = numbers.get(form)
                if number is not None and not self.dead[number] and number not in found:
                    found.append(number)
        return sorted(found)

    def _entity_terms(self, entities: Sequence[Entity], base: int) -> list[Term]:
        found: list[Term] = []
        for number, entity in enumerate(entities):
            language = (entity.language or self.corpus).partition("-")[0]
            name: str = entity.name
            found.append(Term(name, base + number, language, NAME))
            found += [Term(s, base + number, language, SYNONYM) for s in entity.synonyms if s.strip()]
            found += [Term(v, base + number, language, SYNONYM) for v in self._person(name)]
            if entity.type == DEPARTMENT:
                found += [Term(v, base + number, language, SYNONYM) for v in _parts(name)]
            table = self.tables.get(language)
            eponym = self._eponym(name, table) if table is not None else None
            if eponym:
                found.append(Term(eponym, base + number, language, EPONYM))
        return found

    def _person(self, name: str) -> list[str]:
        """A person's name without initials and under other titles, where it begins with a title."""
        titles = {fold_key(t): t for table in self.tables.values() for t in table.titles}
        tokens = tokenize(name)
        keys = tokens.keys
        size = next((n for n in (3, 2, 1) if " ".join(keys[:n]) in titles and len(keys) > n), 0)
        if not size:
            return []
        rest = [tokens.surface(i, i + 1) for i in range(size, len(tokens)) if len(keys[i]) > 1]
        full = [tokens.surface(i, i + 1) for i in range(size, len(tokens))]
        return [f"{title} {' '.join(words)}" for title in titles.values() for words in (rest, full) if words]

    def _overrides(self, overrides: Sequence[Override], entities: Sequence[Entity]) -> list[Term]:
        """Write the editor's rules, and return the terms that ``always`` adds."""
        place = {e.entity_id: len(self.read.keys) + n for n, e in enumerate(entities)}
        table: dict[str, list[int]] = {}
        found: list[Term] = []
        for number, one in enumerate(overrides):
            owner = 0
            if one.target:
                concepts = list(self._called(one.target))
                if one.target not in place and len(concepts) != 1:
                    what = "a concept of several terminologies" if concepts else "no published entity and no concept"
                    raise DataError(
                        f"the target {one.target!r} is {what}",
                        where=one.where,
                        advice="write `terminology:id`" if concepts else "correct the id, or publish the page",
                    )
                owner = place.get(one.target, concepts[0] if concepts else 0) + 1
            table.setdefault(fold_key(one.term), []).extend((ACTIONS.index(one.action), owner, number))
            if one.action == "always":
                found.append(Term(one.term, owner - 1, one.language or self.corpus, SYNONYM))
        self.writer.table("terms.override", table)
        self.writer.strings("terms.override.why", (one.why for one in overrides))
        return found

    # --- writing ------------------------------------------------------------------------------------------------------

    def _write_concepts(self, terms: list[Term], semantic: dict[int, str], same: dict[int, set[int]]) -> None:
        writer, read = self.writer, self.read
        count = len(read.keys)
        writer.strings("terms.sources", read.sources)
        writer.strings("terms.concept.id", (id_ for _, id_ in read.keys))
        writer.ints("terms.concept.source", (source for source, _ in read.keys), "B")
        types = sorted(set(semantic.values()))
        place = {type_: at + 1 for at, type_ in enumerate(types)}
        writer.strings("terms.types", ["", *types])
        writer.ints("terms.concept.type", (place[semantic[n]] if n in semantic else 0 for n in range(count)), "I")
        writer.strings("terms.concept.name", _names(terms, count, self.corpus))
        ids: dict[str, tuple[int, ...]] = {}
        for numbers in read.numbers:
            for id_, number in numbers.items():
                if not self.dead[number]:
                    ids[id_] = (*ids[id_], number) if id_ in ids else (number,)
        writer.table("terms.concept.ids", ids)
        read.relations.write(writer, count)
        writer.runs("terms.same", (sorted(same.get(n, ())) for n in range(count)))

    def _write_entities(self, entities: Sequence[Entity], pages: dict[int, list[int]], taxonomy: Taxonomy) -> None:
        writer = self.writer
        writer.strings("terms.entity.id", (e.entity_id for e in entities))
        writer.strings("terms.entity.name", (e.name for e in entities))
        writer.strings("terms.entity.type", (e.type for e in entities))
        writer.strings("terms.entity.url", (e.url or "" for e in entities))
        writer.runs("terms.entity.concepts", self.concepts_of)
        writer.runs("terms.pages", (pages.get(n, ()) for n in range(len(self.read.keys))))
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
        self.entity_relations = sum(map(len, into)) // 2
        writer.strings("terms.relations", kinds)
        writer.runs("terms.entity.into", into)
        writer.runs("terms.entity.out", out)

    def _write_terms(self, terms: list[Term], entities: Sequence[Entity]) -> TermReport:
        writer = self.writer
        codes = sorted({t.language for t in terms})
        code = {c: n for n, c in enumerate(codes)}
        by_owner: dict[int, list[int]] = {}
        tokens_of: list[list[str]] = []
        flags: list[int] = []
        digests: list[int] = []
        kept: list[Term] = []
        seen: set[tuple[int, str]] = set()
        one: dict[str, str] = {}  # each word once in memory
        for term in terms:
            marked = term.language in self.marked
            content = plain_keys(term.text) if not marked or term.text.isascii() else None
            if content is not None:
                size, form = len(content), " ".join(content)
            else:
                tokens = tokenize(term.text)
                size, content = len(tokens), content_keys(tokens)
                form = tokens.marked_key(0, size) if marked else tokens.key(0, size)
            if not 0 < size <= LONGEST:
                continue
            identity = (term.owner, f"{form}\t{term.language}" if marked else form)
            if identity in seen:
                continue
            seen.add(identity)
            by_owner.setdefault(term.owner, []).append(len(kept))
            kept.append(term)
            tokens_of.append([one.setdefault(key, key) for key in content])
            digests.append(digest32(form))
            flags.append(MARKS if marked else 0)
        del seen, one
        acronyms = self._flag(kept, tokens_of, flags, by_owner)
        writer.strings("terms.text", (t.text for t in kept))
        writer.strings("terms.languages", codes)
        writer.ints("terms.owner", (t.owner for t in kept))
        writer.ints("terms.language", (code[t.language] for t in kept), "B")
        writer.ints("terms.type", (t.type for t in kept), "B")
        writer.ints("terms.flags", flags, "B")
        writer.ints("terms.digest", digests)
        count = len(self.read.keys)
        writer.runs("terms.of", (by_owner.get(n, ()) for n in range(count + len(entities))))
        classes = WordClasses(self.languages, self.everyday, self.stops)
        classes.learn(((keys, t.language) for keys, t in zip(tokens_of, kept, strict=True)), self._proper(kept))
        write_words(writer, classes, tokens_of, [t.language for t in kept], self.everyday)
        first: dict[str, int] = {}
        ambiguous: dict[str, set[int]] = {}
        for term, keys in zip(kept, tokens_of, strict=True):
            if term.owner < count:
                key = " ".join(keys)
                owner = first.setdefault(key, term.owner)
                if owner != term.owner:
                    ambiguous.setdefault(key, {owner}).add(term.owner)
        restricted = {n for n, name in enumerate(self.read.sources) if self.read.licences[name] == "restricted"}
        several = sorted(ambiguous.items())
        return TermReport(
            counts={"terms_ambiguous": len(several), "terms_everyday": len(acronyms), "words": len(classes.vocabulary)},
            ambiguous=tuple(
                Ambiguous(key, tuple(sorted(self._name(n) for n in owners)))
                for key, owners in several
                if not any(self.read.keys[n][0] in restricted for n in owners)
            )[:SHOWN],
            everyday=tuple(acronyms[:SHOWN]),
        )

    def _proper(self, terms: list[Term]) -> frozenset[str]:
        """Words that stand with a capital inside terms, or are eponyms, and are never written without."""
        capital: set[str] = set()
        small: set[str] = set()
        for term in terms:
            for place, word in enumerate(term.text.split()):
                if word[:1].islower():
                    small.add(word)
                elif word[1:].islower() and (place or term.type == EPONYM):
                    capital.add(word)
        small_keys = {fold_key(w) for w in small if w.isascii()}
        return frozenset(key for w in capital if (key := fold_key(w)) not in small_keys and w.casefold() not in small)

    def _flag(
        self, terms: list[Term], tokens: list[list[str]], flags: list[int], by_owner: dict[int, list[int]]
    ) -> list[str]:
        """Mark abbreviations (by their capitals, or as the initials of another term of their owner) and everyday
        words; returns the terms that are both or are stop words."""
        found: list[str] = []
        for number, (term, keys) in enumerate(zip(terms, tokens, strict=True)):
            if len(keys) > 2 or len(term.text) > 9:
                continue
            key = "".join(keys)
            common = key in self.everyday
            short = is_abbreviation(term.text)
            if not short and len(keys) == 1 and 2 <= len(key) <= 6:
                others = (tokens[n] for n in by_owner[term.owner] if n != number)
                short = any(initials(key, o, self.stops) for o in others)
            # a short word that is everyday too, and not the name of what it stands for: Latin "ren" for the kidney
            stray = common and len(key) <= 3 and term.type == SYNONYM and term.owner < len(self.read.keys)
            short = short or stray
            if short and common and self._spelt(key):
                common = False
            if term.type == EPONYM and common and (len(key) <= SHORT_NAME or self._plain(key)):
                flags[number] |= CAPITAL
            if short:
                flags[number] |= ABBREVIATION
            if common:
                flags[number] |= EVERYDAY
            if (short and common) or (len(keys) == 1 and key in self.stops):
                flags[number] |= ABBREVIATION
                found.append(term.text)
        return found

    def _plain(self, name: str) -> bool:
        """Whether a name is a form of a frequent word too: Graves."""
        return any(
            form.word in pack.words(COMMON)
            for pack in self.languages
            if name in pack.words(COMMON)
            for form in Morphology([pack]).lemmas(name, PLURAL)
        )

    def _spelt(self, key: str) -> bool:
        """Whether ``key``, which lists of words have, is spelt and not read (``ivf``): it begins or ends as hardly any
        long word of those languages does, and is not so frequent that it may be a measure or a thing (``dvd``)."""
        if len(key) < SPELT:
            return False
        if self._edges is None:
            self._edges = {}
            for pack in self.languages:
                own = words([pack])
                edges = Counter(e for w in own if len(w) > LONG_WORD for e in (w[:2], f"-{w[-2:]}"))
                self._edges[pack.code] = (own, frozenset(pack.lines(COMMON)), edges)
        return all(
            key not in own or (key not in frequent and min(edges[key[:2]], edges[f"-{key[-2:]}"]) < RARE)
            for own, frequent, edges in self._edges.values()
        )


def _names(terms: list[Term], count: int, corpus: str) -> Iterator[str]:
    """Of each concept the name to show: in the corpus language the lay term, then the preferred, then a synonym; else
    a preferred one of any language. Among equals the first in order of text, whatever the order of the rows."""
    rank = {LAY: 0, PREFERRED: 1, SYNONYM: 2, FSN: 3, NAME: 4, EPONYM: 5}
    best: dict[int, tuple[bool, int, int, str]] = {}
    for term in terms:
        if term.owner >= count:
            continue
        value = (term.language != corpus, rank[term.type], is_abbreviation(term.text), term.text)
        if term.owner not in best or value < best[term.owner]:
            best[term.owner] = value
    return (best[n][3] if n in best else "" for n in range(count))


def _parts(name: str) -> list[str]:
    """The words that a name with shared parts stands for: ``Neus- en oorziekten`` → ``neusziekten``, ``oorziekten``.

    Of the last word each ending may be the shared part; what is no word in the end is never typed.
    """
    words = name.replace(",", " ").split()
    hanging = [w[:-1] for w in words if w.endswith("-") and len(w) > 3]
    if not hanging or words[-1].endswith("-") or len(words[-1]) < 7:
        return []
    last = words[-1]
    shared = [last[at:] for at in range(2, len(last) - 4)]
    return [last, *(part + ending for part in hanging for ending in shared)]


def _inner(text: str) -> list[str]:
    """``a [b] (c)`` → ``a``, ``b``, ``c``: a term and the synonyms in brackets at its end."""
    inner: list[str] = []
    while text[-1:] in (")", "]"):
        opening = "(" if text[-1] == ")" else "["
        at = text.rfind(opening)
        if at <= 0 or not text[:at].strip():
            break
        inner.append(text[at + 1 : -1].strip())
        text = text[:at].strip()
    parts = [p.strip() for group in reversed(inner) for p in group.replace(";", ",").split(",")]
    return [text, *(p for p in parts if len(p) > 2)]
