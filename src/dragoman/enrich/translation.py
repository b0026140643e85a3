"""Layer ``translation``: the terms that a model gave for what the person said, as far as the vocabularies know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.text.tokens import tokenize
from dragoman.types import Span

if TYPE_CHECKING:
    from dragoman.enrich.work import Offer, Work

MOST = 5  # terms of a model that are looked at


def translation(work: Work) -> list[Offer]:
    """Pages (without a taxonomy: names of concepts) that the model's terms name, where a span is still unserved, or no
    page has been found (a part of the body brings a department alone)."""
    from dragoman.enrich.work import Offer

    open_ = [s for s in work.spans if not s.served and not s.negated]
    if work.spans and not open_ and any(o.page for o in work.offers):
        return []
    terms = work.terms
    denied = {c for s in work.spans if s.negated for c in s.concepts}
    span = open_[0].span if open_ else Span(0, len(work.tokens.text))
    found: dict[str, Offer] = {}
    for text in work.canonical_terms[:MOST]:
        for candidate in terms.match(tokenize(text), -1).candidates:
            if candidate.kind == "entity":
                entity = terms.entity(candidate.id)
                entities, concept = ([entity] if entity is not None else []), None
            else:
                concept = terms.number(candidate.id, candidate.source)
                if concept is None or concept in denied:
                    continue
                entities = terms.pages_of(concept)
                if not terms.has_taxonomy:
                    name = terms.names[concept]
                    found.setdefault(name, Offer(name, "translation", span, "translation", None, concept, score=0.5))
            for entity in entities:
                name = terms.entity_names[entity]
                page = not terms.is_department(entity)
                found.setdefault(name, Offer(name, "translation", span, "translation", entity, concept, page, 0.5))
    return list(found.values())
