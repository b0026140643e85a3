"""The counts beside the index as it is now: what an editor reads."""

from __future__ import annotations

from dragoman.gaps import store
from dragoman.gaps.counts import Counts
from dragoman.gaps.nearest import Nearest, nearest
from dragoman.gaps.store import Row
from dragoman.index.drugs import DrugIndex
from dragoman.index.term_values import DEPARTMENT, PERSON
from dragoman.index.terms import TermIndex
from dragoman.types import Value


class NoPage(Value, frozen=True, kw_only=True):
    """A concept that people ask for and no published page is about. ``last`` is an ISO date."""

    concept_id: str
    source: str
    name: str
    semantic_type: str | None = None
    count: int
    last: str
    nearest: tuple[Nearest, ...] = ()


class UnknownDrug(Value, frozen=True, kw_only=True):
    """A drug that people ask for and the catalogue lacks. ``listed``: some list has the name."""

    name: str
    listed: bool
    count: int
    last: str


class Sense(Value, frozen=True, kw_only=True):
    """One of the concepts that a term may mean."""

    concept_id: str
    name: str


class AmbiguousTerm(Value, frozen=True, kw_only=True):
    """A term between whose concepts nothing in the question decided."""

    term: str
    senses: tuple[Sense, ...]
    count: int
    last: str


class Unreached(Value, frozen=True, kw_only=True):
    """A published entity that no term of a terminology leads to: people must use its own words."""

    entity_id: str
    name: str
    type: str
    url: str | None = None


class Withheld(Value, frozen=True, kw_only=True):
    """Unlisted names that fewer than ``keep_after`` distinct requests have brought: they are not stored."""

    names: int = 0
    count: int = 0
    keep_after: int


class Gaps(Value, frozen=True, kw_only=True):
    """What ``dragoman gaps --json`` prints. ``totals`` counts the rows of each list before the limit.

    ``skipped``: turns that could not be counted because the database was locked or not to be written.
    """

    since: str | None
    no_page: tuple[NoPage, ...]
    unknown_drugs: tuple[UnknownDrug, ...]
    withheld: Withheld
    ambiguous: tuple[AmbiguousTerm, ...]
    unreached: tuple[Unreached, ...]
    totals: dict[str, int]
    skipped: int = 0


def report(
    counts: Counts, terms: TermIndex, drugs: DrugIndex, keep_after: int, *, since: str | None = None, limit: int = 20
) -> Gaps:
    """What was counted from the day ``since`` on, at most ``limit`` of each kind, the most frequent first.

    What has been filled since is left out: concepts that have a page by now, drugs that are in the catalogue. Raises
    what ``counts`` raises where it cannot be read.
    """
    rows = counts.rows(since)
    no_page = [(r, n) for r in rows if r.kind == store.NO_PAGE and not _paged(n := _number(r, terms), terms)]
    unknown = [r for r in rows if r.kind == store.DRUG and not drugs.lookup(r.id)]
    ambiguous = [r for r in rows if r.kind == store.AMBIGUOUS]
    apart = unreached(terms)
    held = counts.held(since)
    return Gaps(
        since=since,
        no_page=tuple(_no_page(row, number, terms) for row, number in no_page[:limit]),
        unknown_drugs=tuple(
            UnknownDrug(name=r.label, listed=r.listed, count=r.count, last=r.last) for r in unknown[:limit]
        ),
        withheld=Withheld(names=held.names, count=held.count, keep_after=keep_after),
        ambiguous=tuple(
            AmbiguousTerm(term=r.label, senses=_senses(r, terms), count=r.count, last=r.last) for r in ambiguous[:limit]
        ),
        unreached=apart[:limit],
        totals={
            "no_page": len(no_page),
            "unknown_drugs": len(unknown),
            "ambiguous": len(ambiguous),
            "unreached": len(apart),
        },
        skipped=counts.skipped(since),
    )


def unreached(terms: TermIndex) -> tuple[Unreached, ...]:
    """The published entities that no term of a terminology leads to, in the taxonomy's order.

    A department is reached through a page that it has a relation to, as well. Doctors are found by their names.
    """
    direct: set[int] = set()
    for concept, paged in enumerate(terms.paged):
        if paged and len(terms.terms_of[concept]):
            direct.update(terms.pages_of(concept))
    found = []
    for entity, id_ in enumerate(terms.entity_ids):
        type_ = terms.entity_types[entity]
        if entity in direct or type_ == PERSON:
            continue
        if type_ == DEPARTMENT and any(e in direct for _, e in terms.relations_from(entity)):
            continue
        found.append(
            Unreached(entity_id=id_, name=terms.entity_names[entity], type=type_, url=terms.entity_urls[entity] or None)
        )
    return tuple(found)


def _number(row: Row, terms: TermIndex) -> int | None:
    return terms.number(row.id, row.source or None)


def _paged(number: int | None, terms: TermIndex) -> bool:
    return number is not None and bool(terms.pages_of(number))


def _no_page(row: Row, number: int | None, terms: TermIndex) -> NoPage:
    return NoPage(
        concept_id=row.id,
        source=row.source,
        name=(terms.names[number] if number is not None else "") or row.label,
        semantic_type=None if number is None else terms.semantic_type(number),
        count=row.count,
        last=row.last,
        nearest=() if number is None else nearest(terms, number),
    )


def _senses(row: Row, terms: TermIndex) -> tuple[Sense, ...]:
    return tuple(Sense(concept_id=id_, name=terms.concept_name(id_) or id_) for id_ in row.source.split("|"))
