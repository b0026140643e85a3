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
MIDDLE = 6  # letters from which a consonant may be missing or too many, or two swapped
LONG = 7  # letters from which a distance of two is near, where the consonants agree
LONGER = 8  # letters from which a consonant may be another one
MOST = 5  # names offered for one word
_VOWELS = str.maketrans("", "", "aeiou")
CATALOGUE, ELSEWHERE, WRITTEN = 1, 2, 4


class Near(NamedTuple):
    """A word of some name, ``distance`` away from the word asked for; ``key`` is its canonical form."""

    key: str
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


def write_near(writer: Writer, words: dict[tuple[str, str], int]) -> None:
    """Write the table that ``NearIndex`` reads: ``(word, canonical form)`` → flags.

    A word stands there in its canonical form and, where that is another, as it is written: a slip of the pen may be
    one letter before the spelling rules and three behind them (methtrexate).
    """
    kept = {pair: flags for pair, flags in words.items() if len(pair[0]) >= LEAST and pair[0].isalpha()}
    writer.strings("drugs.near.word", (word for word, _ in kept))
    writer.strings("drugs.near.key", (key if key != word else "" for word, key in kept))
    writer.ints("drugs.near.flags", kept.values(), "B")
    rows: dict[str, list[int]] = {}
    for number, (word, _) in enumerate(kept):
        for bones in set(skeleton_keys(word)):
            rows.setdefault(f"{bones}{len(word)}", []).append(number)
    writer.table("drugs.near", rows)


class NearIndex:
    """Words of names by their consonants."""

    def __init__(self, part: Part) -> None:
        self._words = part.strings("drugs.near.word")
        self._keys = part.strings("drugs.near.key")
        self._flags = part.ints("drugs.near.flags", "B")
        self._rows = part.table("drugs.near")

    def find(self, canonical: str, written: str) -> list[Near]:
        """The words near to one in its canonical form or as it is written, nearest first; none for short words."""
        found: dict[str, Near] = {}
        for word, as_written in ((canonical, False), (written, True)):
            if as_written and written == canonical:
                break
            for near in self._find(word, as_written):
                held = found.get(near.key)
                if held is None or near.distance < held.distance:
                    found[near.key] = near
        bones = skeleton(canonical)
        return sorted(found.values(), key=lambda n: (n.distance, skeleton(n.key) != bones, n.key))

    def _find(self, word: str, as_written: bool) -> Iterator[Near]:
        """Canonical words near to a canonical one, or written words one letter from a written one."""
        size = len(word)
        if size < LEAST:
            return
        numbers: set[int] = set()
        get = self._rows.get
        for bones in set(skeleton_keys(word)):
            for length in (size - 1, size, size + 1):
                row = get(f"{bones}{length}")
                if row is not None:
                    numbers.update(row)
        words, keys = self._words, self._keys
        for number in numbers:
            key, flags = keys[number], self._flags[number]
            if (as_written and not flags & WRITTEN) or (key and not as_written):
                continue
            other = words[number]
            distance = OSA.distance(word, other, score_cutoff=2)
            if distance <= min(allowed(word, other), 1 if as_written else 2):
                yield Near(key or other, distance, flags)


def allowed(word: str, other: str) -> int:
    """The distance at which ``other`` is near to ``word``; −1 where it never is."""
    if abs(len(word) - len(other)) > 1 or word[:1] != other[:1]:
        return -1
    shortest = min(len(word), len(other))
    mine, yours = skeleton(word), skeleton(other)
    if mine == yours:
        return 2 if shortest >= LONG else 1
    if shortest < MIDDLE:
        return -1
    if len(mine) == len(yours) and sorted(mine) != sorted(yours):  # another consonant: only in a long word
        return 1 if shortest >= LONGER else -1
    swapped = len(mine) == len(yours) and OSA.distance(mine, yours) == 1
    return 2 if swapped and shortest >= LONG else 1


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
