"""Layer ``near``: for a concept without a page, the nearest page in the graph, or the department of its site.

Up first: the nearest broader concept that has a page, any number of steps away, for a page about the whole is about
its parts. Then down, two steps at most, only where one page is there, and where it is a fair part of what the concept
covers: the page about influenza is none about infectious diseases. Then what the concept is due to. Siblings are
never exchanged for each other. Last, the department of the part of the body where the concept is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.enrich.senses import senses
from dragoman.index.term_values import RELATED

if TYPE_CHECKING:
    from dragoman.enrich.work import Offer, SpanWork, Work

UP, DOWN = 20, 2  # steps
FEW = 6  # narrower concepts, with or without a page, of which the page of one may stand for all
MOST = 400  # concepts that are looked at on the way up
PENALTY = 0.1  # of the score, for each step
LEAST = 0.2


def near(work: Work, span: SpanWork) -> list[Offer]:
    """Offers for the span's concepts, from the first of the ways that has any."""
    if not work.terms.has_taxonomy:
        return []
    found: list[Offer] = []
    for concept in senses(work, span):
        if work.terms.pages_of(concept):
            continue
        for way in (_broader, _narrower, _related, _site):
            offers = way(work, span, concept)
            if offers:
                found += [o for o in offers if o.entity not in {f.entity for f in found}]
                break
    return found


def _broader(work: Work, span: SpanWork, concept: int) -> list[Offer]:
    terms = work.terms
    seen, level = {concept}, [concept]
    for step in range(1, UP + 1):
        level = [p for c in level for p in terms.related(c, "is_a") if p not in seen]
        level = list(dict.fromkeys(level))
        if not level or len(seen) > MOST:
            break
        seen.update(level)
        pages = [(c, e) for c in level for e in terms.pages_of(c) if not terms.is_department(e)]
        if pages:
            return [_offer(work, span, e, c, "broader", step) for c, e in pages]
    return []


def _narrower(work: Work, span: SpanWork, concept: int) -> list[Offer]:
    terms = work.terms
    seen, level = {concept}, [concept]
    for step in range(1, DOWN + 1):
        level = list(dict.fromkeys(c for p in level for c in terms.children[p] if c not in seen))
        seen.update(level)
        pages = {e: c for c in level for e in terms.pages_of(c) if not terms.is_department(e)}
        if len(pages) == 1 and len(level) <= FEW:
            entity, narrower = next(iter(pages.items()))
            return [_offer(work, span, entity, narrower, "narrower", step + 1)]
        if pages:
            break
    return []


def _related(work: Work, span: SpanWork, concept: int) -> list[Offer]:
    terms = work.terms
    for kind in RELATED:
        pages = [(c, e) for c in terms.related(concept, kind) for e in terms.pages_of(c) if not terms.is_department(e)]
        if pages:
            return [_offer(work, span, e, c, "related", 2) for c, e in pages[:1]]
    return []


def _site(work: Work, span: SpanWork, concept: int) -> list[Offer]:
    """The departments of the nearest part of the body that has one: the site, or what it is part of."""
    terms = work.terms
    level = list(terms.related(concept, "finding_site"))
    seen: set[int] = set(level)
    for step in range(1, UP if len(level) < MOST else 1):
        pages = [(c, e) for c in level for e in terms.pages_of(c) if terms.is_department(e)]
        if pages:
            return [_offer(work, span, e, c, "finding_site", step) for c, e in pages]
        level = [p for c in level for kind in ("is_a", "part_of") for p in terms.related(c, kind) if p not in seen]
        seen.update(level)
        if not level or len(seen) > MOST:
            break
    return []


def _offer(work: Work, span: SpanWork, entity: int, concept: int, via: str, steps: int) -> Offer:
    from dragoman.enrich.work import Offer

    return Offer(
        work.terms.entity_names[entity],
        "near",
        span.span,
        via,
        entity,
        concept,
        page=not work.terms.is_department(entity),
        score=round(max(LEAST, 0.8 - PENALTY * (steps - 1)), 2),
        why=f"{via}, {steps} step{'s' if steps > 1 else ''}",
    )
