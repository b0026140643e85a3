"""Names that so many of the corpus's pages hold that appending one says nothing: counted when the index is built.

A term that stands on every second page finds every second page. The share of pages is what counts, not how often a page
has it, and the words are compared folded, as one stretch, as a search engine's would be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dragoman.text.tokens import fold_key, tokenize

LEAST_PAGES = 20  # fewer pages tell nothing of how frequent a name is


def frequent(names: Iterable[str], pages: Iterable[str], most: float) -> list[str]:
    """The folded ``names`` that stand on more than the share ``most`` (0 to 1) of ``pages`` (their texts), sorted."""
    wanted = {key for name in names if (key := fold_key(name))}
    lengths = sorted({key.count(" ") + 1 for key in wanted})
    counts: Counter[str] = Counter()
    total = 0
    for text in pages:
        total += 1
        keys = tokenize(text).keys
        found = {
            stretch
            for length in lengths
            for at in range(len(keys) - length + 1)
            if (stretch := " ".join(keys[at : at + length])) in wanted
        }
        counts.update(found)
    if total < LEAST_PAGES:
        return []
    return sorted(key for key, count in counts.items() if count > most * total)
