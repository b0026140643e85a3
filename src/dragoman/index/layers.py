"""Two parts of an index read as one: what organisations share, and over it what is an organisation's own.

The upper part goes on numbering where the lower one ends (of words, terms, owners), so that a number says which of the
two holds it. A key of a table may stand in both: its run is then the lower one's, and the upper one's behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from xxhash import xxh3_64_intdigest

from dragoman.index.arrays import Code, Part, Table

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Numbered(Protocol[T_co]):
    """What both an array of a part and one of two parts offer."""

    def __len__(self) -> int: ...

    def __getitem__(self, i: int, /) -> T_co: ...


class Joined(Sequence[T]):
    """The items of one list, then those of another."""

    __slots__ = ("_first", "_more", "_size")

    def __init__(self, first: Numbered[T], more: Numbered[T]) -> None:
        self._first = first
        self._more = more
        self._size = len(first)

    def __len__(self) -> int:
        return self._size + len(self._more)

    def __getitem__(self, i: int) -> T:  # type: ignore[override]  # slices are of no use here
        return self._first[i] if i < self._size else self._more[i - self._size]


class Tables:
    """Two hash tables as one; the rows of the second follow those of the first."""

    __slots__ = ("_digests", "_first", "_mask", "_more", "_more_digests", "_more_mask", "_size")

    def __init__(self, first: Table, more: Table) -> None:
        self._first = first
        self._more = more
        self._size = len(first)
        self._digests, self._mask = first.digests, first.mask
        self._more_digests, self._more_mask = more.digests, more.mask

    def __len__(self) -> int:
        return self._size + len(self._more)

    def row(self, key: str) -> int:
        """The row number of ``key``, or −1."""
        digest = xxh3_64_intdigest(key.encode("utf-8", "surrogatepass")) or 1
        digests, mask = self._digests, self._mask
        at = digest & mask
        while found := digests[at]:
            if found == digest:
                return self._first.places[at]
            at = (at + 1) & mask
        digests, mask = self._more_digests, self._more_mask
        at = digest & mask
        while found := digests[at]:
            if found == digest:
                return self._size + self._more.places[at]
            at = (at + 1) & mask
        return -1

    def get(self, key: str) -> Sequence[int] | None:
        """The run of ``key`` in either, or in both, or ``None``."""
        digest = xxh3_64_intdigest(key.encode("utf-8", "surrogatepass")) or 1
        digests, mask = self._more_digests, self._more_mask
        at = digest & mask
        more: memoryview | None = None
        while found := digests[at]:
            if found == digest:
                more = self._more.rows[self._more.places[at]]
                break
            at = (at + 1) & mask
        digests, mask = self._digests, self._mask
        at = digest & mask
        while found := digests[at]:
            if found == digest:
                run = self._first.rows[self._first.places[at]]
                return run if more is None else [*run, *more]
            at = (at + 1) & mask
        return more

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.row(key) >= 0


class Over:
    """``own`` over ``shared``: arrays, strings, runs and tables that both were written with, as one.

    Where one of the two has nothing, the other's are given as they are.
    """

    def __init__(self, shared: Part, own: Part) -> None:
        self.shared = shared
        self.own = own

    def ints(self, name: str, code: Code = "I") -> Numbered[int]:
        """The integers written under ``name`` with the same ``code``."""
        return _one(self.shared.ints(name, code), self.own.ints(name, code))

    def strings(self, name: str) -> Numbered[str]:
        """The strings written under ``name``."""
        return _one(self.shared.strings(name), self.own.strings(name))

    def runs(self, name: str) -> Numbered[memoryview]:
        """The lists of integers written under ``name``."""
        return _one(self.shared.runs(name), self.own.runs(name))

    def table(self, name: str) -> Table | Tables:
        """The hash table written under ``name``."""
        shared, own = self.shared.table(name), self.own.table(name)
        if not len(own):
            return shared
        return Tables(shared, own) if len(shared) else own


def _one(shared: Numbered[T], own: Numbered[T]) -> Numbered[T]:
    if not len(own):
        return shared
    return Joined(shared, own) if len(shared) else own
