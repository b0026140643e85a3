"""From offers to the enriched query: the budget, the text, the weighted terms, the outcome of each concept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dragoman.types import ConceptOutcome, Enrichment, Expansion, Queries, QueryFrame, Roster, WeightedTerm

if TYPE_CHECKING:
    from dragoman.enrich.work import EnrichSettings, Offer, SpanWork
    from dragoman.index.terms import TermIndex
    from dragoman.reading import Reading


def budget(offers: Sequence[Offer], most: int) -> list[Offer]:
    """The offers to append, in quality order: one page for each condition, then who looks after them, then the rest."""
    if len(offers) <= 1:
        return list(offers[:most])
    pages: list[Offer] = []
    further: list[Offer] = []
    seen = set()
    for offer in offers:
        if offer.page and offer.span not in seen:
            seen.add(offer.span)
            pages.append(offer)
        elif offer.page:
            further.append(offer)
    return [*pages, *(o for o in offers if not o.page), *further][:most]


def render(
    reading: Reading,
    offers: Sequence[Offer],
    spans: Sequence[SpanWork],
    settings: EnrichSettings,
    roster: Roster | None,
    frame: QueryFrame | None,
    terms: TermIndex,
    condensed: str | None = None,
) -> Enrichment:
    """The enrichment of a turn. The person's words stand first and unchanged; appended terms follow in parentheses."""
    text = reading.turn.text
    kept = budget(offers, settings.max_terms)
    expansions = tuple([_expansion(offer, terms) for offer in kept])
    tail = f" ({', '.join([o.term for o in kept])})" if kept else ""
    standalone = frame.standalone_query if frame is not None else None
    return Enrichment(
        original=text,
        text=text + tail,
        expansions=expansions,
        queries=Queries(
            verbatim=text,
            standalone=standalone,
            condensed=condensed,
            dense=(standalone or text) + tail,
            sparse=(
                WeightedTerm(term=standalone or text, weight=1.0),
                *[WeightedTerm(term=o.term, weight=settings.sparse_weight) for o in kept],
            ),
        ),
        concept_outcomes=tuple([o for span in spans if span.concepts for o in _outcomes(span, offers, kept, terms)]),
        roster=roster,
    )


def _expansion(offer: Offer, terms: TermIndex) -> Expansion:
    return Expansion(
        term=offer.term,
        layer=offer.layer,
        span=offer.span,
        entity_id=terms.entity_ids[offer.entity] if offer.entity is not None else None,
        concept_id=terms.ids[offer.concept] if offer.concept is not None else None,
        via=offer.via,
        score=offer.score,
        why=offer.why,
    )


def _outcomes(span: SpanWork, offers: Sequence[Offer], kept: Sequence[Offer], terms: TermIndex) -> list[ConceptOutcome]:
    found = []
    for concept in dict.fromkeys(span.concepts):
        outcome = "negated" if span.negated else span.outcomes.get(concept, "no_page")
        if outcome == "expanded" and not any(o.span == span.span for o in kept):
            # another span may have brought the same term already
            mine = {o.term for o in offers if o.span == span.span}
            if mine and not mine & {o.term for o in kept}:
                outcome = "over_budget"
        found.append(ConceptOutcome(span=span.span, concept_id=terms.ids[concept], outcome=outcome))
    return found
