"""The drug part's arrays by name, and the values that its parts hand each other."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import msgspec
from xxhash import xxh3_64_intdigest

from dragoman.index.arrays import Part, Writer
from dragoman.text.fold import TONES
from dragoman.text.spelling import Rule, Speller
from dragoman.types import Match, MentionStatus

NO_DRUG = 0xFFFFFFFF
HEAD = 5  # letters of a canonical key that a look-up is gated by
LONGEST = 63  # lengths of keys from here on share one bit

# flags of an alias
ABBREVIATION, GUARDED, KNOWN, MARKS, PUNCTUATED, MARKED = 1, 2, 4, 8, 16, 32
KINDS = ("generic", "brand", "abbreviation", "spelling")


class Named(NamedTuple):
    """One reading of a stretch: the alias it is, how, and by which rules."""

    alias: int
    match: Match
    why: str | None = None
    score: float = 1.0


class Stretch(NamedTuple):
    """Tokens ``first`` up to, not including, ``last``, taken for a name.

    ``names`` is empty where they are no drug of the catalogue; ``status`` says what they are then.
    """

    first: int
    last: int
    names: tuple[Named, ...]
    status: MentionStatus
    reason: str | None = None


def beginning(word: str) -> str:
    """``word`` up to its first digit: all of it as a rule, the name where a number runs on (``hapacol250``)."""
    if word.isalpha():
        return word
    for i, char in enumerate(word):
        if char.isdigit():
            return word[:i]
    return word


class Arrays:
    """Every array of the drug part, mapped. What is small is read; what grows with the catalogue is not."""

    def __init__(self, part: Part) -> None:
        self.exact = part.table("drugs.exact")
        self.keys = part.table("drugs.key")
        self.heads = part.table("drugs.head")
        self.gate = part.ints("drugs.gate", "B")
        self.short = frozenset(part.strings("drugs.short"))
        self.sounds = part.table("drugs.sound")
        self.sound_heads = part.table("drugs.sound.head")
        self.sound_gate = part.ints("drugs.sound.gate", "B")
        self.entry_key = part.strings("drugs.entry.key")
        self.entry_alias = part.ints("drugs.entry.alias")
        self.entry_rule = part.ints("drugs.entry.rule", "B")
        self.rules = tuple(part.strings("drugs.rule"))
        self.text = part.strings("drugs.alias.text")
        self.marked = part.strings("drugs.alias.marked")
        self.drug = part.ints("drugs.alias.drug")
        self.flags = part.ints("drugs.alias.flags", "B")
        self.kind = part.ints("drugs.alias.kind", "B")
        self.ids = part.strings("drugs.id")
        self.names = part.strings("drugs.name")
        self.number = part.table("drugs.number")
        self.aliases = part.runs("drugs.aliases")
        self.confusable = part.runs("drugs.confusable")
        self.confusable_name = part.strings("drugs.confusable.name")
        self.words = part.table("drugs.word")
        self.dictionary = part.ints("drugs.dictionary")
        written, spoken, codas, tones = part.strings("drugs.spelling")
        self.written = unpack_rules(written)
        self.plain = self.written.plain(endings=False), self.written.plain(endings=True)
        self.spoken = unpack_rules(spoken)
        # the same without what happens at a word's end: a syllable's end is none
        inner = [r for r in self.spoken.rules if not any("$" in old for old, _ in r.replace)]
        if codas:
            last = tuple((f"{coda}$", "$") for coda in codas)
            inner.append(Rule(name="codas", replace=last, examples=(), spoken=True))
        self.syllables = Speller(inner, least=1)
        self.tones = frozenset(TONES) - frozenset(tones)  # tones that no syllable of a spoken name bears


def write_gate(writer: Writer, name: str, keys: Collection[str]) -> None:
    """Write flags by digest: most words are turned away by one look at them, without a look into the table itself."""
    flags = bytearray(1 << max(12, (len(keys) * 12).bit_length()))
    mask = len(flags) - 1
    for key in keys:
        flags[xxh3_64_intdigest(key.encode()) & mask] = 1
    writer.ints(name, flags, "B")


def write_rules(writer: Writer, written: Speller, spoken: Speller, codas: str, tones: str) -> None:
    """Keep the rules with what they made, so that a text is read by the rules that the names were written by."""
    writer.strings(
        "drugs.spelling",
        [*(msgspec.json.encode((s.rules, s.words, s.least)).decode() for s in (written, spoken)), codas, tones],
    )


def unpack_rules(text: str) -> Speller:
    """A speller as ``write_rules`` kept it."""
    rules, words, least = msgspec.json.decode(text, type=tuple[tuple[Rule, ...], dict[str, str], int])
    return Speller(rules, words, least)
