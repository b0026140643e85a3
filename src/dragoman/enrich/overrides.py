"""The editor's word, before any layer's: what a term never or always brings, or means of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.index.term_values import ALWAYS, NEVER, PREFER

if TYPE_CHECKING:
    from dragoman.enrich.work import Offer, SpanWork, Work

STEP = "overrides"


def forced(work: Work, span: SpanWork) -> list[Offer]:
    """What the span's term always brings: an entity, or a concept's pages (without a taxonomy, its name)."""
    from dragoman.enrich.work import Offer

    terms = work.terms
    found: list[Offer] = []
    for action, owner, why in work.rules(span):
        if action != ALWAYS or owner is None:
            continue
        concept = owner if owner < terms.count else None
        entities = terms.pages_of(owner) if concept is not None else [owner - terms.count]
        for entity in entities:
            page = not terms.is_department(entity)
            name = terms.entity_names[entity]
            found.append(Offer(name, STEP, span.span, "same_concept", entity, concept, page, 1.0, why))
        if concept is not None and not terms.has_taxonomy and terms.names[concept]:
            found.append(Offer(terms.names[concept], STEP, span.span, "same_concept", None, concept, True, 1.0, why))
    return found


def preferred(work: Work, span: SpanWork, concepts: list[int]) -> tuple[list[int], str | None]:
    """Those of ``concepts`` that the editor prefers for the span's term, and the editor's reason; all, where none."""
    for action, owner, why in work.rules(span):
        if action != PREFER or owner is None:
            continue
        if owner < work.terms.count:
            chosen = [c for c in concepts if c == owner]
        else:
            chosen = [c for c in concepts if owner - work.terms.count in work.terms.pages_of(c)]
        if chosen:
            return chosen, why
    return concepts, None


def barred(work: Work, span: SpanWork, offer: Offer) -> bool:
    """Whether the editor says that the span's term never brings this."""
    for action, owner, _ in work.rules(span):
        if action != NEVER:
            continue
        if owner is None or owner == offer.concept:
            return True
        if offer.entity is not None and owner == work.terms.count + offer.entity:
            return True
    return False
