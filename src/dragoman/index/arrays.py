"""The index's only file format: flat little-endian arrays, string tables and hash tables, memory-mapped.

An index is a folder of ``<name>.<type>`` files. Opening one maps it; nothing is parsed or copied, so that start-up
does not grow with the vocabulary and worker processes share the pages. A hash table maps a folded key to a run of
integers; it stores 64-bit XXH3 digests and not the keys, so a look-up is one digest and, as a rule, one probe. Two of
n keys share a digest with probability n²/2⁶⁵ (under 10⁻⁷ for a million): ``Writer`` refuses such keys.
"""

from __future__ import annotations

import mmap
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Any, Literal, TypeVar
from zlib import crc32

from xxhash import xxh3_64_intdigest

from dragoman.errors import IndexUnusable
from dragoman.index import slots

# typecode of struct and array → file ending; sizes are fixed on every platform that CPython supports wheels on
Code = Literal["B", "I", "Q"]
T = TypeVar("T")
_SMALL = (1 << 32) - 1  # bytes that 32-bit offsets reach
_CHUNK = 1 << 14
_ENDING: dict[Code, str] = {"B": "u8", "I": "u32", "Q": "u64"}


class Writer:
    """Writes the parts of an index into ``folder``, which exists and is empty."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def ints(self, name: str, values: Iterable[int], code: Code = "I") -> None:
        """Write unsigned integers; ``code`` is ``B`` (8 bits), ``I`` (32) or ``Q`` (64)."""
        data = values if isinstance(values, array) and values.typecode == code else array(code, values)
        if sys.byteorder == "big":
            data = array(code, data)
            data.byteswap()
        (self.folder / f"{name}.{_ENDING[code]}").write_bytes(data.tobytes())

    def strings(self, name: str, values: Iterable[str]) -> None:
        """Write a list of strings: one UTF-8 blob and its offsets, of 32 bits each as long as they fit."""
        sizes = array("I")
        with (self.folder / f"{name}.blob").open("wb") as out:
            for some in _chunks(values):
                raw = [value.encode("utf-8", "surrogatepass") for value in some]
                out.write(b"".join(raw))
                sizes.extend(map(len, raw))
        offsets = array("Q", accumulate(sizes, initial=0))
        self.ints(f"{name}.at", offsets, "Q" if offsets[-1] > _SMALL else "I")

    def runs(self, name: str, rows: Iterable[Sequence[int]]) -> None:
        """Write a list of lists of 32-bit integers (compressed sparse rows)."""
        kept = rows if isinstance(rows, Collection) else list(rows)
        self.ints(f"{name}.at", array("I", accumulate(map(len, kept), initial=0)))
        self.ints(name, array("I", chain.from_iterable(kept)))

    def pairs(self, name: str, count: int, sources: Any, targets: Any) -> list[Sequence[int]]:
        """Write pairs, as two lists or arrays of 32-bit integers, as the list of ``count`` lists that ``runs`` would
        write: for each source its targets, in their order. Returns the lists of more than one."""
        if len(targets) <= slots.FEW:  # importing NumPy takes longer
            rows: list[list[int]] = [[] for _ in range(count)]
            for source, target in zip(sources, targets, strict=True):
                rows[source].append(target)
            self.runs(name, rows)
            return [row for row in rows if len(row) > 1]
        import numpy as np

        order = np.argsort(np.asarray(sources), kind="stable")
        sizes = np.bincount(np.asarray(sources), minlength=count)
        at = np.concatenate(([0], np.cumsum(sizes)))
        data = slots.plain("I", np.asarray(targets)[order])
        self.ints(f"{name}.at", slots.plain("I", at))
        self.ints(name, data)
        several = np.flatnonzero(sizes > 1)
        return [data[a:b] for a, b in zip(at[several].tolist(), at[several + 1].tolist(), strict=True)]

    def table(self, name: str, rows: Mapping[str, Sequence[int]]) -> None:
        """Write a hash table from key to a run of 32-bit integers."""
        self._slots(name, slots.digests(rows))
        self.runs(f"{name}.row", rows.values())

    def grouped(self, name: str, pairs: Iterable[tuple[str, int]]) -> list[Sequence[int]]:
        """Write ``(key, value)`` as the table that has for each key its values, in their order; returns the runs of
        more than one value. Of the keys digests alone are held, so that there may be millions."""
        digests, checks, values = array("Q"), array("I"), array("I")
        for some in _chunks(pairs):
            raw = [key.encode("utf-8", "surrogatepass") for key, _ in some]
            digests.extend(map(xxh3_64_intdigest, raw))
            checks.extend(map(crc32, raw))
            values.extend(value for _, value in some)
        if 0 in digests:  # which marks an empty slot
            digests = array("Q", (digest or 1 for digest in digests))
        unique, groups = slots.groups(name, digests, checks)
        self._slots(name, unique)
        return self.pairs(f"{name}.row", len(unique), groups, values)

    def _slots(self, name: str, keys: array[int]) -> None:
        digests, places = slots.slots(name, keys)
        self.ints(f"{name}.digest", digests, "Q")
        self.ints(f"{name}.place", places)


def _chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """``values`` some at a time: what is done to each is done faster to many, and all at once would fill the memory."""
    rest = iter(values)
    while some := list(islice(rest, _CHUNK)):
        yield some


class Strings(Sequence[str]):
    """A memory-mapped list of strings; an item is decoded when it is asked for."""

    __slots__ = ("_at", "_blob")

    def __init__(self, blob: memoryview, at: memoryview) -> None:
        self._blob = blob
        self._at = at

    def __len__(self) -> int:
        return len(self._at) - 1

    def __getitem__(self, i: int) -> str:  # type: ignore[override]  # slices are of no use here
        return str(self._blob[self._at[i] : self._at[i + 1]], "utf-8", "surrogatepass")


class Runs:
    """A memory-mapped list of lists of integers."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: memoryview, at: memoryview) -> None:
        self._data = data
        self._at = at

    def __len__(self) -> int:
        return len(self._at) - 1

    def __getitem__(self, i: int) -> memoryview:
        return self._data[self._at[i] : self._at[i + 1]]


