"""Relations between concepts at build time: millions of pairs, as arrays of numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dragoman.index.arrays import Writer
from dragoman.index.term_values import RELATIONS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IS_A = "is_a"


class Relations:
    """``source`` *kind* ``target``, by kind; concepts are numbers."""

    def __init__(self) -> None:
        self._pairs: dict[str, tuple[array[int], array[int]]] = {}

    def __len__(self) -> int:
        return sum(len(sources) for sources, _ in self._pairs.values())

    def add(self, source: int, kind: str, target: int) -> None:
        """Take one in."""
        sources, targets = self._of(kind)
        sources.append(source)
        targets.append(target)

    def extend(self, kind: str, numbers: array[int], sources: Any, targets: Any) -> None:
        """Take many in: pairs of places in ``numbers``."""
        import numpy as np

        number = np.asarray(numbers, np.uint32)
        for into, places in zip(self._of(kind), (sources, targets), strict=True):
            into.frombytes(number[places].astype("=u4").tobytes())

    def _of(self, kind: str) -> tuple[array[int], array[int]]:
        pairs = self._pairs.get(kind)
        if pairs is None:
            pairs = self._pairs[kind] = array("I"), array("I")
        return pairs

    def prune(self, dead: Sequence[bool]) -> None:
        """Leave out what touches a dead concept, and what relates a concept to itself."""
        import numpy as np

        gone = np.fromiter(dead, np.bool_, len(dead))
        for kind, pairs in self._pairs.items():
            sources, targets = map(np.asarray, pairs)
            kept = ~gone[sources] & ~gone[targets] & (sources != targets)
            self._pairs[kind] = _plain(sources[kept]), _plain(targets[kept])

    def nearest(self, named: Mapping[int, str], count: int) -> dict[int, str]:
        """For each of ``count`` concepts the value of ``named`` of its nearest ancestor that has one, itself included;
        among equally near ones the first in order of the alphabet."""
        import numpy as np

        values = sorted(set(named.values()))
        none = len(values)
        place = {value: at for at, value in enumerate(values)}
        held = np.full(count, none)
        held[list(named)] = [place[value] for value in named.values()]
        sources, targets = map(np.asarray, self._pairs.get(IS_A, (array("I"), array("I"))))
        last = held < none
        while True:  # a level further down each time
            reached = last[targets] & (held[sources] == none)
            if not reached.any():
                return {n: values[at] for n, at in enumerate(held.tolist()) if at != none}
            below = sources[reached]
            np.minimum.at(held, below, held[targets[reached]])
            last = np.zeros(count, np.bool_)
            last[below] = True

    def write(self, writer: Writer, count: int) -> None:
        """Write ``terms.<kind>`` of each kind that enrichment knows, and ``terms.children``; ``count`` concepts."""
        for kind in RELATIONS:
            sources, targets = _unique(*self._pairs.get(kind, (array("I"), array("I"))))
            writer.pairs(f"terms.{kind}", count if len(sources) else 0, sources, targets)
            if kind == IS_A:
                writer.pairs("terms.children", count if len(sources) else 0, targets, sources)


def _unique(sources: Any, targets: Any) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Each pair once, by source; the targets of a source in the order in which they were first mentioned."""
    import numpy as np

    sources, targets = np.asarray(sources, np.uint32), np.asarray(targets, np.uint32)
    _, first = np.unique(sources.astype(np.uint64) << np.uint64(32) | targets, return_index=True)
    first.sort()
    first = first[np.argsort(sources[first], kind="stable")]
    return sources[first], targets[first]


def _plain(values: NDArray[np.uint32]) -> array[int]:
    made = array("I")
    made.frombytes(values.astype("=u4").tobytes())
    return made
