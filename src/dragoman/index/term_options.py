"""The classes that a token of a text may belong to, and the readings of a span that follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

COMBINATIONS = 16  # readings of one span


class Option(NamedTuple):
    """A class that a token may belong to; ``why`` is None for the token's own. ``verb``: as a form of a verb.
    ``within``: only inside a longer term."""

    class_: int
    why: str | None
    verb: bool = False
    within: bool = False


def readings(first: Option, rest: Sequence[Sequence[Option]]) -> Iterator[tuple[Option, ...]]:
    """The span that begins with ``first``, in every reading of its other tokens; at most ``COMBINATIONS``."""
    return islice(((first, *more) for more in product(*rest)), COMBINATIONS)
