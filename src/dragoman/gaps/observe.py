"""What one turn asks for that is not there. Pure, and quick where nothing is missing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from dragoman.index.drugs import DrugIndex
from dragoman.index.term_values import content_keys
from dragoman.index.terms import TermIndex
from dragoman.reading import Reading
from dragoman.text.tokens import fold_key, tokenize
from dragoman.types import Enrichment, QueryFrame

LONGEST = 120  # characters of a name; what is longer is no name


class Concept(NamedTuple):
    """A concept without a page; ``name`` is the vocabulary's."""

    source: str
    id: str
    name: str


class Drug(NamedTuple):
    """A drug that the catalogue lacks. ``key`` is the folded name.

    ``listed``: the name as the known names or a terminology have it; ``None`` where only the person has said it.
    ``text`` is then their word for it, which is no one's to keep yet.
    """

    key: str
    text: str
    listed: str | None


class Ambiguous(NamedTuple):
    """A term of the vocabulary with several concepts (``source:id``), between which nothing decided."""

    term: str
    concepts: tuple[str, ...]


class Missing(NamedTuple):
    """All that one turn lacks. ``request`` is what tells one person's request from another's: the first thing they
    said. It is never stored; a keyed hash of it is."""

    request: str = ""
    concepts: tuple[Concept, ...] = ()
    drugs: tuple[Drug, ...] = ()
    ambiguous: tuple[Ambiguous, ...] = ()

    @property
    def size(self) -> int:
        """How many things are missing."""
        return len(self.concepts) + len(self.drugs) + len(self.ambiguous)


def observe(
    reading: Reading, enrichment: Enrichment, frame: QueryFrame | None, terms: TermIndex, drugs: DrugIndex
) -> Missing:
    """What the turn itself asks for and the index has not; earlier messages were counted when they were the turn.

    A turn about an animal lacks nothing: the corpus is not about it.
    """
    if reading.scope.subject == "veterinary":
        return Missing()
    concepts, ambiguous = _concepts(reading, enrichment, terms)
    found = Missing("", concepts, tuple(_drugs(reading, frame, terms, drugs)), ambiguous)
    return found._replace(request=reading.turn.user_messages()[-1][1]) if found.size else found


def _concepts(
    reading: Reading, enrichment: Enrichment, terms: TermIndex
) -> tuple[tuple[Concept, ...], tuple[Ambiguous, ...]]:
    outcomes = [o for o in enrichment.concept_outcomes if o.outcome in ("no_page", "ambiguous")]
    if not outcomes:
        return (), ()
    mine = [c for c in reading.of_turn() if c.kind == "concept"]
    sources = {(c.span, c.id): c.source for c in mine}
    concepts: dict[int, Concept] = {}
    ambiguous: dict[str, Ambiguous] = {}
    for span, group in groupby(outcomes, key=lambda o: o.span):
        open_: list[int] = []
        for outcome in group:
            source = sources.get((span, outcome.concept_id))
            number = terms.number(outcome.concept_id, source)
            if number is None:
                continue
            if outcome.outcome == "ambiguous":
                open_.append(number)
            elif terms.has_taxonomy and not terms.pages_of(number):  # a layer that is switched off hides pages, too
                concepts[number] = Concept(
                    terms.sources[terms.source[number]], terms.ids[number], terms.names[number] or terms.ids[number]
                )
        found = [c for c in mine if c.span == span]
        if open_ and any(c.match != "fuzzy" for c in found):  # several near words are a misspelling, not a term
            ids = tuple(sorted(f"{terms.sources[terms.source[n]]}:{terms.ids[n]}" for n in open_))
            # Another form of a term is the person's; the vocabulary's names say as much to an editor.
            term = own_term(found[0].text, terms) or " / ".join(sorted({terms.names[n] for n in open_}))
            ambiguous[term] = Ambiguous(term, ids)
    return tuple(concepts.values()), tuple(ambiguous.values())


def _drugs(reading: Reading, frame: QueryFrame | None, terms: TermIndex, drugs: DrugIndex) -> Iterator[Drug]:
    said = [m.text for m in reading.mentions if m.message == -1 and m.kind == "drug" and m.status == "unknown"]
    if frame is not None and frame.unknown_drugs:
        here = f" {fold_key(reading.turn.text)} "
        said += [name for name in frame.unknown_drugs if f" {fold_key(name)} " in here]
    if not said or not len(drugs):  # without a catalogue nothing is missing from it
        return
    seen: set[str] = set()
    for text in said:
        key = fold_key(text)
        if key and key not in seen and len(text) <= LONGEST:
            seen.add(key)
            clean = " ".join(unicodedata.normalize("NFC", text).lower().split())
            yield Drug(key, clean, drugs.listed(text) or own_term(text, terms))


def own_term(text: str, terms: TermIndex) -> str | None:
    """The vocabulary's own spelling of ``text``, where it is a term word by word."""
    key = fold_key(text)
    for owner in terms.matcher.owners(content_keys(tokenize(text))):
        for term in terms.terms_of[owner]:
            if fold_key(terms.text[term]) == key:
                return terms.text[term]
    return None
