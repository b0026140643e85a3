"""The relationships of a large release, a block of lines at a time.

A release has three relationships for each description, and they are nothing but numbers: NumPy takes them in several
times as fast as a row at a time. What is not plain (a quote, a comment, an id with leading zeros, a short row) is left
to the reading row by row, a block at a time, so that what is taken, counted and rejected is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dragoman.readers.sources import Entry, opened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 1 << 21  # bytes: what is worked out of them stays in the processor's cache
_DIGITS = 18  # of a SNOMED CT identifier, at most; they fit into 64 bits
_ROOM = 24  # bytes before the first line, so that there are always three words of digits before the end of a number
_TAB, _LF, _CR, _ZERO = b"\t\n\r0"
_ALL, _ZEROS, _HIGH, _SIX = 0xFFFFFFFFFFFFFFFF, 0x3030303030303030, 0xF0F0F0F0F0F0F0F0, 0x0606060606060606


class Block(NamedTuple):
    """Whole lines of a file; ``line`` is the number of the first."""

    line: int
    raw: bytes


def read_blocks(entry: Entry, skip: int) -> Iterator[Block]:
    """The lines of a file behind the first ``skip``. Raises ``DataError`` where it cannot be read."""
    with opened(entry) as stream:
        for _ in range(skip):
            stream.readline()
        line, rest = skip + 1, b""
        while read := stream.read(_BLOCK):
            raw, rest = rest + read, b""
            if (cut := raw.rfind(b"\n") + 1) == 0:
                rest = raw
                continue
            raw, rest = raw[:cut], raw[cut:]
            yield Block(line, raw)
            line += raw.count(b"\n")
        if rest:
            yield Block(line, rest)


def numbers(block: Block, width: int, columns: Sequence[int]) -> list[NDArray[np.int64]] | None:
    """The values of ``columns`` as numbers; ``None`` where not every line is a plain row of ``width`` values, or one
    of these values is no number without leading zeros."""
    import numpy as np

    raw = block.raw
    if not raw.endswith(b"\n") or not raw.isascii() or b"\0" in raw or raw.startswith(b"#") or b"\n#" in raw:
        return None
    byte = np.frombuffer(bytes(_ROOM) + raw, np.uint8)
    ends = np.flatnonzero(byte == _LF)
    starts = np.concatenate(([_ROOM], ends[:-1] + 1))
    found_tabs = np.flatnonzero(byte == _TAB)
    if len(found_tabs) != len(ends) * (width - 1):
        return None
    tabs = found_tabs.reshape(len(ends), width - 1)
    if (tabs[:, 0] < starts).any() or (tabs[:, -1] > ends).any():
        return None
    ends = ends - (byte[ends - 1] == _CR)  # a line without values has no tabs
    found = []
    for column in columns:
        first = starts if column == 0 else tabs[:, column - 1] + 1
        made = _values(byte, first, ends if column == width - 1 else tabs[:, column])
        if made is None:
            return None
        found.append(made)
    return found


def _values(byte: NDArray[np.uint8], first: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Decimal numbers that stand at ``first`` up to ``end``: eight digits are one 64-bit word, whose halves, quarters
    and eighths are put together at once (as the library fast_float reads them)."""
    import numpy as np

    sizes = end - first
    if sizes.min() < 1 or sizes.max() > _DIGITS or ((byte[first] == _ZERO) & (sizes > 1)).any():
        return None
    words = np.ndarray(len(byte) - 7, "<u8", byte, strides=(1,))  # one at each byte
    found = np.zeros(len(first), np.uint64)
    high, zeros = np.uint64(_HIGH), np.uint64(_ZEROS)
    for done in range(0, int(sizes.max()), 8):
        missing = np.clip(done + 8 - sizes, 0, 8).astype(np.uint64)  # digits that a short number lacks are zeros
        there = np.uint64(_ALL) << (missing * np.uint64(8))
        word = (words[end - done - 8] & there) | (zeros & ~there)
        if ((word & high) != zeros).any() or ((word + np.uint64(_SIX) & high) != zeros).any():
            return None
        word = (word & np.uint64(0x0F0F0F0F0F0F0F0F)) * np.uint64(10 << 8 | 1) >> np.uint64(8)
        word = (word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(100 << 16 | 1) >> np.uint64(16)
        word = (word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(10_000 << 32 | 1) >> np.uint64(32)
        found += word * np.uint64(10**done)
    return found.astype(np.int64)


class Places:
    """Which concept stands where: ids as numbers, in order. ``live``: whether it counts, by id."""

    def __init__(self, live: Mapping[str, bool]) -> None:
        import numpy as np

        self.ids = list(live)
        values = np.fromiter(map(int, self.ids), np.int64, len(self.ids))
        self._order = np.argsort(values)
        self._values = values[self._order]
        self._live = np.fromiter(live.values(), np.bool_, len(self.ids))

    @staticmethod
    def possible(live: Mapping[str, bool]) -> bool:
        """Whether all ids are numbers as ``numbers`` takes them."""
        return bool(live) and all(len(id_) <= _DIGITS and id_.isascii() and id_[0] != "0" for id_ in live)

    def find(self, ids: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The places of ``ids`` in the list, and whether there is a live concept of that id."""
        import numpy as np

        at = np.minimum(np.searchsorted(self._values, ids), len(self._values) - 1)
        place = self._order[at]
        return place, (self._values[at] == ids) & self._live[place]
