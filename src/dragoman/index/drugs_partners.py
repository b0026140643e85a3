"""What stands right beside a drug's name and may be another substance of the same product.

``amoxicillin clavulanate``, ``X/Y``: where the catalogue has neither the product nor the second substance, the second
must not be passed over as an ordinary word, though dictionaries have it. It is unknown, and said to be.
"""

from __future__ import annotations

from dragoman.index.drugs_fuzzy import has_fingerprint
from dragoman.index.drugs_store import HEAD, Arrays, Stretch
from dragoman.index.drugs_words import WordTable
from dragoman.text.tokens import Tokens

PARTNER = "tied to a drug's name, and the catalogue has no such substance"
MEMBER = "of a class of drugs, and the catalogue has others of it"
_LEAST = 6  # letters of a word that is joined to a name by a sign
_LEAST_BESIDE = 8  # letters of one that merely follows
_SIGNS = frozenset("/+")


def with_partners(words: WordTable, arrays: Arrays, tokens: Tokens, stretches: list[Stretch]) -> list[Stretch]:
    """``stretches`` with the words beside their names that may be a substance, as unknown; in the order of the text."""
    taken = {i for s in stretches for i in range(s.first, s.last)}
    found: dict[int, Stretch] = {}
    for stretch in stretches:
        if stretch.status == "class" and (whole := _of_class(words, arrays, tokens, stretch, taken)) is not None:
            found[stretch.first] = whole
            continue
        if stretch.status in {"suppressed", "class"}:
            continue
        for i, joint in ((stretch.last, stretch.last - 1), (stretch.first - 1, stretch.first - 1)):
            if not 0 <= i < len(tokens) or i in taken or i in found:
                continue
            gap = tokens.gap(joint)
            signed = bool(_SIGNS & set(gap)) and (_SIGNS | {" "}).issuperset(gap)
            if (signed or (gap == " " and i >= stretch.last)) and _substance(words, arrays, tokens, i, signed):
                found[i] = Stretch(i, i + 1, (), "unknown", PARTNER)
    if not found:
        return stretches
    kept = [s for s in stretches if s.first not in found]
    return sorted([*kept, *found.values()], key=lambda s: s.first)


def _of_class(words: WordTable, arrays: Arrays, tokens: Tokens, stretch: Stretch, taken: set[int]) -> Stretch | None:
    """The class with the word behind it, where names of the catalogue begin so and no language has that word: another
    member of the class (``insulin glulisine``), which the catalogue lacks."""
    last = stretch.last
    if last >= len(tokens) or last in taken or tokens.gap(last - 1) != " ":
        return None
    begins = arrays.written.joined(tokens.key(stretch.first, last))[:HEAD]
    if (
        len(begins) < HEAD
        or arrays.heads.get(begins) is None
        or not _substance(words, arrays, tokens, last, True, True)
    ):
        return None
    return Stretch(stretch.first, last + 1, (), "unknown", MEMBER)


def _substance(words: WordTable, arrays: Arrays, tokens: Tokens, i: int, signed: bool, strange: bool = False) -> bool:
    """Whether the word at ``i`` may be a substance: no frequent word, and with such an ending; behind a sign also any
    word that no language has (``strange``: only such a one)."""
    token = tokens.tokens[i]
    key = token.key
    if len(key) < (_LEAST if signed else _LEAST_BESIDE) or not key.isalpha() or key != token.marked:
        return False
    plain = (
        words.salts,
        words.makers,
        words.everyday,
        words.units,
        words.not_drugs,
        words.analytes,
        words.connectors,
        words.classes,
    )
    if any(key in table for table in plain) or arrays.words.get(key) is not None or words.around.has(token):
        return False
    if not has_fingerprint(arrays.dictionary, key):
        return signed or key.endswith(words.substances)
    return not strange and key.endswith(words.substances)
