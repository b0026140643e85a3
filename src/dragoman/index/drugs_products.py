"""What a name's neighbours make of it: products that have more in them, and salts.

A product may be named after a part of it: ``X Plus`` and ``Co-X`` have more in them than ``X``.

Where the catalogue has such a product its whole name is found, for the longest name wins. Where it has the part alone,
the part is not what was named: the product is unknown, and never exchanged for its part.

A salt or an ester behind a name (``atorvastatin calci trihydrat``) is the same drug, and no second one. But where the
catalogue's own name for the drug says which it is (``tenofovir disoproxil``), another one (``tenofovir alafenamid``)
may be another drug.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.index.drugs_store import KINDS, Arrays, Stretch
from dragoman.index.drugs_words import WordTable
from dragoman.text.tokens import HYPHENS, Tokens, fold_key

OTHER_PRODUCT = "another product, with more in it than the name that it has from a part"
PERHAPS_OTHER = "what follows may make another product of it"
OTHER_SALT = "what follows makes another salt or ester of it than the catalogue has"
_DOUBTED = 0.8  # the score of a name that is in doubt for what follows it
_LABORATORY = re.compile(r"\s*[:=]?\s*\d+([.,]\d+)?\s*[a-zµμ]{0,5}\s*/\s*(d|m|u|µ|μ)?l\b", re.IGNORECASE)
_SET_AGAINST = 3  # words between which two opposites stand


def whole_products(words: WordTable, tokens: Tokens, stretches: list[Stretch]) -> list[Stretch]:
    """``stretches``, those that are part of another product's name as that product, unknown to the catalogue.

    A word that joins two names as well (``plus``) joins them where another name follows. Whatever else is found in the
    product's own words (``HCT``) is left out.
    """
    begins = {s.first for s in stretches if s.status != "suppressed"}
    whole: list[Stretch] = []
    for stretch in stretches:
        if not whole or whole[-1].reason != OTHER_PRODUCT or whole[-1].last <= stretch.first:
            whole.append(_whole(words, tokens, stretch, begins) if stretch.names else stretch)
    return whole


def in_doubt(words: WordTable, arrays: Arrays, tokens: Tokens, stretches: list[Stretch]) -> list[Stretch]:
    """``stretches``, those as a question behind whose name stands what may make another product of it.

    ``advil cold`` may be Advil for a cold, or another product: it is never taken for exactly what was named.
    """
    begins = {s.first for s in stretches if s.status != "suppressed"}
    found = [_doubted(words, arrays, tokens, s, begins) if s.names else s for s in stretches]
    if words.salts.isdisjoint(tokens.keys):
        return found
    return [_other_salt(words, arrays, tokens, s) if s.names else s for s in found]


def without_analytes(words: WordTable, tokens: Tokens, stretches: list[Stretch]) -> list[Stretch]:
    """``stretches`` without names that the catalogue lacks and a laboratory measures, before a figure in a laboratory's
    unit (``fibrinogen 2 g/l``)."""
    return [s for s in stretches if s.names or not _measured(words, tokens, s)]


def _measured(words: WordTable, tokens: Tokens, stretch: Stretch) -> bool:
    if tokens.key(stretch.first, stretch.last) not in words.analytes or stretch.status == "class":
        return False
    text = tokens.text[tokens.span(stretch.first, stretch.last).end :]
    return _LABORATORY.match(text) is not None


def without_salts(words: WordTable, tokens: Tokens, stretches: list[Stretch]) -> list[Stretch]:
    """``stretches`` without the single words that are the salt of the name right before them.

    The salt of a name that is itself a salt or an everyday word (``vitamin D calci``) is another thing.
    """
    if len(stretches) < 2:
        return stretches
    ends = {s.last for s in stretches if not _is_salt(words, tokens, s) and _has_salts(words, tokens, s)}
    return [s for s in stretches if not (_is_salt(words, tokens, s) and _follows(words, tokens, s.first, ends))]


def _doubted(words: WordTable, arrays: Arrays, tokens: Tokens, stretch: Stretch, begins: set[int]) -> Stretch:
    last = stretch.last
    if last >= len(tokens) or last in begins or not _tied(tokens.gap(last - 1)) or _same(words, tokens, last):
        return stretch
    if tokens.keys[last] in words.connectors and last + 1 < len(tokens):
        return stretch  # it joins what follows, whatever that is
    brand = all(KINDS[arrays.kind[n.alias]] == "brand" for n in stretch.names)
    if not any(
        name in words.more_or_same or (brand and name in words.more_of_brand) for name in _next(tokens, last)
    ) or _apart_from_name(words, tokens, last):  # fmt: skip
        return stretch
    return _asked(stretch, PERHAPS_OTHER)


def _asked(stretch: Stretch, reason: str) -> Stretch:
    names = tuple(n._replace(match="fuzzy", why=reason, score=min(n.score, _DOUBTED)) for n in stretch.names)
    return stretch._replace(names=names, status="fuzzy", reason=reason)


def _other_salt(words: WordTable, arrays: Arrays, tokens: Tokens, stretch: Stretch) -> Stretch:
    """``stretch`` as a question where the word behind it is a salt or ester, and the drug's own name has another one
    there."""
    last = stretch.last
    if last >= len(tokens) or tokens.keys[last] not in words.salts or not _tied(tokens.gap(last - 1)):
        return stretch
    canonical = arrays.written.canonical
    typed, salt = canonical(tokens.keys[stretch.first : last]), canonical([tokens.keys[last]])
    for name in stretch.names:
        own = canonical(fold_key(arrays.names[arrays.drug[name.alias]]).split(" "))
        more = own[len(typed) :]
        if own[: len(typed)] == typed and len(more) == 1 and more != salt:
            return _asked(stretch, OTHER_SALT)
    return stretch


def _next(tokens: Tokens, at: int) -> Iterator[str]:
    """The key of the token at ``at``, and of it and the next one."""
    yield tokens.keys[at]
    if at + 1 < len(tokens) and tokens.gap(at) == " ":
        yield f"{tokens.keys[at]} {tokens.keys[at + 1]}"


def _same(words: WordTable, tokens: Tokens, at: int) -> bool:
    """Whether a strength or the like follows, which makes no other product (``Extra Strength``)."""
    return any(name in words.same_product for name in _next(tokens, at))


def _is_salt(words: WordTable, tokens: Tokens, stretch: Stretch) -> bool:
    return stretch.last == stretch.first + 1 and tokens.keys[stretch.first] in words.salts


def _has_salts(words: WordTable, tokens: Tokens, stretch: Stretch) -> bool:
    """Whether a salt may follow: behind a name, in the catalogue or not, that is no salt and nothing of every day."""
    keys = tokens.keys[stretch.first : stretch.last]
    return stretch.status not in {"suppressed", "class"} and not any(
        k in words.salts or k in words.everyday for k in keys
    )


def _follows(words: WordTable, tokens: Tokens, first: int, ends: set[int]) -> bool:
    """Whether nothing but salts stands between a name and token ``first``."""
    while first > 0 and _tied(tokens.gap(first - 1)):
        if first in ends:
            return True
        first -= 1
        if tokens.keys[first] not in words.salts:
            return False
    return False


def _whole(words: WordTable, tokens: Tokens, stretch: Stretch, begins: set[int]) -> Stretch:
    first, last = stretch.first, stretch.last
    while last < len(tokens) and _tied(tokens.gap(last - 1)) and _more(words, tokens, last):
        if _same(words, tokens, last):
            break
        joins = tokens.gap(last - 1) == " " and tokens.keys[last] in words.connectors and last + 1 in begins
        if joins and tokens.keys[last + 1] not in words.more_after:
            break
        last += 1
    if first > 0 and tokens.keys[first - 1] in words.more_before and _leads(tokens, first):
        first -= 1
    if (first, last) == (stretch.first, stretch.last):
        return stretch
    return Stretch(first, last, (), "unknown", OTHER_PRODUCT)


def _tied(gap: str) -> bool:
    return gap == " " or (gap != "" and HYPHENS.issuperset(gap))


def _leads(tokens: Tokens, first: int) -> bool:
    """Whether the word before token ``first`` is a part of its name: with a hyphen, or both with a capital."""
    gap = tokens.gap(first - 1)
    if gap != " ":
        return _tied(gap)
    return all(tokens.surface(i, i + 1)[:1].isupper() for i in (first - 1, first))


def _more(words: WordTable, tokens: Tokens, i: int) -> bool:
    return tokens.keys[i] in words.more_after or (
        tokens.surface(i, i + 1) in words.more_as_written and not _apart_from_name(words, tokens, i)
    )


def _apart_from_name(words: WordTable, tokens: Tokens, i: int) -> bool:
    """Whether the word at ``i`` is one of two that are set against each other (``AM or PM``), or a label's letter."""
    other = words.opposites.get(tokens.surface(i, i + 1))
    if other is not None and other in (
        tokens.surface(k, k + 1) for k in range(i + 1, min(i + 1 + _SET_AGAINST, len(tokens)))
    ):
        return True
    return len(tokens.keys[i]) == 1 and tokens.gap(i).startswith(":")
