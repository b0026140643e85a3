"""Makes candidates and mentions of the hits in a message: the longest, less what the words around them explain away."""

from __future__ import annotations

from dragoman.index.found import Found
from dragoman.index.term_qualified import qualified
from dragoman.index.term_take import Hit, Take
from dragoman.index.term_values import QUALIFIED, SHORT, TAXONOMY
from dragoman.text.abbreviations import stands_for
from dragoman.types import Candidate, Mention, MentionStatus, Span


def found_by(take: Take) -> Found:
    """Candidates and mentions of the hits that lie in no longer hit."""
    candidates: list[Candidate] = []
    mentions: list[Mention] = []
    suppressed = [*_explained(take), *_figurative(take)]
    spans = list(take.hits)
    for first, last in sorted(spans):
        if len(spans) > 1 and any(a <= first and last <= b and (a, b) != (first, last) for a, b in spans):
            continue
        span, text = _written(take, first, last)
        best = _best(take, take.hits[first, last])
        if qualified(take, first, last, best):
            best = {o: h._replace(why=f"{h.why}; {QUALIFIED}" if h.why else QUALIFIED) for o, h in best.items()}
        made = [_candidate(take, owner, hit, span, text) for owner, hit in best.items()]
        candidates.extend(made)
        mentions.append(_mention(take, span, text, made))
    return Found(tuple(candidates), (*mentions, *suppressed))


def _written(take: Take, first: int, last: int) -> tuple[Span, str]:
    """Where the keys from ``first`` to ``last`` stand, and as what."""
    span = take.tokens.span(*take.bounds(first, last))
    return span, take.tokens.text[span.start : span.end]


def _suppressed(take: Take, first: int, last: int, reason: str) -> Mention:
    span, text = _written(take, first, last)
    return Mention(message=take.message, span=span, text=text, status="suppressed", reason=reason)


def _explained(take: Take) -> list[Mention]:
    """Abbreviations whose long form stands beside them, in brackets or before: ``multiple myeloma (MM)`` means no other
    MM. Hits of another owner are dropped; what is left without any is told."""
    told: list[Mention] = []
    shorts = [place for place, hits in take.hits.items() if (hits[0].why or "").startswith(SHORT)]
    for first, last in shorts:
        for (low, high), long in take.hits.items():
            before = high == first and "(" in take.gap(high - 1)
            behind = low == last and "(" in take.gap(last - 1)
            if not (before or behind) or not stands_for("".join(take.keys[first:last]), take.keys[low:high]):
                continue
            owners = {hit.owner for hit in long}
            kept = [hit for hit in take.hits[first, last] if hit.owner in owners]
            if not kept:
                told.append(_suppressed(take, first, last, "stands for the words beside it"))
                del take.hits[first, last]
            else:
                take.hits[first, last] = kept
            break
    return told


def _figurative(take: Take) -> list[Mention]:
    """Hits inside a set phrase, unless they hold it whole, are dropped, and told."""
    if not take.hits:
        return []
    told: list[Mention] = []
    for low, high in take.matcher.expressions.places(take.tokens):
        for first, last in list(take.hits):
            start, end = take.bounds(first, last)
            if low <= start and end <= high and (start, end) != (low, high):
                told.append(_suppressed(take, first, last, "in a set phrase"))
                del take.hits[first, last]
    return told


def _best(take: Take, hits: list[Hit]) -> dict[int, Hit]:
    """The best hit of each owner; concepts that are inflected away are dropped where one matches as it stands."""
    best: dict[int, Hit] = {}
    for hit in hits:
        old = best.get(hit.owner)
        if old is None or (hit.score, hit.match == "exact") > (old.score, old.match == "exact"):
            best[hit.owner] = hit
    if len(best) > 1:
        count = take.matcher.index.count
        if any(h.match == "exact" and owner < count for owner, h in best.items()):
            best = {o: h for o, h in best.items() if h.match == "exact" or o >= count}
    return best


def _candidate(take: Take, owner: int, hit: Hit, span: Span, text: str) -> Candidate:
    """The owner's row: concepts come first, entities are counted on behind them."""
    index = take.matcher.index
    if owner < index.count:
        return Candidate(
            message=take.message,
            span=span,
            text=text,
            kind="concept",
            source=index.sources[index.source[owner]],
            id=index.ids[owner],
            name=index.names[owner],
            semantic_type=index.semantic_type(owner),
            match=hit.match,
            score=hit.score,
            why=hit.why,
        )
    entity = owner - index.count
    return Candidate(
        message=take.message,
        span=span,
        text=text,
        kind="entity",
        source=TAXONOMY,
        id=index.entity_ids[entity],
        name=index.entity_names[entity],
        semantic_type=index.entity_types[entity],
        match=hit.match,
        score=hit.score,
        why=hit.why,
    )


def _mention(take: Take, span: Span, text: str, made: list[Candidate]) -> Mention:
    concepts = [c for c in made if c.kind == "concept"] or made
    status: MentionStatus = "ambiguous" if len(concepts) > 1 else concepts[0].match
    return Mention(
        message=take.message,
        span=span,
        text=text,
        status=status,
        candidate_ids=tuple(c.id for c in concepts),
        kind=concepts[0].kind,
    )
