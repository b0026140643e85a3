"""Words that make another finding of a name (``qualifiers.toml`` of a language): *pulmonary* hypertension, high blood
pressure *in the lungs*, *stomach* flu."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.text.phrases import Phrasebook
from dragoman.text.tokens import Tokens, fold_key, tokenize

COMMON = "commonwords.txt"


class OtherTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Names of which a phrase beside them makes another finding, a place mostly.

    ``names`` are words of such a name. ``before`` and ``behind`` are patterns (see ``text.phrases``) that stand there,
    ``harmless`` longer ones that begin or end alike and leave it what it is; ``parts`` are first parts of compounds.
    """

    names: tuple[str, ...]
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


class QualifierTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``qualifiers.toml``; folded.

    ``before``, ``behind``: how learned adjectives end that stand there. ``harmless``: such words that leave a finding
    what it is (its degree, side, course, age, cause), in their dictionary form. ``also``: frequent words that
    qualify nonetheless. ``not``: what makes another thing of any name behind it. ``other``: phrases that make another
    finding of certain names.
    """

    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    other: tuple[OtherTable, ...] = ()
    not_: tuple[str, ...] = msgspec.field(default=(), name="not")


class _Other(NamedTuple):
    """One name, as keys, and its phrases; a phrase's value says on which side it stands, None where it is harmless."""

    name: tuple[str, ...]
    phrases: Phrasebook[str | None]


class Qualifiers:
    """The tables of all ``packs`` as one."""

    least = 6  # letters of a learned adjective: shorter ones end alike by chance

    def __init__(self, packs: Iterable[Language]) -> None:
        self._packs = tuple(packs)
        tables = [pack.table("qualifiers.toml", QualifierTable) for pack in self._packs]
        self._before = tuple(dict.fromkeys(fold_key(e) for t in tables for e in t.before))
        self._behind = tuple(dict.fromkeys(fold_key(e) for t in tables for e in t.behind))
        self.harmless = frozenset(fold_key(w) for t in tables for w in t.harmless)
        self.opposites = frozenset(fold_key(w) for t in tables for w in t.not_)
        self._also = frozenset(fold_key(w) for t in tables for w in t.also)
        self._tables = [(pack, other) for pack, table in zip(self._packs, tables, strict=True) for other in table.other]
        self.begin_other = frozenset(tokenize(n).keys[0] for _, other in self._tables for n in other.names)
        self._parts = frozenset((fold_key(p), fold_key(n)) for _, o in self._tables for n in o.names for p in o.parts)

    @cached_property
    def _common(self) -> frozenset[str]:
        """Frequent words; read when a word first looks like a qualifier."""
        return frozenset(word for pack in self._packs for word in pack.lines(COMMON))

    @cached_property
    def _others(self) -> dict[str, list[_Other]]:
        """The names that phrases make others of, by their first word; read when a text first has one."""
        found: dict[str, list[_Other]] = {}
        for pack, table in self._tables:
            entries: list[tuple[str, str | None]] = [(p, "before") for p in table.before]
            entries += [(p, "behind") for p in table.behind]
            entries += [(p, None) for p in table.harmless]
            where = str(pack.path / "qualifiers.toml")
            phrases = Phrasebook(entries, marks_matter=pack.marks_matter, where=where)
            for name in table.names:
                keys = tuple(tokenize(name).keys)
                found.setdefault(keys[0], []).append(_Other(keys, phrases))
        return found

    def phrases(self, tokens: Tokens, first: int, last: int) -> list[tuple[int, int]]:
        """The stretches of tokens beside ``first`` up to ``last`` that make another finding of the name there."""
        keys = tokens.keys[first:last]
        found: list[tuple[int, int]] = []
        for at, key in enumerate(keys):
            for other in self._others.get(key, ()) if key in self.begin_other else ():
                if tuple(keys[at : at + len(other.name)]) == other.name:
                    found += _beside(tokens, first, last, other.phrases)
        return found

    def is_other(self, part: str, name: str) -> bool:
        """Whether ``part`` before the name ``name``, in one word, makes another finding of it."""
        return (part, name) in self._parts

    def learned(self, key: str) -> bool:
        """Whether ``key`` is written like a learned adjective."""
        return self._shaped(key, self._before) or self._shaped(key, self._behind)

    def qualifies(self, key: str, *, before: bool) -> bool:
        """Whether ``key``, ``before`` a name or behind it, may make another finding of that; the caller looks whether
        it is an inflected form of a harmless word."""
        shaped = self._shaped(key, self._before if before else self._behind)
        return shaped and key not in self.harmless and (key in self._also or key not in self._common)

    def _shaped(self, key: str, endings: tuple[str, ...]) -> bool:
        return bool(endings) and len(key) >= self.least and key.endswith(endings) and key.isalpha()


def _beside(tokens: Tokens, first: int, last: int, phrases: Phrasebook[str | None]) -> Sequence[tuple[int, int]]:
    """The longest phrase on each side of ``first`` up to ``last``, nothing but a blank between, unless harmless."""
    hits = phrases.find(tokens)
    behind = [h for h in hits if h.first == last and h.value != "before" and tokens.gap(last - 1) == " "]
    before = [h for h in hits if h.last == first and h.value != "behind" and tokens.gap(first - 1) == " "]
    longest = [max(side, key=lambda h: (h.last - h.first, h.value is None)) for side in (before, behind) if side]
    return [(h.first, h.last) for h in longest if h.value is not None]
