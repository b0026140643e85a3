"""What goes over the wire beside the values of ``dragoman.types``."""

from __future__ import annotations

from typing import Literal

import msgspec

from dragoman.types import IndexInfo, Turn


class TurnBody(Turn, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A turn to read; ``without`` names enrichment layers or features to switch off for it."""

    without: tuple[str, ...] = ()


class LookupBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``query``: a term in any spelling that folds to it, or an id."""

    query: str


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """What answers: the version of dragoman, and the index with its sources; and who is told of a turn.

    ``model``: the provider's base URL or name and the model that turns are sent to; ``None`` where they do not leave
    the machine. ``keeps_text``: whether turns are kept, and for how many days.
    """

    version: str
    project: str
    profile: str
    languages: tuple[str, ...]
    index: IndexInfo
    built_at: str
    tenants: tuple[str, ...] = ()
    model: str | None = None
    switched_off: tuple[str, ...] = ()
    keeps_text: bool = False
    keep_days: int | None = None


class Alive(msgspec.Struct, frozen=True, kw_only=True):
    """The process runs."""

    status: Literal["ok"] = "ok"


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """Whether requests should come here.

    ``provider``: ``none``, ``unknown`` (not asked yet), ``ok``, or the code of its last failure. A provider that fails
    does not make the service unready: all but understanding works without it. ``database``: ``none``, or whether that
    which the index is built from answers (``ok``, ``away``); while it is away, the last index answers.
    """

    ready: bool
    index: str
    provider: str = "none"
    database: str = "none"
