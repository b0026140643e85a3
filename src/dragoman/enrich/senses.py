"""Which of the concepts that a span names are meant, as far as the text tells.

Evidence, strongest first: the long form elsewhere in the text, a department or part of the body that it speaks of, the
one sense that the organisation has a page for, the one whose own name the span is. Without evidence nothing is chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.enrich.overrides import preferred
from dragoman.index.term_values import SHORT_NO_EVIDENCE
from dragoman.text.tokens import fold_key

if TYPE_CHECKING:
    from dragoman.enrich.work import SpanWork, Work

CARE = frozenset({"TREATS", "OFFERS", "PERFORMS"})
STEPS = 12  # how far up a part of the body is followed


def senses(work: Work, span: SpanWork) -> list[int]:
    """The concepts that ``span`` means; several only where they lead to the same pages."""
    concepts = span.concepts
    if not concepts:
        return []
    chosen, why = preferred(work, span, concepts)
    if why is not None:
        return chosen
    fuzzy = all(c.match == "fuzzy" for c in span.candidates if c.kind == "concept")
    if len(concepts) == 1 or not fuzzy:
        chosen = _chosen(work, span, concepts)
        if chosen:
            weak = any(c.why == SHORT_NO_EVIDENCE for c in span.candidates)
            return chosen if not weak or _supported(work, span, chosen) else []
    for concept in concepts:
        span.outcomes[concept] = "ambiguous"
    return []


def _chosen(work: Work, span: SpanWork, concepts: list[int]) -> list[int]:
    if len(concepts) == 1:
        return concepts
    supported = _supported(work, span, concepts)
    if supported:
        return supported
    paged = [c for c in concepts if work.terms.pages_of(c)]
    if len({tuple(work.terms.pages_of(c)) for c in paged}) == 1:
        return paged
    if not work.terms.has_taxonomy and len({work.terms.canonical[c] for c in concepts}) == 1:
        return concepts
    key = fold_key(span.text)
    named = [c for c in concepts if fold_key(work.terms.names[c]) == key]
    return named if len(named) == 1 else []


def _supported(work: Work, span: SpanWork, concepts: list[int]) -> list[int]:
    """Those of ``concepts`` that something else in the text speaks for, where that decides."""
    others = [s for s in work.spans if s is not span]
    long_form = {c for s in others if not s.short for c in s.concepts}
    found = [c for c in concepts if c in long_form]
    if found:
        return found
    departments = {e for s in others for e in s.entities if work.terms.is_department(e)}
    body = {c for s in others for c in s.concepts if work.terms.semantic_type(c) == "body_structure"}
    departments |= {e for c in body for e in work.terms.pages_of(c) if work.terms.is_department(e)}
    found = [c for c in concepts if departments & caring(work, c)]
    if len(found) == 1:
        return found
    found = [c for c in concepts if body & sites(work, c)]
    return found if len(found) == 1 else []


def caring(work: Work, concept: int) -> set[int]:
    """The departments that look after a concept's pages or have its site."""
    terms = work.terms
    found = {
        source
        for page in terms.pages_of(concept)
        for relation, source in terms.relations_into(page)
        if relation in CARE and terms.is_department(source)
    }
    for site in sites(work, concept):
        found |= {e for e in terms.pages_of(site) if terms.is_department(e)}
    return found


def sites(work: Work, concept: int) -> set[int]:
    """The parts of the body where a concept is found, and what they are part of."""
    terms = work.terms
    level = set(terms.related(concept, "finding_site"))
    found: set[int] = set()
    for _ in range(STEPS):
        if not level:
            break
        found |= level
        level = {p for c in level for kind in ("is_a", "part_of") for p in terms.related(c, kind)} - found
    return found
