"""Compiles terminologies into the arrays that ``index.terms`` reads: the part that organisations share.

Concepts are numbered; every term names one of them, its *owner*. A term is found by the *classes* of its tokens
(``index.words_build``), so that one table serves exact and inflected matches alike; whether a match is exact is told
by a digest of the folded term. An organisation's pages go on numbering where this part ends (``index.pages_build``).
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from dragoman.folder import Language
from dragoman.index.arrays import Writer
from dragoman.index.concepts_build import canonical, names_of, same, semantic_types, write_names
from dragoman.index.term_flags import Flags, proper
from dragoman.index.term_lists import Lists
from dragoman.index.term_rows import Rows, rows, write_rows
from dragoman.index.term_writing import Writing
from dragoman.index.terms_read import Concepts
from dragoman.index.terms_report import SHOWN, Ambiguous, TermReport
from dragoman.index.words_build import WordClasses
from dragoman.index.words_tables import write_words
from dragoman.protocols import Row, Source
from dragoman.text.words import stop_words

RESTRICTED = "restricted"  # a licence under which nothing is listed


def compile_terms(
    sources: Iterable[tuple[Source, Iterator[Row]]],
    languages: Sequence[Language],
    writer: Writer,
    without: frozenset[str] = frozenset(),
) -> TermReport:
    """Read every source to its end and write the ``terms.*`` arrays of its concepts.

    ``languages`` are the project's packs, the corpus language first, and the ``mul`` pack last. ``without``: ways to
    find terms that are left out (``[build] without``). What a reader raises passes through. Terms and concepts that
    are retired are left out altogether.
    """
    with uncollected():
        return _Compiler(languages, writer, without).run(sources)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without garbage collection: millions of small tuples that all stay would only be walked again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _Compiler:
    def __init__(self, languages: Sequence[Language], writer: Writer, without: frozenset[str]) -> None:
        self.languages = languages
        self.writer = writer
        self.without = without
        self.writing = Writing(languages)
        self.marked = {pack.code for pack in languages if pack.marks_matter}
        self.corpus = languages[0].code if languages else ""

    def run(self, sources: Iterable[tuple[Source, Iterator[Row]]]) -> TermReport:
        read = Concepts()
        read.read(sources)
        gone = [not active for active in read.active]
        retired = read.retired + sum(gone[t.owner] for t in read.terms)
        terms = self.writing.split([t for t in read.terms if not gone[t.owner]], read.tags)
        read.terms = []
        has_terms = {t.owner for t in terms}
        dead = [g or n not in has_terms for n, g in enumerate(gone)]
        read.relations.prune(gone)
        semantic = semantic_types(read, terms, self.writing.types, dead)
        linked, duplicates = same(read, terms, dead)
        self._write_concepts(read, semantic, dead)
        count = len(read.keys)
        self.writer.runs("terms.same", (sorted(linked.get(n, ())) for n in range(count if linked else 0)))
        names = canonical(duplicates, semantic)
        self.writer.ints("terms.canonical", (names.get(n, n) for n in range(count)))
        found = rows(terms, self.marked)
        write_names(self.writer, names_of(terms, count, self.corpus), found.terms)
        report = self._write_terms(found, read)
        return TermReport(
            counts={
                "concepts": sum(not d for d in dead),
                "terms": len(terms),
                "terms_retired": retired,
                "relations": len(read.relations),
                **report.counts,
            },
            ambiguous=report.ambiguous,
            everyday=report.everyday,
            duplicates=tuple((read.name(a), read.name(b)) for a, others in duplicates.items() for b in others)[:SHOWN],
        )

    def _write_concepts(self, read: Concepts, semantic: dict[int, str], dead: list[bool]) -> None:
        writer = self.writer
        count = len(read.keys)
        writer.strings("terms.sources", read.sources)
        writer.strings("terms.concept.id", (id_ for _, id_ in read.keys))
        writer.ints("terms.concept.source", (source for source, _ in read.keys), "B")
        types = sorted(set(semantic.values()))
        place = {type_: at + 1 for at, type_ in enumerate(types)}
        writer.strings("terms.types", ["", *types])
        writer.ints("terms.concept.type", (place[semantic[n]] if n in semantic else 0 for n in range(count)), "I")
        ids = ((id_, number) for numbers in read.numbers for id_, number in numbers.items() if not dead[number])
        writer.grouped("terms.concept.ids", ids)
        read.relations.write(writer, count)

    def _write_terms(self, found: Rows, read: Concepts) -> TermReport:
        count = len(read.keys)
        lists, stops = Lists.of_packs(self.languages), stop_words(self.languages)
        short = Flags(self.languages, lists, stops).mark(found, count)
        codes = sorted({t.language for t in found.terms})
        write_rows(self.writer, found, codes, codes)
        self.writer.pairs("terms.of", count, [t.owner for t in found.terms], range(len(found.terms)))
        languages = [t.language for t in found.terms]
        joins = "morphology" not in self.without
        classes = WordClasses(self.languages, lists, stops, joins=joins)
        classes.learn(zip(found.tokens, languages, strict=True), proper(found.terms) if joins else frozenset())
        shared = write_words(self.writer, classes, found.tokens, languages, 0, self.without)
        Lists.write(self.writer, self.languages)
        several = _ambiguous(found, shared)
        restricted = {n for n, name in enumerate(read.sources) if read.licences[name] == RESTRICTED}
        return TermReport(
            counts={"terms_ambiguous": len(several), "terms_everyday": len(short), "words": len(classes.vocabulary)},
            ambiguous=tuple(
                Ambiguous(key, tuple(sorted(read.name(n) for n in owners)))
                for key, owners in several
                if not any(read.keys[n][0] in restricted for n in owners)
            )[:SHOWN],
            everyday=tuple(short[:SHOWN]),
        )


def _ambiguous(found: Rows, shared: Iterable[Sequence[int]]) -> list[tuple[str, set[int]]]:
    """Terms of several concepts, with them. ``shared``: the terms that share a span, as their words are of one class
    each."""
    several: dict[str, set[int]] = {}
    for terms in shared:
        for term in terms:
            several.setdefault(" ".join(found.tokens[term]), set()).add(found.terms[term].owner)
    return sorted((key, owners) for key, owners in several.items() if len(owners) > 1)
