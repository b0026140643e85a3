"""Language reference sets: what a description is to its concept, by the order in which the sets are trusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dragoman.errors import ConfigError
from dragoman.protocols import Report, TermRow
from dragoman.readers.values import Options, data

RowIterator = Iterator[tuple[int, list[str]]]

ACCEPTABLE, LAY, OUTSIDE = -1, -2, -3
"""Standings of a description that no reference set prefers; from 0 on a standing is the rank of the set that does."""

NO_ACCEPTABILITY = "acceptabilityId is neither preferred nor acceptable"


class Refsets:
    """The language reference sets of a source.

    ``language_refsets`` (ids or aliases such as ``nl-BE``) names those that count, most trusted first; descriptions
    outside them are not terms then. Without it all sets of the wanted languages count, those of ``rf2.toml`` first and
    in its order, others by their id, and a description outside all of them is a synonym. ``lay_refsets`` names the
    patient-friendly ones; without it those that ``rf2.toml`` knows.

    Memory: one dictionary entry per description that is a member.
    """

    def __init__(self, options: Options, wanted: tuple[str, ...]) -> None:
        known: list[dict[str, Any]] = data("rf2")["refsets"]
        self._language = {r["id"]: str(r["language"]) for r in known}
        self._aliases = {str(r["alias"]).lower(): str(r["id"]) for r in known}
        self._wanted = wanted
        order = self._ids(options, "language_refsets")
        self.explicit = order is not None
        self._order = [r["id"] for r in known if not r.get("lay")] if order is None else order
        lay = self._ids(options, "lay_refsets")
        self._lay = {r["id"] for r in known if r.get("lay")} if lay is None else set(lay)
        self._lay_explicit = lay is not None
        acceptability = data("rf2")["acceptability"]
        self._preferred, self._acceptable = acceptability["preferred"], acceptability["acceptable"]
        self._seen: list[str] = []  # reference sets that count, as met
        self._index: dict[str, int] = {}  # place in _seen, −1 for those that do not count
        self._members: dict[str, int] = {}  # description → bits: 2i preferred, 2i+1 acceptable in _seen[i]
        self._standings: dict[int, int] = {}
        self._ranks: dict[str, int] = {}

    def _ids(self, options: Options, key: str) -> list[str] | None:
        given = options.texts(key)
        if given is None:
            return None
        found = [self._aliases.get(name.lower(), name) for name in given]
        for name in found:
            if not name.isdecimal():
                raise ConfigError(
                    f"{name!r} is neither an identifier nor a known alias",
                    where=options.where(key),
                    advice=f"aliases are {', '.join(sorted(self._aliases))}",
                )
        return found

    def _admit(self, refset: str) -> int:
        language = self._language.get(refset)
        wanted = language is None or not self._wanted or language in self._wanted
        if refset in self._lay:
            counts = wanted or self._lay_explicit
        else:
            counts = refset in self._order if self.explicit else wanted
        self._index[refset] = len(self._seen) if counts else -1
        if counts:
            self._seen.append(refset)
        return self._index[refset]

    def add(self, source: str, rows: RowIterator, places: tuple[int, ...], report: Report) -> None:
        """Take the members of one file. ``places``: active, refsetId, referencedComponentId, acceptabilityId."""
        active_at, refset_at, member_at, acceptability_at = places
        members, index, shared = self._members, self._index, self._standings
        for line, values in rows:
            refset = values[refset_at]
            place = index.get(refset)
            if place is None:
                place = self._admit(refset)
            if place < 0 or values[active_at] != "1":
                report.skip(
                    "member of a language reference set that does not count" if place < 0 else "inactive member"
                )
                continue
            acceptability = values[acceptability_at]
            if acceptability == self._preferred:
                bits = 1 << 2 * place
            elif acceptability == self._acceptable:
                bits = 2 << 2 * place
            else:
                report.reject(source, line, NO_ACCEPTABILITY)
                continue
            member = values[member_at]
            bits |= members.get(member, 0)
            shared.setdefault(bits, OUTSIDE)
            members[member] = bits

    def settle(self) -> None:
        """Work out the standings, once all members are there."""
        others = sorted(r for r in self._seen if r not in self._order and r not in self._lay)
        self._ranks = {refset: rank for rank, refset in enumerate([*self._order, *others])}
        for bits in self._standings:
            self._standings[bits] = self._settle(bits)

    def _settle(self, bits: int) -> int:
        preferred, acceptable, lay = [], False, False
        for place, refset in enumerate(self._seen):
            mine = bits >> 2 * place & 3
            if mine and refset in self._lay:
                lay = True
            elif mine & 1:
                preferred.append(self._ranks[refset])
            elif mine:
                acceptable = True
        if preferred:
            return min(preferred)
        return LAY if lay else ACCEPTABLE if acceptable else OUTSIDE

    def standing(self, description: str) -> int:
        """The rank of the most trusted set that prefers it, else ``ACCEPTABLE``, ``LAY`` or ``OUTSIDE``."""
        bits = self._members.get(description)
        return OUTSIDE if bits is None else self._standings[bits]

    def naming(self, language: str) -> list[int]:
        """The ranks of the sets that name concepts in this language, best first."""
        return sorted(
            self._ranks[refset]
            for refset in self._seen
            if refset not in self._lay and self._language.get(refset, language) == language
        )

    @property
    def empty(self) -> bool:
        """True where no reference set that counts has a member."""
        return not self._seen


class Naming:
    """Leaves each concept one name a language: that of the most trusted reference set which names it.

    A name by the most trusted set of all is certain at once. One by another set waits until everything is read; those
    that lose are synonyms. Memory: a concept id per certain name, a row per waiting one, and none of either where a
    language has one set alone.
    """

    def __init__(self, refsets: Refsets) -> None:
        self._refsets = refsets
        self._best: dict[str, int | None] = {}  # language → the best rank, None where there is no choice
        self._certain: dict[str, set[str]] = {}
        self._waiting: dict[tuple[str, str], tuple[int, list[TermRow]]] = {}

    def offer(self, rank: int, row: TermRow) -> list[TermRow]:
        """Take a preferred term by the set of this rank; the rows that are certain now."""
        language = row.language
        if language not in self._best:
            ranks = self._refsets.naming(language)
            self._best[language] = ranks[0] if len(ranks) > 1 else None
            self._certain[language] = set()
        best, key = self._best[language], (row.concept_id, language)
        if best is None:
            return [row]
        if rank == best:
            self._certain[language].add(row.concept_id)
            return [row, *_synonyms(self._waiting.pop(key, (0, []))[1])]
        if row.concept_id in self._certain[language]:
            return _synonyms([row])
        waiting = self._waiting.get(key)
        if waiting is None or rank < waiting[0]:
            self._waiting[key] = (rank, [row])
            return _synonyms(waiting[1]) if waiting else []
        if rank > waiting[0]:
            return _synonyms([row])
        waiting[1].append(row)
        return []

    def rest(self) -> Iterator[TermRow]:
        """The names that have waited to the end."""
        for _, rows in self._waiting.values():
            yield from rows


def _synonyms(rows: list[TermRow]) -> list[TermRow]:
    return [TermRow(row.concept_id, row.term, row.language) for row in rows]
