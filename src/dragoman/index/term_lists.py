"""The lists of words that language packs bring, whole at the first build and as fingerprints afterwards.

Unpacking a list takes longer than building everything that a taxonomy needs: a build over compiled terminologies asks
the fingerprints that the index has anyway.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Sequence
from functools import lru_cache

from xxhash import xxh3_64_intdigest

from dragoman.folder import Language
from dragoman.index.arrays import Part, Writer
from dragoman.index.term_values import LISTED, has
from dragoman.text.words import words

COMMON = "commonwords.txt"  # frequent words of a pack
OTHERS = "otherwords.txt"  # further words of a pack, names among them


class Lists:
    """``of``: the words of each language, function words at least. ``long``: those whose packs bring a list.
    ``everyday``: all of them."""

    def __init__(self, of: dict[str, Container[str]], long: frozenset[str], everyday: Container[str]) -> None:
        self.of = of
        self.everyday = everyday
        self.long = {code: of[code] for code in of if code in long}

    @classmethod
    def of_packs(cls, packs: Sequence[Language]) -> Lists:
        """The lists as the packs have them."""
        own = {pack.code: words([pack]) for pack in packs}
        return cls(dict(own), frozenset(c for c, w in own.items() if len(w) > LISTED), words(packs))

    @classmethod
    def of_index(cls, part: Part, packs: Sequence[Language]) -> Lists:
        """The lists as ``write`` left them."""
        tables = {pack.code: part.ints(f"terms.everyday.{pack.code}") for pack in packs}
        own = {code: Fingerprints([table]) for code, table in tables.items()}
        long = frozenset(code for code, table in tables.items() if len(table) > LISTED)
        return cls(dict(own), long, Fingerprints(tables.values()))

    @staticmethod
    def write(writer: Writer, packs: Sequence[Language]) -> None:
        """Write what ``of_index`` and a look-up ask."""
        seldom = frozenset(word for pack in packs for file in (COMMON, OTHERS) for word in pack.lines(file))
        writer.ints("terms.seldom", fingerprints(seldom))
        for pack in packs:
            writer.ints(f"terms.everyday.{pack.code}", fingerprints(frozenset(words([pack]))))


def known_words(part: Part, packs: Sequence[Language]) -> Container[str]:
    """Every word that ``write`` left of the packs' words, the seldom ones included."""
    return Fingerprints([*(part.ints(f"terms.everyday.{pack.code}") for pack in packs), part.ints("terms.seldom")])


class Fingerprints(Container[str]):
    """The words whose fingerprints stand in any of ``tables``."""

    def __init__(self, tables: Iterable[memoryview]) -> None:
        self.tables = tuple(tables)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and any(has(table, word) for table in self.tables)


@lru_cache(maxsize=16)
def fingerprints(everyday: frozenset[str]) -> array[int]:
    """A set of words as an open-addressed table of 32-bit fingerprints (wrong once in about two million)."""
    bits = max(3, (len(everyday) * 2 - 1).bit_length() if everyday else 3)
    mask = (1 << bits) - 1
    table = array("I", bytes(4 << bits))
    for word in sorted(everyday):
        digest = xxh3_64_intdigest(word.encode())
        mark = (digest >> 32) or 1
        at = digest & mask
        while table[at] and table[at] != mark:
            at = (at + 1) & mask
        table[at] = mark
    return table
