"""Layer ``taxonomy``: the departments that treat, offer or perform what the question is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.enrich.senses import CARE, senses
from dragoman.text.tokens import fold_key, tokenize

if TYPE_CHECKING:
    from dragoman.enrich.work import Offer, SpanWork, Work

ROUTING = frozenset({"symptom_routing", "department_lookup", "doctor_lookup"})


def departments(work: Work, span: SpanWork) -> list[Offer]:
    """The departments with a published relation to the span's pages."""
    from dragoman.enrich.work import Offer

    terms = work.terms
    pages = [e for e in span.entities if not terms.is_department(e)]
    pages += [e for c in senses(work, span) for e in terms.pages_of(c) if e not in pages]
    pages += [
        o.entity
        for o in work.offers
        if o.span == span.span and o.page and o.entity is not None and o.entity not in pages
    ]
    found: dict[int, Offer] = {}
    for page in pages:
        for relation, source in terms.relations_into(page):
            if relation in CARE and terms.is_department(source) and source not in found:
                found[source] = Offer(
                    terms.entity_names[source],
                    "taxonomy",
                    span.span,
                    relation,
                    source,
                    next(iter(terms.entity_concepts[page]), None),
                    page=False,
                    score=0.9,
                )
    return list(found.values())


def routing(work: Work) -> bool:
    """Whether the person asks where to go: the frame says so, or a cue in the text."""
    return (work.frame is not None and work.frame.turn_type in ROUTING) or _cued(work)


def _cued(work: Work) -> bool:
    return work.cues.signal("department") is not None or work.cues.signal("roster") is not None


def _near_alone(span: SpanWork) -> bool:
    return bool(span.candidates) and all(c.match == "fuzzy" for c in span.candidates)


def asked_about(work: Work) -> list[SpanWork]:
    """The spans that layer 2 works from: those of the frame's conditions and procedures, where it has any, else all.

    What the frame names and no span stands for is looked up; what is not found at all goes to ``work.ignored``. A word
    that is only near a term sends nobody to a department unless the text itself asks where to go.
    """
    from dragoman.enrich.work import SpanWork
    from dragoman.types import Span

    frame = work.frame
    named = (*frame.entities.conditions, *frame.entities.procedures) if frame is not None else ()
    if not named:
        return work.spans if _cued(work) else [s for s in work.spans if not _near_alone(s)]
    terms, found = work.terms, []
    for name in named:
        key = fold_key(name)
        hit = [
            s
            for s in work.spans
            if key and (key == fold_key(s.text) or any(key == fold_key(c.name) or name == c.id for c in s.candidates))
        ]
        if not hit:
            hit = [s for s in work.spans if key and f" {key} " in f" {fold_key(s.text)} "]
        if not hit and frame is not None and frame.depends_on_previous_turn and not routing(work):
            continue  # named before, and served then
        if not hit:
            owners = terms.matcher.owners(tokenize(name).keys)
            if owners:
                extra = SpanWork(Span(0, 0), name)
                extra.concepts = [o for o in owners if o < terms.count]
                extra.entities = [o - terms.count for o in owners if o >= terms.count]
                hit = [extra]
        if not hit:
            work.ignored.append(name)
        found += [s for s in hit if s not in found]
    # a department that the text names is asked about whatever the frame's conditions are
    found += [s for s in work.spans if s not in found and any(terms.is_department(e) for e in s.entities)]
    return found or work.spans
