"""Products that are named after a part of them: ``X Plus`` and ``Co-X`` have more in them than ``X``.

Where the catalogue has such a product its whole name is found, for the longest name wins. Where it has the part alone,
the part is not what was named: the product is unknown, and never exchanged for its part.
"""

from __future__ import annotations

from dragoman.index.drugs_store import Stretch
from dragoman.index.drugs_words import WordTable
from dragoman.text.tokens import Tokens

OTHER_PRODUCT = "another product, with more in it than the name that it has from a part"
_HYPHENS = frozenset("-‐‑")


def whole_products(words: WordTable, tokens: Tokens, stretches: list[Stretch]) -> list[Stretch]:
    """``stretches``, those that are part of another product's name as that product, unknown to the catalogue."""
    return [_whole(words, tokens, stretch) if stretch.names else stretch for stretch in stretches]


def _whole(words: WordTable, tokens: Tokens, stretch: Stretch) -> Stretch:
    first, last = stretch.first, stretch.last
    while last < len(tokens) and _tied(tokens.gap(last - 1)) and _more(words, tokens, last):
        last += 1
    hyphen = first > 0 and tokens.gap(first - 1)
    if hyphen and hyphen != " " and _tied(hyphen) and tokens.keys[first - 1] in words.more_before:
        first -= 1
    if (first, last) == (stretch.first, stretch.last):
        return stretch
    return Stretch(first, last, (), "unknown", OTHER_PRODUCT)


def _tied(gap: str) -> bool:
    return gap == " " or (gap != "" and _HYPHENS.issuperset(gap))


def _more(words: WordTable, tokens: Tokens, i: int) -> bool:
    return tokens.keys[i] in words.more_after or tokens.surface(i, i + 1) in words.more_as_written
