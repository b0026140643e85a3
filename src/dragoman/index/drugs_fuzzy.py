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
from dragoman.index.drugs_store import write_gate

LEAST = 5  # letters of a word, and of a name, that may be near to another
MIDDLE = 6  # letters from which a consonant may be missing or too many, or two swapped
LONG = 7  # letters from which a distance of two is near, where the consonants agree
LONGER = 8  # letters from which a consonant may be another one
BEGINNING = 4  # letters that a name written in two words has right
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


def deletions(word: str) -> list[str]:
    """The word, and what is left of it without one of its letters: words one letter apart have one of these in common
    (the letter that one of them has more, that differs, or the first of two swapped ones)."""
    return [word, *[word[:i] + word[i + 1 :] for i in range(1, len(word))]]


def signature(word: str) -> str:
    """What words with the same consonants, in whatever order, have in common."""
    return "".join((word[:1], *sorted(word[1:].translate(_VOWELS))))


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
    for number, (word, key) in enumerate(kept):
        for part in dict.fromkeys(deletions(word)):
            rows.setdefault(part, []).append(number)
        if word == key:
            rows.setdefault(f"{signature(word)}{len(word)}", []).append(number)
    writer.table("drugs.near", rows)
    write_gate(writer, "drugs.near.gate", rows)
    write_gate(writer, "drugs.near.begin", {word[:BEGINNING] for word, _ in kept})


class NearIndex:
    """Words of names by what is left of them without one letter, and by their consonants."""

    def __init__(self, part: Part) -> None:
        self._words = part.strings("drugs.near.word")
        self._keys = part.strings("drugs.near.key")
        self._flags = part.ints("drugs.near.flags", "B")
        self._rows = part.table("drugs.near")
        self._gate = part.ints("drugs.near.gate", "B")
        self._begin = part.ints("drugs.near.begin", "B")

    def begins(self, word: str) -> bool:
        """Whether some name begins as ``word`` does (or, rarely, seems to)."""
        return bool(self._begin[xxh3_64_intdigest(word[:BEGINNING].encode()) & (len(self._begin) - 1)])

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
        parts = deletions(word)
        if not as_written and size >= LONG - 1:  # two letters away, with the same consonants
            bones = signature(word)
            parts += [f"{bones}{size - 1}", f"{bones}{size}", f"{bones}{size + 1}"]
        gate, mask, digest = self._gate, len(self._gate) - 1, xxh3_64_intdigest
        numbers: set[int] = set()
        for part in parts:
            if gate[digest(part.encode()) & mask]:
                row = self._rows.get(part)
                if row is not None:
                    numbers.update(row)
        if not numbers:
            return
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
