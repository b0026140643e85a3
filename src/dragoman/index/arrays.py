"""The index's only file format: flat little-endian arrays, string tables and hash tables, memory-mapped.

An index is a folder of ``<name>.<type>`` files. Opening one maps it; nothing is parsed or copied, so that start-up
does not grow with the vocabulary and worker processes share the pages. A hash table maps a folded key to a run of
integers; it stores 64-bit XXH3 digests and not the keys, so a look-up is one digest and, as a rule, one probe. Two of
n keys share a digest with probability n²/2⁶⁵ (under 10⁻⁷ for a million): ``Writer.table`` refuses such keys.
"""

from __future__ import annotations

import mmap
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from xxhash import xxh3_64_intdigest

from dragoman.errors import IndexUnusable

# typecode of struct and array → file ending; sizes are fixed on every platform that CPython supports wheels on
Code = Literal["B", "I", "Q"]
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
        """Write a list of strings: one UTF-8 blob and its offsets."""
        offsets = array("Q", [0])
        total = 0
        with (self.folder / f"{name}.blob").open("wb") as out:
            for value in values:
                total += out.write(value.encode("utf-8", "surrogatepass"))
                offsets.append(total)
        self.ints(f"{name}.at", offsets, "Q")

    def runs(self, name: str, rows: Iterable[Sequence[int]]) -> None:
        """Write a list of lists of 32-bit integers (compressed sparse rows)."""
        offsets = array("I", [0])
        data = array("I")
        for row in rows:
            data.extend(row)
            offsets.append(len(data))
        self.ints(f"{name}.at", offsets)
        self.ints(name, data)

    def table(self, name: str, rows: Mapping[str, Sequence[int]]) -> None:
        """Write a hash table from key to a run of 32-bit integers."""
        bits = max(3, (len(rows) * 2 - 1).bit_length())
        mask = (1 << bits) - 1
        digests = array("Q", bytes(8 << bits))
        places = array("I", bytes(4 << bits))
        for row, key in enumerate(rows):
            digest = _digest(key)
            at = digest & mask
            while digests[at]:
                if digests[at] == digest:
                    raise IndexUnusable(f"two keys of {name} share a digest", advice="report this: it should not happen")
                at = (at + 1) & mask
            digests[at] = digest
            places[at] = row
        self.ints(f"{name}.digest", digests, "Q")
        self.ints(f"{name}.place", places)
        self.runs(f"{name}.row", rows.values())


def _digest(key: str) -> int:
    return xxh3_64_intdigest(key.encode("utf-8", "surrogatepass")) or 1  # 0 marks an empty slot


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


class Table:
    """A memory-mapped hash table from a folded key to a run of integers."""

    __slots__ = ("_digests", "_mask", "_places", "_rows")

    def __init__(self, digests: memoryview, places: memoryview, rows: Runs) -> None:
        self._digests = digests
        self._places = places
        self._rows = rows
        self._mask = len(digests) - 1

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, key: str) -> int:
        """The row number of ``key``, or −1."""
        digest = xxh3_64_intdigest(key.encode("utf-8", "surrogatepass")) or 1
        digests, mask = self._digests, self._mask
        at = digest & mask
        while found := digests[at]:
            if found == digest:
                return self._places[at]
            at = (at + 1) & mask
        return -1

    def get(self, key: str) -> memoryview | None:
        """The run of ``key``, or ``None``."""
        row = self.row(key)
        return None if row < 0 else self._rows[row]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.row(key) >= 0


class Part:
    """An opened index folder: ask for arrays by the name they were written under."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _map(self, file: str, code: Code) -> memoryview:
        path = self.folder / file
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
        return Strings(self._map(f"{name}.blob", "B"), self.ints(f"{name}.at", "Q"))

    def runs(self, name: str) -> Runs:
        """The lists of integers written under ``name``."""
        return Runs(self.ints(name), self.ints(f"{name}.at"))

    def table(self, name: str) -> Table:
        """The hash table written under ``name``."""
        return Table(self.ints(f"{name}.digest", "Q"), self.ints(f"{name}.place"), self.runs(f"{name}.row"))

    def names(self) -> Iterator[str]:
        """The files of this folder, sorted."""
        return iter(sorted(p.name for p in self.folder.iterdir() if p.is_file()))
