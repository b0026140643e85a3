"""Which names of the catalogue a word that is no name may be meant for: near, safe, and few.

No single score tells a misspelling from another drug (measured: see docs/resolver-quality.md), so nearness is a list of
conditions. The two words, in canonical form, have the same first letter, lengths and consonants that differ by one at
most, and a distance (optimal string alignment: a letter more, less, other, or two swapped) of one, or of two in long
words whose consonants agree. So no name is reached by an ending or a part added to another one.

Names known elsewhere are in the same table: a word that is nearer to one of those is not offered as a drug.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rapidfuzz.distance import OSA
from xxhash import xxh3_64_intdigest

from dragoman.index.arrays import Part, Writer

LEAST = 5  # letters of a word, and of a name, that may be near to another
LONG = 7  # letters from which a distance of two is near
MOST = 5  # names offered for one word
_VOWELS = str.maketrans("", "", "aeiou")
CATALOGUE, ELSEWHERE = 1, 2


class Near(NamedTuple):
    """A word of some name, in canonical form, ``distance`` away from the word asked for."""

    word: str
    distance: int
    flags: int


def skeleton(word: str) -> str:
    """The first letter and the consonants of a canonical word."""
    return word[:1] + word[1:].translate(_VOWELS)


def skeleton_keys(word: str) -> Iterator[str]:
    """The skeleton, and what is left of it without one of its letters (but the first)."""
    bones = skeleton(word)
    yield bones
    last = ""
    for i in range(1, len(bones)):
        if bones[i] != last:
            yield bones[:i] + bones[i + 1 :]
        last = bones[i]


def write_near(writer: Writer, words: dict[str, int]) -> None:
    """Write the table of ``words`` (canonical form → flags) that ``NearIndex`` reads."""
    kept = {w: f for w, f in words.items() if len(w) >= LEAST and w.isalpha()}
    writer.strings("drugs.near.word", kept)
    writer.ints("drugs.near.flags", kept.values(), "B")
    rows: dict[str, list[int]] = {}
    for number, word in enumerate(kept):
        for key in set(skeleton_keys(word)):
            rows.setdefault(f"{key}{len(word)}", []).append(number)
    writer.table("drugs.near", rows)


class NearIndex:
    """Words of names by their consonants."""

    def __init__(self, part: Part) -> None:
        self._words = part.strings("drugs.near.word")
        self._flags = part.ints("drugs.near.flags", "B")
        self._rows = part.table("drugs.near")

    def find(self, word: str) -> list[Near]:
        """The words near to ``word`` (canonical), nearest first; none for short words."""
        size = len(word)
        if size < LEAST:
            return []
        numbers: set[int] = set()
        get = self._rows.get
        for key in set(skeleton_keys(word)):
            for length in (size - 1, size, size + 1):
                row = get(f"{key}{length}")
                if row is not None:
                    numbers.update(row)
        found: list[Near] = []
        words = self._words
        for number in numbers:
            other = words[number]
            distance = OSA.distance(word, other, score_cutoff=2)
            if distance <= allowed(word, other):
                found.append(Near(other, distance, self._flags[number]))
        found.sort(key=lambda n: (n.distance, skeleton(n.word) != skeleton(word), n.word))
        return found


def allowed(word: str, other: str) -> int:
    """The distance at which ``other`` is near to ``word``; −1 where it never is."""
    if abs(len(word) - len(other)) > 1 or word[:1] != other[:1]:
        return -1
    if min(len(word), len(other)) < LONG:
        return 1
    mine, yours = skeleton(word), skeleton(other)
    if mine == yours or (len(mine) == len(yours) and sorted(mine) == sorted(yours) and OSA.distance(mine, yours) == 1):
        return 2
    return 1


def safest(found: Iterable[Near]) -> list[Near]:
    """What may be offered: words of the catalogue's names, none where a name known elsewhere is nearer."""
    found = list(found)
    best = min((n.distance for n in found if n.flags & CATALOGUE), default=None)
    if best is None or any(n.distance < best for n in found if n.flags & ELSEWHERE and not n.flags & CATALOGUE):
        return []
    return [n for n in found if n.flags & CATALOGUE]


def fingerprints(words: Iterable[str]) -> array[int]:
    """A set of words as an open-addressed table of 32-bit fingerprints (wrong once in some hundred million)."""
    listed = list(words)
    mask = (1 << max(3, (len(listed) * 2).bit_length())) - 1
    table = array("I", bytes(4 * (mask + 1)))
    for word in listed:
        digest = xxh3_64_intdigest(word.encode())
        mark, at = (digest >> 32) or 1, digest & mask
        while table[at] and table[at] != mark:
            at = (at + 1) & mask
        table[at] = mark
    return table


def has_fingerprint(table: memoryview, word: str) -> bool:
    """Whether ``word`` is in a table that ``fingerprints`` made."""
    mask = len(table) - 1
    digest = xxh3_64_intdigest(word.encode())
    mark, at = (digest >> 32) or 1, digest & mask
    while found := table[at]:
        if found == mark:
            return True
        at = (at + 1) & mask
    return False
