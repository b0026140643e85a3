"""One finding set aside for another: "X instead of Y", "rather than Y", "Y not, X yes".

Unlike a denial, which reaches over a list, such words speak of the one finding beside them, and only where the text
names what holds in its stead: what is asked is never set aside for nothing ("what can I do instead of Y?").
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.text.context_cues import Reaches, occurrences
from dragoman.text.phrases import longest
from dragoman.text.tokens import Tokens

NEAR = 2  # words between the cue and the finding: an article, an adjective


def set_aside(
    tokens: Tokens, ranges: Sequence[tuple[int, int]], separators: Sequence[str], compiled: Reaches
) -> dict[int, tuple[str, bool]]:
    """For those of ``ranges`` (tokens of findings) that a contrast speaks of, its words and whether it denies them."""
    found: dict[int, tuple[str, bool]] = {}
    if compiled.contrasts is None or compiled.open_contrasts is None:
        return found
    hits = occurrences(tokens, compiled.contrasts, separators)
    if not hits:
        return found
    joins = compiled.context.contrast.joins
    for hit in longest([*hits, *occurrences(tokens, compiled.open_contrasts, separators)]):
        if hit.value == "pseudo" or any(first <= hit.first and hit.last <= last for first, last in ranges):
            continue
        words = tokens.surface(hit.first, hit.last)
        if hit.value == "before":
            low, high = hit.last, behind(tokens, ranges, separators, hit.last, joins)
            kept = high > low and _partner(ranges, separators, hit.first, low, high)
        else:
            # the one that holds stands right before the closing word
            inside = [i for i, (first, last) in enumerate(ranges) if hit.first < first and last == hit.last - 1]
            low, high = _before(tokens, ranges, separators, hit.first, joins), hit.first
            kept = bool(inside) and low < high
            if kept:
                found.update((i, (words, False)) for i in inside)
        if kept:
            found.update((i, (words, True)) for i, (first, last) in enumerate(ranges) if low <= first and last <= high)
    return found


def behind(
    tokens: Tokens, ranges: Sequence[tuple[int, int]], separators: Sequence[str], at: int, joins: tuple[str, ...]
) -> int:
    """Where the finding ends that stands near behind ``at``, with those that are joined to it; ``at`` where none is."""
    end = at
    while True:
        following = [r for r in ranges if r[0] >= end and not any(separators[end - 1 : r[0]])]
        if not following:
            return end
        first, last = min(following, key=lambda r: (r[0], -r[1]))
        joined = first - end == 1 and tokens.keys[end] in joins
        if first - end > NEAR or (end > at and not joined):
            return end
        end = last


def _before(
    tokens: Tokens, ranges: Sequence[tuple[int, int]], separators: Sequence[str], at: int, joins: tuple[str, ...]
) -> int:
    """As ``behind``, for findings before ``at``: where the first of them begins."""
    start = at
    while True:
        earlier = [r for r in ranges if r[1] <= start and not any(separators[r[1] - 1 : start])]
        if start == 0 or not earlier:
            return start
        first, last = max(earlier, key=lambda r: (r[1], -r[0]))
        joined = start - last == 1 and tokens.keys[last] in joins
        if start - last > NEAR or (start < at and not joined):
            return start
        start = first


def _partner(ranges: Sequence[tuple[int, int]], separators: Sequence[str], first: int, last: int, end: int) -> bool:
    """Whether the sentence names what holds: before or inside the cue from ``first`` to ``last``, or behind what it
    sets aside, which ends at ``end``, if the cue begins the clause."""
    start = first
    while start > 0 and separators[start - 1] != ".":
        start -= 1
    if any(start <= low and high <= last for low, high in ranges):
        return True
    if first > start and not separators[first - 1]:
        return False
    limit = end
    while limit < len(separators) and separators[limit - 1] != ".":
        limit += 1
    return any(end <= low and high <= limit for low, high in ranges)
