"""From what the vocabularies found to one consistent set of candidates: who holds which words.

The rule: what matched exactly or under a spelling rule comes before what is merely near; then the longer span wins over
every shorter one that it overlaps; on equal spans all candidates stay, for several vocabularies may know the words, and
one term may name several concepts. Ties are broken by place, then by kind, source and id, so that the same text gives
the same candidates.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from dragoman.index.found import Found
from dragoman.index.term_values import MISSPELT
from dragoman.types import Candidate, Mention, Span

_STRENGTH = {"exact": 2, "variant": 1, "fuzzy": 0}


def settle(founds: Iterable[Found]) -> Found:
    """Resolve overlaps between the candidates of several vocabularies within one message. Deterministic."""
    candidates: list[Candidate] = []
    mentions: list[Mention] = []
    doubts: set[Span] = set()
    for found in founds:
        doubts.update(found.doubts)
        candidates.extend(found.candidates)
        mentions.extend(found.mentions)
    if not candidates and not mentions:
        return Found()
    ranked = sorted(candidates, key=_rank)
    kept: list[Candidate] = []
    for candidate in ranked:
        if not any(_in_the_way(other, candidate) for other in kept):
            kept.append(candidate)
    if doubts:
        kept = [_doubted(c) if c.kind != "drug" and c.span in doubts else c for c in kept]
    held = {candidate.span for candidate in kept}
    kept.sort(key=lambda c: (c.span, _STRENGTH[c.match] * -1, c.kind, c.source, c.id))
    return Found(tuple(kept), tuple(_mentions(mentions, held)))


def _doubted(candidate: Candidate) -> Candidate:
    """The candidate with the reason for which nothing is told or appended for it."""
    return msgspec.structs.replace(candidate, why=f"{candidate.why}; {MISSPELT}" if candidate.why else MISSPELT)


def _in_the_way(other: Candidate, candidate: Candidate) -> bool:
    """Whether ``other``, which is kept, rules ``candidate`` out.

    A misspelt term of several words stands beside the surer terms inside it: ``severe artritis`` may well be the
    longer term, and is an artritis in any case.
    """
    if not other.span.overlaps(candidate.span):
        return False
    if candidate.match != "fuzzy" or other.match == "fuzzy":
        return other.span != candidate.span
    inside = candidate.span.start <= other.span.start and other.span.end <= candidate.span.end
    return not inside or other.span == candidate.span or "drug" in (other.kind, candidate.kind)


def covered(found: Found) -> list[Span]:
    """The words that something holds, so that nothing fuzzy is tried on them."""
    spans = {c.span for c in found.candidates} | {m.span for m in found.mentions}
    return sorted(spans)


def _rank(candidate: Candidate) -> tuple[int, int, int, int, str, str, str]:
    length = candidate.span.end - candidate.span.start
    strength = _STRENGTH[candidate.match]
    return (-(strength > 0), -length, -strength, candidate.span.start, candidate.kind, candidate.source, candidate.id)


def _mentions(mentions: list[Mention], held: set[Span]) -> Iterable[Mention]:
    """Mentions whose words no other candidate took over; a mention without candidates stands by itself."""
    seen: set[tuple[Span, str, str]] = set()
    for mention in sorted(mentions, key=lambda m: (m.span, m.kind, m.status)):
        key = (mention.span, mention.kind, mention.status)
        lost = mention.span not in held and any(span.overlaps(mention.span) for span in held)
        if key in seen or lost:
            continue
        seen.add(key)
        yield mention
