"""The layers in their order: each looks at one span and offers terms for it.

The order is one of quality: the same concept, then who looks after it, then what is near it, then a model's word, then
single words. A span that a lower rank has served is not offered to a higher one (``enrich.enrich``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dragoman.enrich.near import near
from dragoman.enrich.overrides import forced, preferred
from dragoman.enrich.senses import senses
from dragoman.enrich.taxonomy import departments
from dragoman.enrich.translation import translation
from dragoman.enrich.words import words
from dragoman.enrich.work import Offer, SpanWork, Work
from dragoman.index.term_values import PERSON

QUALIFIER = "qualifier"  # "severe", "chronic": what is said of a finding, and alone no subject of a question

PerSpan = Callable[[Work, SpanWork], list[Offer]]


def terminology(work: Work, span: SpanWork) -> list[Offer]:
    """The published entities with the span's concept, or named by the span; without a taxonomy the concept's own name
    in the corpus language."""
    terms = work.terms
    offers: list[Offer] = []
    for entity in span.entities:
        offers.append(_entity(work, span, entity, None))
    chosen = senses(work, span)
    if terms.has_taxonomy:
        for concept in chosen:
            offers += [_entity(work, span, entity, concept) for entity in terms.pages_of(concept)]
        return [o for o in offers if o.entity is not None and terms.entity_types[o.entity] != PERSON]
    for concept in dict.fromkeys(terms.canonical[c] for c in chosen):
        name = terms.names[concept]
        if name and (terms.semantic_type(concept) != QUALIFIER or span.text == work.tokens.text.strip()):
            offers.append(Offer(name, "terminology", span.span, span.via, concept=concept, score=_score(span)))
    return offers


def catalog(work: Work, span: SpanWork) -> list[Offer]:
    """The drug's own name for another name of it; never for one that is merely near."""
    sure = [c for c in span.drugs if c.match != "fuzzy"]
    if len({c.id for c in sure}) != 1:
        return []
    drug = sure[0]
    return [Offer(drug.name, "catalog", span.span, "same_drug", score=drug.score, why=drug.why)]


def _entity(work: Work, span: SpanWork, entity: int, concept: int | None) -> Offer:
    why = preferred(work, span, span.concepts)[1] or next((c.why for c in span.candidates if c.why), None)
    return Offer(
        work.terms.entity_names[entity],
        "terminology",
        span.span,
        span.via,
        entity,
        concept,
        page=not work.terms.is_department(entity),
        score=_score(span),
        why=why,
    )


def _score(span: SpanWork) -> float:
    return max((c.score for c in span.candidates), default=1.0)


class Layer(NamedTuple):
    """One row of the table. ``whole``: the layer looks at the turn and not at its spans."""

    name: str
    rank: int
    run: PerSpan | None = None
    whole: Callable[[Work], list[Offer]] | None = None


LAYERS = (
    Layer("overrides", 0, forced),
    Layer("terminology", 1, terminology),
    Layer("catalog", 1, catalog),
    Layer("taxonomy", 2, departments),
    Layer("near", 3, near),
    Layer("translation", 4, whole=translation),
    Layer("words", 5, whole=words),
)
