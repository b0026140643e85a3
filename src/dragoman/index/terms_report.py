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
    their capitals. ``unmapped``: published entities none of whose concept ids a terminology has. ``unreached``: those
    that no term of a terminology leads to, so that people must use the pages' own words. ``duplicates``:
    concepts one of which carries the other's name as a synonym.
    """

    counts: dict[str, int]
    ambiguous: tuple[Ambiguous, ...] = ()
    everyday: tuple[str, ...] = ()
    unmapped: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    duplicates: tuple[tuple[str, str], ...] = ()


def together(shared: TermReport, own: TermReport) -> TermReport:
    """The report of an index: what its terminologies hold, and what the organisation's pages add."""
    counts = {name: shared.counts.get(name, 0) + own.counts.get(name, 0) for name in {**shared.counts, **own.counts}}
    counts["concepts_without_page"] = counts.get("concepts", 0) - counts.pop("concepts_with_page", 0)
    return TermReport(
        counts=counts,
        ambiguous=(*shared.ambiguous, *own.ambiguous)[:SHOWN],
        everyday=(*shared.everyday, *own.everyday)[:SHOWN],
        unmapped=own.unmapped,
        unreached=own.unreached,
        duplicates=shared.duplicates,
    )
