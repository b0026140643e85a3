"""What goes over the wire beside the values of ``dragoman.types``."""

from __future__ import annotations

import msgspec

from dragoman.types import IndexInfo, Turn


class TurnBody(Turn, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A turn to read; ``without`` names enrichment layers or features to switch off for it."""

    without: tuple[str, ...] = ()


class LookupBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``query``: a term in any spelling that folds to it, or an id."""

    query: str


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """What answers: the version of dragoman, and the index with its sources."""

    version: str
    project: str
    profile: str
    languages: tuple[str, ...]
    index: IndexInfo


class Alive(msgspec.Struct, frozen=True, kw_only=True):
    """The process runs."""

    status: str = "ok"


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """Whether requests should come here.

    ``provider``: ``none``, ``unknown``, ``ok`` or the code of its last failure.
    """

    ready: bool
    index: str
    provider: str = "none"
