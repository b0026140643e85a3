"""What an editor should know of the vocabularies that were compiled."""

from __future__ import annotations

import msgspec

SHOWN = 50  # examples of each kind


class Ambiguous(msgspec.Struct, frozen=True):
    """A term that names several concepts, as ``source:id``."""

    term: str
    concepts: tuple[str, ...]


class TermReport(msgspec.Struct, frozen=True, kw_only=True):
    """Counts, and the first ``SHOWN`` of what deserves a look. Terms of restricted terminologies are not listed.

    ``ambiguous``: terms that name several concepts. ``everyday``: terms that are everyday words as well, and so need
    their capitals. ``unmapped``: published entities none of whose concept ids a terminology has. ``duplicates``:
    concepts one of which carries the other's name as a synonym.
    """

    counts: dict[str, int]
    ambiguous: tuple[Ambiguous, ...] = ()
    everyday: tuple[str, ...] = ()
    unmapped: tuple[str, ...] = ()
    duplicates: tuple[tuple[str, str], ...] = ()
