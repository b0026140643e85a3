"""What a build has to say: to the gate, to whoever started it, and to the content editor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from dragoman.index.changes import CatalogueChanges, Loss
from dragoman.index.manifest import SourceInfo
from dragoman.project import Project
from dragoman.protocols import Doubt, Reject


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the golden questions say of a new index.

    ``missed``: each stated threshold that it fails, one sentence each. ``rates``: shares from 0 to 1 (passed; answers
    with an expansion of each layer), kept in the manifest and compared with the next build's.
    """

    missed: tuple[str, ...] = ()
    rates: dict[str, float] = {}


Gate = Callable[[Project, Path], Verdict]
"""Asks the golden questions of the finished, not yet current generation at a path."""


class BuildReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a build did: the new index, what it holds, what it could not take, and what an editor should look at.

    ``path`` is the new generation; ``None`` where it was only checked. ``reused``: what had not changed and was not
    compiled again (``terminologies``). ``previous`` is the id of the index that was in use, ``losses``
    what fell against it by more than ``[build] max_loss`` and was accepted, ``catalogue`` how the drugs differ.
    ``rejects`` are the first of each source and reason; ``rejects_file`` lists many more. ``doubts`` are rows that were
    taken, and that nothing will use as they stand. ``tenants``: the same of each
    tenant's index.
    """

    id: str
    path: str | None
    seconds: float
    counts: dict[str, int]
    sources: tuple[SourceInfo, ...]
    reused: tuple[str, ...] = ()
    rejected: dict[str, int] = {}
    rejects: tuple[Reject, ...] = ()
    rejects_file: str | None = None
    doubts: tuple[Doubt, ...] = ()
    terms: dict[str, Any] = {}
    drugs: dict[str, Any] = {}
    previous: str | None = None
    losses: tuple[Loss, ...] = ()
    catalogue: CatalogueChanges = CatalogueChanges()
    rates: dict[str, float] = {}
    tenants: dict[str, BuildReport] = {}
