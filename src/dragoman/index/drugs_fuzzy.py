"""Which names of the catalogue a word that is no name may be meant for: near, safe, and few.

No single score tells a misspelling from another drug (measured: see docs/resolver-quality.md), so nearness is a list of
conditions. The two words, in canonical form, have the same first letter, lengths and consonants that differ by one at
most, and a distance (optimal string alignment: a letter more, less, other, or two swapped) of one, or of two in long
words whose consonants agree. So no name is reached by an ending or a part added to another one.

Names known elsewhere are in the same table: a word that is nearer to one of those is not offered as a drug.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rapidfuzz.distance import OSA
from xxhash import xxh3_64_intdigest

from dragoman.index.arrays import Part, Writer
from dragoman.index.drugs_store import write_gate
from dragoman.text.spelling import Speller
from dragoman.text.tokens import LONGEST_WORD

LEAST = 5  # letters of a word, and of a name, that may be near to another
MIDDLE = 6  # letters from which a consonant may be missing or too many, or two swapped
LONG = 7  # letters from which a distance of two is near, where the consonants agree
LONGER = 8  # letters from which a consonant may be another one
BEGINNING = 4  # letters that a name written in two words has right
MOST = 5  # names offered for one word
_VOWELS = str.maketrans("", "", "aeiou")
# a soft c that Romance languages write for the k of other names (cetoprofen, cetamina); not the other way round
SOUNDS = {"ç": "c"}
# flags of a word: in a name of the catalogue, in one known elsewhere, plain, canonical, one of several words
CATALOGUE, ELSEWHERE, WRITTEN, CANONICAL, PART = 1, 2, 4, 8, 16


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
    (the letter that one of them has more, that differs, or the first of two swapped ones). Of a word that is longer
    than any, the word alone."""
    if len(word) > LONGEST_WORD:
        return [word]
    return [word, *[word[:i] + word[i + 1 :] for i in range(1, len(word))]]


def signature(word: str) -> str:
    """What words with the same consonants, in whatever order, have in common."""
    return "".join((word[:1], *sorted(word[1:].translate(_VOWELS))))


def plain_forms(spellers: Iterable[Speller], typed: Sequence[str]) -> list[str]:
    """The plain forms of a word, typed in one piece or several. The first letter stays as it was typed: a name that
    begins with another one is another name, though rules could make the two the same."""
    forms = ("".join(speller.canonical(typed)) for speller in spellers)
    return list(dict.fromkeys(typed[0][:1] + form[1:] for form in forms))


def write_near(writer: Writer, words: dict[tuple[str, str], int]) -> None:
    """Write the table that ``NearIndex`` reads: ``(word, canonical form)`` → flags.

    A word stands there in its canonical form and in its plain ones (``Speller.plain``; flag ``WRITTEN``): a slip of the
    pen may be one letter before the spelling rules and two or three behind them (methtrexate, docteaxel).
    """
    kept = {pair: flags for pair, flags in words.items() if len(pair[0]) >= LEAST and pair[0].isalpha()}
    writer.strings("drugs.near.word", (word for word, _ in kept))
    writer.strings("drugs.near.key", (key if key != word else "" for word, key in kept))
    flags = (flag | CANONICAL if word == key else flag for (word, key), flag in kept.items())
    writer.ints("drugs.near.flags", flags, "B")
    digests, numbers = array("Q"), array("I")
    for number, (word, key) in enumerate(kept):
        parts = {*deletions(word)}
        if word == key:
            parts.add(f"{signature(word)}{len(word)}")
        for part in parts:
            digests.append(xxh3_64_intdigest(part.encode()))
            numbers.append(number)
    _write_pairs(writer, "drugs.near", digests, numbers)
    write_gate(writer, "drugs.near.begin", {word[:BEGINNING] for word, _ in kept})