class Nothing(Runs):
    """Lists that all are empty, however many there are."""

    __slots__ = ()

    def __getitem__(self, i: int) -> memoryview:
        return self._data


class Table:
    """A memory-mapped hash table from a folded key to a run of integers. ``layers`` reads its arrays, too."""

    __slots__ = ("digests", "mask", "places", "rows")

    def __init__(self, digests: memoryview, places: memoryview, rows: Runs) -> None:
        self.digests = digests
        self.places = places
        self.rows = rows
        self.mask = len(digests) - 1

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, key: str) -> int:
        """The row number of ``key``, or −1."""
        digest = xxh3_64_intdigest(key.encode("utf-8", "surrogatepass")) or 1
        digests, mask = self.digests, self.mask
        at = digest & mask
        while found := digests[at]:
            if found == digest:
                return self.places[at]
            at = (at + 1) & mask
        return -1

    def get(self, key: str) -> memoryview | None:
        """The run of ``key``, or ``None``."""
        row = self.row(key)
        return None if row < 0 else self.rows[row]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.row(key) >= 0


class Part:
    """An opened index folder: ask for arrays by the name they were written under. What it lacks is ``below``."""

    def __init__(self, folder: Path, below: Part | None = None) -> None:
        self.folder = folder
        self.below = below
        self._mapped: dict[str, memoryview] = {}  # each file once, whoever asks for it

    def _map(self, file: str, code: Code) -> memoryview:
        found = self._mapped.get(file)
        if found is None:
            found = self._mapped[file] = self._map_anew(file, code)
        return found

    def _has(self, file: str) -> bool:
        return (self.folder / file).exists() or (self.below is not None and self.below._has(file))

    def _map_anew(self, file: str, code: Code) -> memoryview:
        path = self.folder / file
        if self.below is not None and not path.exists():
            return self.below._map(file, code)
        try:
            with path.open("rb") as handle:
                size = path.stat().st_size
                # an empty file cannot be mapped
                raw = memoryview(mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)) if size else memoryview(b"")
        except OSError as error:
            raise IndexUnusable(f"cannot be read ({error.strerror})", where=str(path)) from None
        width = array(code).itemsize
        if len(raw) % width:
            raise IndexUnusable("is cut short", where=str(path))
        if sys.byteorder == "big" and width > 1:
            swapped = array(code, raw.tobytes())
            swapped.byteswap()
            return memoryview(swapped)
        return raw.cast(code)

    def ints(self, name: str, code: Code = "I") -> memoryview:
        """The integers written under ``name`` with the same ``code``."""
        return self._map(f"{name}.{_ENDING[code]}", code)

    def strings(self, name: str) -> Strings:
        """The strings written under ``name``."""
        wide = self._has(f"{name}.at.{_ENDING['Q']}")
        return Strings(self._map(f"{name}.blob", "B"), self.ints(f"{name}.at", "Q" if wide else "I"))

    def runs(self, name: str) -> Runs:
        """The lists of integers written under ``name``; all are empty where nothing was written."""
        data, at = self.ints(name), self.ints(f"{name}.at")
        return Runs(data, at) if len(at) > 1 else Nothing(data, at)

    def table(self, name: str) -> Table:
        """The hash table written under ``name``."""
        return Table(self.ints(f"{name}.digest", "Q"), self.ints(f"{name}.place"), self.runs(f"{name}.row"))

    def names(self) -> Iterator[str]:
        """The files of this folder, sorted."""
        return iter(sorted(p.name for p in self.folder.iterdir() if p.is_file()))
