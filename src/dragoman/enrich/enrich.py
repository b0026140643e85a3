"""Runs the layers over a reading and renders what they offer. Pure: the same reading gives the same enrichment."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter_ns
from typing import NamedTuple, Protocol

from dragoman.enrich.condense import condense
from dragoman.enrich.layers import LAYERS, Layer
from dragoman.enrich.overrides import STEP, barred
from dragoman.enrich.render import render
from dragoman.enrich.roster import roster
from dragoman.enrich.taxonomy import asked_about, routing
from dragoman.enrich.work import EnrichSettings, Offer, SpanWork, Work
from dragoman.index.terms import TermIndex
from dragoman.reading import Reading
from dragoman.text.tokens import fold_key
from dragoman.types import Enrichment, QueryFrame, StepOutcome, TraceRow

# what the trace says of a layer that had nothing to do
SKIPPED = {layer.name: TraceRow(step=layer.name, outcome="skipped") for layer in LAYERS}
SWITCHED_OFF = {layer.name: TraceRow(step=layer.name, outcome="skipped", note="switched off") for layer in LAYERS}


class DrugNames(Protocol):
    """What enrichment asks of the catalogue."""

    def name(self, drug_id: str) -> str | None:
        """The drug's own display name."""
        ...


class Enriched(NamedTuple):
    """The enrichment and what each layer did."""

    enrichment: Enrichment
    trace: tuple[TraceRow, ...]


def enrich(
    reading: Reading,
    frame: QueryFrame | None,
    terms: TermIndex,
    drugs: DrugNames | None,
    settings: EnrichSettings,
    canonical_terms: Iterable[str] = (),
) -> Enriched:
    """Append the corpus's own terms to the turn, at most ``settings.max_terms``, none that the text holds.

    ``frame``: what is asked, where an understanding step ran; ``canonical_terms``: a model's words for it. A turn about
    an animal is not enriched. A layer that fails is an ``error`` in the trace, and the text stays as it was.
    """
    if reading.scope.subject == "veterinary":
        skipped = [TraceRow(step=layer.name, outcome="skipped", note="not about a person") for layer in LAYERS]
        return Enriched(render(reading, [], [], settings, None, frame, terms), tuple(skipped))
    work = Work(reading, frame, terms, settings, canonical_terms)
    rows: list[TraceRow] = []
    failed = False
    for layer in LAYERS:
        if not work.on(layer.name):
            rows.append(SWITCHED_OFF[layer.name])
            continue
        if not _applies(layer, work):
            rows.append(SKIPPED[layer.name])
            continue
        began = perf_counter_ns()
        outcome: StepOutcome
        note: str | None = None
        before = len(work.offers)
        try:
            _run(layer, work)
            outcome = "hit" if len(work.offers) > before else "miss"
        except Exception as error:  # noqa: BLE001 - reported in the trace, and nothing is appended
            outcome, note, failed = "error", type(error).__name__, True
        rows.append(
            TraceRow(
                step=layer.name,
                outcome=outcome,
                count=len(work.offers) - before,
                us=(perf_counter_ns() - began) // 1000,
                note=note,
            )
        )
    if work.ignored:
        rows.append(
            TraceRow(step="entities_ignored", outcome="miss", count=len(work.ignored), note="the frame's, not found")
        )
    if work.frequent:
        rows.append(
            TraceRow(step="corpus", outcome="miss", count=len(work.frequent), note="on too many of the corpus's pages")
        )
    offers = [] if failed else work.offers
    condensed, row = _condensed(work)
    rows.append(row)
    return Enriched(
        render(reading, offers, work.spans, settings, None if failed else roster(work), frame, terms, condensed),
        tuple(rows),
    )


def _condensed(work: Work) -> tuple[str | None, TraceRow]:
    """The condensed query, where there is no standalone one that does as much, and what became of it."""
    if not work.on("condensing"):
        return None, TraceRow(step="condensing", outcome="skipped", note="switched off")
    if work.frame is not None and work.frame.standalone_query:
        return None, TraceRow(step="condensing", outcome="skipped", note="there is a standalone query")
    began = perf_counter_ns()
    found = condense(work.reading)
    us = (perf_counter_ns() - began) // 1000
    return found, TraceRow(step="condensing", outcome="hit" if found else "miss", count=int(found is not None), us=us)


def _applies(layer: Layer, work: Work) -> bool:
    """Whether there is anything for a layer to do."""
    if layer.name == "translation":
        return bool(work.canonical_terms)
    if layer.name == "words":
        return work.terms.has_taxonomy
    if layer.name in ("taxonomy", "near"):
        named = work.frame.entities if work.frame else None
        return work.terms.has_taxonomy and bool(work.spans or (named and (named.conditions or named.procedures)))
    if layer.name == STEP:
        return any(work.rules(span) for span in work.spans)
    return bool(work.spans)


def _run(layer: Layer, work: Work) -> None:
    if layer.whole is not None:
        for offer in layer.whole(work):
            _keep(offer, None, work)
        return
    asked = asked_about(work) if layer.name == "taxonomy" else work.spans
    always = layer.name == "taxonomy" and routing(work)
    if layer.run is None:
        return
    for span in asked:
        if span.negated or (span.qualified and layer.name != STEP) or (span.served and not always and layer.rank > 1):
            continue
        for offer in layer.run(work, span):
            _keep(offer, span, work)
    if layer.name == "near" and routing(work):
        # the departments of a near page, which layer 2 could not know yet
        taxonomy = next(other for other in LAYERS if other.name == "taxonomy")
        if work.on("taxonomy") and taxonomy.run is not None:
            for span in asked:
                if not span.negated and any(o.layer == "near" and o.page and o.span == span.span for o in work.offers):
                    for offer in taxonomy.run(work, span):
                        _keep(offer, span, work)


def _too_frequent(offer: Offer, work: Work) -> bool:
    """Whether the offer's name stands on too many pages to find any; but a department that is asked for, and what the
    editor always wants, is told."""
    if not work.terms.frequent or offer.layer == STEP or fold_key(offer.term) not in work.terms.frequent:
        return False
    return offer.page or not routing(work)


def _keep(offer: Offer, span: SpanWork | None, work: Work) -> None:
    """Take an offer that the text does not hold, no other has made and the editor does not bar."""
    if span is not None and barred(work, span, offer):
        return
    if _too_frequent(offer, work):
        work.frequent.add(offer.term)
        if span is not None:
            for concept in span.concepts:
                span.outcomes.setdefault(concept, "over_budget")
        return
    if work.held(offer.term):
        if span is not None:
            for concept in span.concepts:
                span.outcomes.setdefault(concept, "already_present")
        return
    if span is not None:
        span.served = True
        for concept in span.concepts:
            if span.outcomes.get(concept) != "ambiguous":
                span.outcomes[concept] = "expanded"
    if all(o.term != offer.term for o in work.offers):
        work.offers.append(offer)
