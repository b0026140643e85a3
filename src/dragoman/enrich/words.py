"""Layer ``words``: a long word that is no term, but the head of a longer one, where that leaves one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.types import Span

if TYPE_CHECKING:
    from dragoman.enrich.work import Offer, Work

LONGER_THAN = 5  # letters


def words(work: Work) -> list[Offer]:
    """Pages of the terms that a word of the text begins or ends. A word of the language only where it is the whole
    question."""
    from dragoman.enrich.work import Offer

    terms, tokens = work.terms, work.tokens
    if not terms.has_taxonomy:
        return []
    if any(s.served for s in work.spans):
        return []  # a fallback: what the question is about has been found
    found: list[Offer] = []
    whole = len(tokens) == 1
    for at, key in enumerate(tokens.keys):
        if len(key) <= LONGER_THAN or key in terms.matcher.stops:
            continue
        span = tokens.span(at, at + 1)
        if any(span.overlaps(w.span) for w in work.spans):
            continue
        language = work.reading.language if terms.has_words(work.reading.language) else None
        if not whole and (terms.everyday(key, language) or terms.seen(key)):
            continue
        owners = terms.matcher.headed(key)
        pages: dict[int, int | None] = {e: o for o in owners if o < terms.count for e in terms.pages_of(o)}
        pages |= {o - terms.count: None for o in owners if o >= terms.count}
        pages = {e: o for e, o in pages.items() if not terms.is_department(e)}
        if len(pages) == 1 and not _denied(work, span):
            entity, concept = next(iter(pages.items()))
            found.append(
                Offer(
                    terms.entity_names[entity],
                    "words",
                    span,
                    "same_concept",
                    entity,
                    concept,
                    True,
                    0.5,
                    "part of a term",
                )
            )
    return found


def _denied(work: Work, span: Span) -> bool:
    from dragoman.text.context import denied

    return work.cues.may_negate and denied(work.tokens, [span], work.reading.pack)[0]
