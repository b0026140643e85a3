"""Where the keys of a hash table stand: an open-addressed table, at most three fifths full, made in one pass.

Small tables are made without NumPy, which takes longer to import.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from xxhash import xxh3_64_intdigest

from dragoman.errors import IndexUnusable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW = 30_000  # keys or pairs that are put in order without NumPy


def digests(keys: Iterable[str]) -> array[int]:
    """The digests of keys, as a look-up makes them; 0 marks an empty slot."""
    return array("Q", (xxh3_64_intdigest(key.encode("utf-8", "surrogatepass")) or 1 for key in keys))


def slots(name: str, keys: array[int]) -> tuple[array[int], array[int]]:
    """Digests and row numbers of the table of ``keys``, digests that are all different (else ``IndexUnusable``).

    Keys that are sorted by where they want to stand all get their place in one pass: each stands where it wants to, or
    behind the one before it.
    """
    size = 1 << max(3, (len(keys) * 5 // 3).bit_length())
    if len(keys) > FEW:
        return _many(name, keys, size)
    mask = size - 1
    found = sorted((digest & mask, digest, number) for number, digest in enumerate(keys))
    digests, places = array("Q", bytes(8 * size)), array("I", bytes(4 * size))
    at, last, free = -1, 0, 0
    for wanted, digest, number in found:
        if digest == last:
            raise _twins(name)
        last = digest
        at = max(wanted, at + 1)
        if at > mask:  # what would stand behind the end goes on at the beginning
            while digests[free]:
                free += 1
        here = at if at <= mask else free
        digests[here], places[here] = digest, number
    return digests, places


def _many(name: str, keys: array[int], size: int) -> tuple[array[int], array[int]]:
    import numpy as np

    found = np.asarray(keys)
    wanted = (found & np.uint64(size - 1)).astype(np.int64)
    order = np.lexsort((found, wanted))
    found, wanted = found[order], wanted[order]
    if (found[1:] == found[:-1]).any():
        raise _twins(name)
    number = np.arange(len(keys))
    at = np.maximum.accumulate(wanted - number) + number
    digests, places = np.zeros(size, np.uint64), np.zeros(size, np.uint32)
    inside = int(np.searchsorted(at, size))
    digests[at[:inside]], places[at[:inside]] = found[:inside], order[:inside]
    free = 0
    for beyond in range(inside, len(keys)):  # what would stand behind the end goes on at the beginning
        while digests[free]:
            free += 1
        digests[free], places[free] = found[beyond], order[beyond]
    return plain("Q", digests), plain("I", places)


def groups(name: str, keys: array[int], checks: Sequence[int]) -> tuple[array[int], Any]:
    """The different digests in order of first mention, and for each of ``keys`` the number of its digest among them,
    as an array.

    ``checks``: what tells two keys of one digest apart, which are refused (``IndexUnusable``).
    """
    if len(keys) > FEW:
        return _many_groups(name, keys, checks)
    number: dict[int, int] = {}
    check: dict[int, int] = {}
    found = array("I")
    for digest, other in zip(keys, checks, strict=True):
        if check.setdefault(digest, other) != other:
            raise _twins(name)
        found.append(number.setdefault(digest, len(number)))
    return array("Q", number), found


def _many_groups(name: str, keys: array[int], checks: Sequence[int]) -> tuple[array[int], NDArray[np.int64]]:
    import numpy as np

    digest, check = np.asarray(keys), np.asarray(checks)
    order = np.argsort(digest, kind="stable")
    digest, check = digest[order], check[order]
    other = np.concatenate(([True], digest[1:] != digest[:-1]))  # where another key begins
    if (check[1:] != check[:-1])[~other[1:]].any():
        raise _twins(name)
    mention = np.argsort(order[other])  # groups in order of their first members
    rank = np.empty_like(mention)
    rank[mention] = np.arange(len(mention))
    number = np.empty_like(order)
    number[order] = rank[np.cumsum(other) - 1]
    return plain("Q", digest[other][mention]), number


def plain(code: Literal["I", "Q"], values: Any) -> array[int]:
    """An array of a NumPy array."""
    made = array(code)
    made.frombytes(values.astype(f"=u{made.itemsize}").tobytes())
    return made


def _twins(name: str) -> IndexUnusable:
    return IndexUnusable(f"two keys of {name} share a digest", advice="report this: it should not happen")
