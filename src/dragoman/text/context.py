"""What a statement says about a finding: denied, a relative's, past, or in doubt.

The idea is ConText's (Harkema et al., 2009, doi 10.1016/j.jbi.2009.05.002): a cue reaches forward or back over the
findings of its sentence until something ends its reach. The words are the pack's ``context.toml``; what is added here
is what people type: lists ("no fever, cough or rash"), label forms ("allergies: none"), clauses that a comma starts,
cues that only look like a denial ("not only", "does not go away", a question's closing word), and contrasts
(``text.contrast``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from dragoman.folder import Language
from dragoman.text.context_cues import ENDS, Context, Cue, Reaches, compile_reaches, occurrences
from dragoman.text.contrast import behind, set_aside
from dragoman.text.phrases import Hit, breaks, longest
from dragoman.text.tokens import HYPHENS, Tokens, fold_key
from dragoman.types import Span


class Assertion(NamedTuple):
    """What is said of one span: the words of the cue that says so, else ``None``."""

    negated: str | None = None
    family: str | None = None
    past: str | None = None
    uncertain: str | None = None


@lru_cache(maxsize=32)
def _compiled(pack: Language) -> Reaches:
    context = pack.table("context.toml", Context)
    families = {f: getattr(context, f) for f in ENDS}
    return compile_reaches(families, ENDS, pack, "context.toml")


def reached(tokens: Tokens, spans: Sequence[Span], compiled: Reaches) -> list[dict[str, str]]:
    """For each of ``spans`` the families whose cues reach it, with the cue's words as typed.

    A cue inside a span is part of the finding's own name and says nothing.
    """
    found: list[dict[str, str]] = [{} for _ in spans]
    if not spans or not tokens.tokens:
        return found
    separators = breaks(tokens, compiled.abbreviations)
    ranges = [_range(tokens, span) for span in spans]
    hits = [h for h in _cues(tokens, compiled, separators) if not _within(h, ranges) and not _joined(tokens, h, ranges)]
    if hits:
        _reach_all(tokens, ranges, hits, separators, compiled, found)
    if compiled.contrasts is not None and len(ranges) > 1:
        for i, (words, aside) in set_aside(tokens, ranges, separators, compiled).items():
            found[i].pop("negated", None)
            if aside:
                found[i].pop("uncertain", None)
                found[i]["negated"] = words
    if "negated" in compiled.ends:
        for i, (_, last) in enumerate(ranges):
            denied = _label(tokens, last, separators, compiled)
            if denied is not None:
                found[i].pop("negated", None)
                if denied:
                    found[i]["negated"] = denied
    return found


def _reach_all(
    tokens: Tokens,
    ranges: Sequence[tuple[int, int]],
    hits: Sequence[Hit[Cue]],
    separators: Sequence[str],
    compiled: Reaches,
    found: Sequence[dict[str, str]],
) -> None:
    """Note in ``found`` what each of ``ranges`` is reached by of the cues ``hits``."""
    inside = _inside(len(tokens), ranges)
    cues = _settled(hits)
    real = [c for c in cues if c.value.reach != "pseudo"]
    stops = [h for h in occurrences(tokens, compiled.stops, separators) if not _within(h, ranges)]
    ends = [h for h in stops if not any(_overlap(h, c) for c in real)]
    for cue in cues:
        family = cue.value.family
        if family is None or cue.value.reach == "pseudo":
            continue
        words = tokens.surface(cue.first, cue.last)
        if cue.value.reach == "next":
            joins = compiled.context.contrast.joins
            low, high = cue.last, behind(tokens, ranges, separators, cue.last, joins)
        else:
            low, high = _reach(cue, family, cues, ends, separators, inside, compiled)
        for i, (first, last) in enumerate(ranges):
            # A cue may close around its finding, as a question does in Vietnamese.
            if min(low, cue.first) <= first and last <= max(high, cue.last):
                found[i].setdefault(family, words)


def _joined(tokens: Tokens, hit: Hit[Cue], ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether a hyphen makes a cue part of the word behind it: ``niet-operabele`` says only what kind of a finding
    follows, and is no denial; but ``niet-hodgkin`` denies one, whatever stands before it."""
    reach = hit.value.reach
    if reach not in ("before", "pseudo") or tokens.gap(hit.last - 1) not in HYPHENS:
        return False
    return any(first == hit.last for first, _ in ranges) == (reach == "pseudo")


