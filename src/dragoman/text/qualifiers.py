"""Words that make another finding of a name (``qualifiers.toml`` of a language): *pulmonary* hypertension."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import msgspec

from dragoman.folder import Language
from dragoman.text.tokens import fold_key

COMMON = "commonwords.txt"


class QualifierTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``qualifiers.toml``; folded.

    ``before``, ``behind``: how learned adjectives end that stand there. ``harmless``: such words that leave a finding
    what it is (its degree, side, course, age, cause), in their dictionary form. ``also``: frequent words that
    qualify nonetheless.
    """

    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


class Qualifiers:
    """The tables of all ``packs`` as one."""

    least = 6  # letters of a learned adjective: shorter ones end alike by chance

    def __init__(self, packs: Iterable[Language]) -> None:
        self._packs = tuple(packs)
        tables = [pack.table("qualifiers.toml", QualifierTable) for pack in self._packs]
        self._before = tuple(dict.fromkeys(fold_key(e) for t in tables for e in t.before))
        self._behind = tuple(dict.fromkeys(fold_key(e) for t in tables for e in t.behind))
        self.harmless = frozenset(fold_key(w) for t in tables for w in t.harmless)
        self._also = frozenset(fold_key(w) for t in tables for w in t.also)

    @cached_property
    def _common(self) -> frozenset[str]:
        """Frequent words; read when a word first looks like a qualifier."""
        return frozenset(word for pack in self._packs for word in pack.lines(COMMON))

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
