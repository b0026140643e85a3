"""What the vocabularies hold for a term or an id, and what becomes of it: the editor's view of an index."""

from __future__ import annotations

from typing import Any

import msgspec

from dragoman.enrich import enrich
from dragoman.pipeline import prepare
from dragoman.project import Project
from dragoman.types import Enrichment, Turn, Value
from dragoman.vocabularies import Vocabularies


class Lookup(Value, frozen=True, kw_only=True):
    """What the vocabularies hold for a term or an id: drugs with their aliases, concepts with terms and pages.

    Of a concept also what enrichment makes of the term (``outcome``, ``adds``) and, where it has no page, which pages
    are ``nearest``.
    """

    query: str
    drugs: tuple[dict[str, Any], ...] = ()
    concepts: tuple[dict[str, Any], ...] = ()
    entities: tuple[dict[str, Any], ...] = ()


def lookup(term_or_id: str, project: Project, vocabularies: Vocabularies) -> Lookup:
    """What ``vocabularies`` hold for a term (any spelling that folds to it) or an id."""
    concepts, entities = vocabularies.terms.lookup(term_or_id)
    if concepts:
        _tell(term_or_id, concepts, project, vocabularies)
    return Lookup(
        query=term_or_id,
        drugs=tuple(vocabularies.drugs.lookup(term_or_id)),
        concepts=tuple(concepts),
        entities=tuple(entities),
    )


def _tell(term_or_id: str, concepts: list[dict[str, Any]], project: Project, vocabularies: Vocabularies) -> None:
    """Add to each concept what becomes of it when a person writes the term, and the nearest pages."""
    from dragoman.gaps.nearest import nearest  # only where an editor asks

    terms = vocabularies.terms
    tried: dict[str, Enrichment] = {}
    for concept in concepts:
        id_, source = str(concept["id"]), str(concept["source"])
        text = str(concept["name"]) if term_or_id in (id_, f"{source}:{id_}") else term_or_id
        if text not in tried:
            prepared = prepare(Turn(text), project, vocabularies, frozenset())
            tried[text] = enrich(prepared.reading, None, terms, vocabularies.drugs, prepared.settings).enrichment
        spans = {o.span: o.outcome for o in tried[text].concept_outcomes if o.concept_id == id_}
        number = terms.number(id_, source)
        concept["outcome"] = next(iter(spans.values()), None)
        concept["adds"] = [
            {"term": e.term, "layer": e.layer, "via": e.via} for e in tried[text].expansions if e.span in spans
        ]
        near = () if number is None else nearest(terms, number)
        concept["nearest"] = [msgspec.to_builtins(page) for page in near]