def _write_pairs(writer: Writer, name: str, digests: array[int], numbers: array[int]) -> None:
    """Write numbers by digest as a hash table with a gate of flags; ten million pairs need little more than their
    bytes while they are written."""
    import numpy as np  # only a build needs it

    keys, values = np.frombuffer(digests, np.uint64), np.frombuffer(numbers, np.uint32)
    order = np.lexsort((values, keys))
    found, starts = np.unique(keys[order], return_index=True)
    flags = np.zeros(1 << max(12, (len(found) * 12).bit_length()), np.uint8)
    flags[found & np.uint64(len(flags) - 1)] = 1
    writer.ints(f"{name}.gate", array("B", flags.tobytes()), "B")
    writer.ints(f"{name}.row.at", array("I", np.append(starts, len(keys)).astype(np.uint32).tobytes()))
    writer.ints(f"{name}.row", array("I", values[order].tobytes()))
    mask = (1 << max(3, (len(found) * 2).bit_length())) - 1
    slots, places = array("Q", bytes(8 * (mask + 1))), array("I", bytes(4 * (mask + 1)))
    for row, digest in enumerate(found.tolist()):
        at = digest & mask
        while slots[at]:
            at = (at + 1) & mask
        slots[at], places[at] = digest or 1, row
    writer.ints(f"{name}.digest", slots, "Q")
    writer.ints(f"{name}.place", places)


class NearIndex:
    """Words of names by what is left of them without one letter, and by their consonants."""

    def __init__(self, part: Part) -> None:
        self._words = part.strings("drugs.near.word")
        self._keys = part.strings("drugs.near.key")
        self._flags = part.ints("drugs.near.flags", "B")
        self._slots = part.ints("drugs.near.digest", "Q")
        self._places = part.ints("drugs.near.place")
        self._rows = part.runs("drugs.near.row")
        self._gate = part.ints("drugs.near.gate", "B")
        self._begin = part.ints("drugs.near.begin", "B")

    def begins(self, word: str) -> bool:
        """Whether some name begins as ``word`` does (or, rarely, seems to)."""
        return bool(self._begin[xxh3_64_intdigest(word[:BEGINNING].encode()) & (len(self._begin) - 1)])

    def find(self, canonical: str, *plain: str) -> list[Near]:
        """The words near to one in its canonical form, else in one of its plain ones, nearest first; none for short
        words.

        In a plain form one letter is the most: two of those are two slips.
        """
        numbers = self._numbers(canonical, True)
        found = self._nearest(canonical, numbers, CANONICAL, 2)
        for form in plain:
            if any(n.distance <= 1 for n in found):
                break
            keys = {n.key for n in found}
            near = self._nearest(form, numbers if form == canonical else self._numbers(form, False), WRITTEN, 1)
            found += [n for n in near if n.key not in keys]
        if not found and canonical[:1] in SOUNDS:
            found = self._sounding(SOUNDS[canonical[0]] + canonical[1:])
        if len(found) > 1:
            bones = skeleton(canonical)
            found.sort(key=lambda n: (n.distance, skeleton(n.key) != bones, n.key))
        return found

    def _sounding(self, word: str) -> list[Near]:
        """The name that is ``word`` in its canonical form, which was typed with another letter of that sound."""
        same = (n for n in self._numbers(word, False) if self._words[n] == word and self._flags[n] & CANONICAL)
        return [Near(self._keys[n] or word, 1, self._flags[n]) for n in same]

    def _numbers(self, word: str, bones: bool) -> set[int]:
        """Numbers of words that share with ``word`` what is left without a letter, or (``bones``) the consonants."""
        size = len(word)
        if size < LEAST:
            return set()
        parts = deletions(word)
        if bones and size >= LONG - 1:  # two letters away, with the same consonants
            same = signature(word)
            parts += [f"{same}{size - 1}", f"{same}{size}", f"{same}{size + 1}"]
        gate, mask, digest = self._gate, len(self._gate) - 1, xxh3_64_intdigest
        slots, last = self._slots, len(self._slots) - 1
        numbers: set[int] = set()
        for part in parts:
            key = digest(part.encode())
            if gate[key & mask]:
                at = key & last
                while (held := slots[at]) and held != key:
                    at = (at + 1) & last
                if held:
                    numbers.update(self._rows[self._places[at]])
        return numbers

    def _nearest(self, word: str, numbers: set[int], wanted: int, most: int) -> list[Near]:
        """Those of ``numbers`` that have the flag ``wanted`` and are near to ``word``, ``most`` letters at the most."""
        found: dict[str, Near] = {}
        words, flags = self._words, self._flags
        for number in numbers:
            if flags[number] & wanted:
                other = words[number]
                distance = OSA.distance(word, other, score_cutoff=most)
                if distance <= most and distance <= allowed(word, other):
                    name = self._keys[number] or other
                    distance = distance if wanted == CANONICAL else 1  # equal but for a rule is no spelling of it
                    if name not in found or distance < found[name].distance:
                        found[name] = Near(name, distance, flags[number])
        return list(found.values())


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