def _cues(tokens: Tokens, compiled: Reaches, separators: Sequence[str]) -> list[Hit[Cue]]:
    """The cues of all families, by place."""
    hits = [hit for book in compiled.cues.values() for hit in occurrences(tokens, book, separators)]
    hits.sort(key=lambda hit: (hit.first, hit.last))
    return hits


def _settled(hits: Sequence[Hit[Cue]]) -> list[Hit[Cue]]:
    """The longest cues of the text. Of those in the same words all stand, unless one of them only looks like a cue.

    What only looks like a cue of one family takes no place from another's: ``mag mijn zoon niet`` denies nothing, and
    is still said of a son."""
    places = {(h.first, h.last) for h in longest(hits)}
    kept = [h for h in hits if (h.first, h.last) in places]
    if len(kept) < len(hits):
        for family in {h.value.family for h in kept if h.value.reach == "pseudo"}:
            others = [h for h in hits if h.value.family != family]
            again = {(h.first, h.last) for h in longest(others)}
            kept += [h for h in others if (h.first, h.last) in again and (h.first, h.last) not in places]
        kept.sort(key=lambda h: (h.first, h.last))
    pseudo = {(h.first, h.last, h.value.family) for h in kept if h.value.reach == "pseudo"}
    return [h for h in kept if h.value.reach == "pseudo" or (h.first, h.last, h.value.family) not in pseudo]


def denials(packs: Iterable[Language]) -> frozenset[str]:
    """The single words of the ``packs`` that stand before what they deny, as keys."""
    cues = (cue for pack in packs for cue in pack.table("context.toml", Context).negated.before)
    return frozenset(fold_key(word) for cue in cues if " " not in cue for word in cue.split("|") if word.isalpha())


def assertions(tokens: Tokens, spans: Sequence[Span], pack: Language) -> list[Assertion]:
    """One ``Assertion`` for each of ``spans`` (code points of ``tokens.text``), in their order.

    Doubt outweighs denial: what is in doubt is not denied.
    """
    return [
        Assertion(
            None if "uncertain" in said else said.get("negated"),
            said.get("family"),
            said.get("past"),
            said.get("uncertain"),
        )
        for said in reached(tokens, spans, _compiled(pack))
    ]


def denied(tokens: Tokens, spans: Sequence[Span], pack: Language) -> list[bool]:
    """Which of ``spans`` are denied, as ``assertions`` says; a text without any denial is not asked more."""
    compiled = _compiled(pack)
    separators = breaks(tokens, compiled.abbreviations)
    contrasts = compiled.contrasts
    if not occurrences(tokens, compiled.cues["negated"], separators) and not (
        contrasts and len(spans) > 1 and occurrences(tokens, contrasts, separators)
    ):
        lasts = [_range(tokens, span)[1] for span in spans]
        if not any(_label(tokens, last, separators, compiled) for last in lasts):
            return [False] * len(spans)
    return [said.negated is not None for said in assertions(tokens, spans, pack)]


def endings(tokens: Tokens, compiled: Reaches) -> frozenset[int]:
    """The tokens at which words begin that end a cue's reach, or show that a list is over."""
    return frozenset(h.first for h in occurrences(tokens, compiled.stops, breaks(tokens, compiled.abbreviations)))


def speaks_of_self(tokens: Tokens, pack: Language) -> bool:
    """Whether the person speaks of themselves apart from being somebody's relative ("my mother ..., may I ...?")."""
    compiled = _compiled(pack)
    separators = breaks(tokens, compiled.abbreviations)
    turns = [h for h in occurrences(tokens, compiled.stops, separators) if h.value.reach == "stop_family"]
    if not turns:
        return False
    relatives = occurrences(tokens, compiled.cues["family"], separators)
    return any(not any(_overlap(h, r) for r in relatives) for h in turns)


def _range(tokens: Tokens, span: Span) -> tuple[int, int]:
    """The tokens that ``span`` touches, as ``[first, last)``; empty at the end when it touches none."""
    touched = [i for i, t in enumerate(tokens.tokens) if t.start < span.end and span.start < t.end]
    return (touched[0], touched[-1] + 1) if touched else (len(tokens), len(tokens))


def _inside(size: int, ranges: Sequence[tuple[int, int]]) -> list[bool]:
    marks = [False] * size
    for first, last in ranges:
        for i in range(first, min(last, size)):
            marks[i] = True
    return marks


def _within(hit: Hit[Cue], ranges: Sequence[tuple[int, int]]) -> bool:
    return any(first <= hit.first and hit.last <= last for first, last in ranges)


def _overlap(one: Hit[Cue], other: Hit[Cue]) -> bool:
    return one.first < other.last and other.first < one.last


def _reach(
    cue: Hit[Cue],
    family: str,
    cues: Sequence[Hit[Cue]],
    ends: Sequence[Hit[Cue]],
    separators: Sequence[str],
    inside: Sequence[bool],
    compiled: Reaches,
) -> tuple[int, int]:
    """The tokens that ``cue`` speaks of, as ``[low, high)``."""
    size = len(separators)
    ending, context = compiled.ends[family], compiled.context
    stops = {h.first for h in ends if h.value.reach in ending}
    stops |= {c.first for c in cues if c is not cue and c.value.family == family and c.value.reach == "before"}
    clause = {h.first for h in ends} | {c.first for c in cues if c.value.reach == "before"}
    if cue.value.reach == "before":
        at = cue.last
        if separators[cue.last - 1] == "." or (separators[cue.last - 1] and any(inside[cue.first : cue.last])):
            return at, at  # a cue that closes around its finding, before a comma, has said what it says
        limit = min(size, cue.last + context.reach)
        while at < limit:
            if at in stops and at > cue.first:
                break
            if at > cue.last and separators[at - 1] == ".":
                break
            if at > cue.last and separators[at - 1] and not _listed(at, separators, inside, clause, compiled, family):
                break
            at += 1
        while at < size and at >= limit and inside[at] and inside[at - 1]:
            at += 1  # a finding that has begun within reach belongs to it whole
        return cue.last, at
    stops |= {c.first for c in cues if c.value.reach == "before"}
    return _back(cue, stops, separators, inside, context), cue.first


def _back(cue: Hit[Cue], stops: set[int], separators: Sequence[str], inside: Sequence[bool], context: Context) -> int:
    """The first token that a cue behind its findings speaks of: its own clause, and a list that leads into it."""
    at = cue.first
    low = max(0, cue.first - context.reach)
    while at > low and separators[at - 1] != "." and (at == cue.first or at not in stops or inside[at]):
        if at < cue.first and separators[at - 1]:
            start = at - 1
            while start > 0 and not separators[start - 1]:
                start -= 1
            if separators[at - 1] != "," or sum(not inside[i] for i in range(start, at)) > 1:
                break
        at -= 1
    return at


def _listed(
    at: int,
    separators: Sequence[str],
    inside: Sequence[bool],
    clause: set[int],
    compiled: Reaches,
    family: str,
) -> bool:
    """Whether what follows the separator before token ``at`` goes on with a list (or, for a relative, the story)."""
    if separators[at - 1] in {")", "\n"}:
        return False
    end = at
    while end < len(separators) - 1 and not separators[end]:
        end += 1
    item = range(at, end + 1)
    context = compiled.context
    if family in {"family", "past"} or (compiled.lists and inside[at]):
        return True
    if any(i in clause and not inside[i] for i in item):
        return False
    if context.strict and inside[at] and not inside[end]:
        return False  # the finding has words of its own behind it: a new statement
    return sum(not inside[i] for i in item) <= context.item


def _label(tokens: Tokens, last: int, separators: Sequence[str], compiled: Reaches) -> str | None:
    """What answers the label that ends before token ``last``: the words of a "no", ``""`` for a "yes", else None."""
    if not 0 < last <= len(tokens):
        return None
    end = tokens.tokens[last].start if last < len(tokens) else len(tokens.text)
    gap = tokens.text[tokens.tokens[last - 1].end : end].strip()
    sign = next((s for s in compiled.context.signs if gap.startswith(s)), None)
    if sign:
        return sign
    if last == len(tokens) or not (gap in {":", "=", "-", "–", "→", "?"} or gap.endswith(":")):
        return None
    answers = occurrences(tokens, compiled.answers, separators)
    for hit in sorted((h for h in answers if h.first == last), key=lambda h: -h.last):
        if separators[hit.last - 1]:
            return "" if hit.value else tokens.surface(hit.first, hit.last)
    return None
