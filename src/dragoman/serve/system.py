"""What answers, made of what, under which licences, and who is told what."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from dragoman import profile
from dragoman._version import __version__
from dragoman.engine import Dragoman
from dragoman.enrich.layers import LAYERS
from dragoman.enrich.work import FEATURES
from dragoman.outside import Sends, sends
from dragoman.searching import stamp
from dragoman.types import Value

QUESTIONS = "questions.jsonl"  # beside the project file: what a newcomer may ask
SHOWN = 14
PAGE_LANGUAGE = "en"


class SourceRow(Value, frozen=True, kw_only=True):
    """One source of the index. ``restricted``: its licence forbids to list it in bulk."""

    name: str
    format: str
    version: str | None
    licence: str | None
    restricted: bool
    rows: int
    rejected: int


class IndexRow(Value, frozen=True, kw_only=True):
    """The index that answers; ``bytes`` of all its parts, ``rates`` of the golden questions that it was let in with."""

    id: str
    built_at: str
    built_by: str
    bytes: int
    counts: dict[str, int]
    rates: dict[str, float]
    sources: tuple[SourceRow, ...]


class Switch(Value, frozen=True, kw_only=True):
    """A layer or feature of enrichment. ``on``: neither the project nor an administrator has switched it off."""

    name: str
    layer: bool
    on: bool


class Question(Value, frozen=True, kw_only=True):
    """A question to begin with."""

    text: str
    language: str | None = None


class System(Value, frozen=True, kw_only=True):
    """What the page shows of the system, and needs to know of it.

    ``sends`` is null where there is no model. ``labels``: what the profile calls its keys, by field.
    """

    version: str
    python: str
    project: str
    profile: str
    languages: tuple[str, ...]
    tenants: tuple[str, ...]
    index: IndexRow
    switches: tuple[Switch, ...]
    sends: Sends | None
    keep_text: bool
    keep_days: int | None
    gaps_counted: bool
    searches: bool
    limits: dict[str, int]
    labels: dict[str, dict[str, str]]
    questions: tuple[Question, ...]


def system(engine: Dragoman, *, without: Iterable[str] = (), model: bool = True) -> System:
    """All of it, as it is now.

    ``without`` and ``model`` are what an administrator has switched off while the service runs. Raises
    ``DataError`` where the file of pages that the project names is not there.
    """
    project, manifest = engine.project, engine.vocabularies.manifest
    file = project.file
    licences = {t.name: t.licence for t in file.terminology}
    off = frozenset(file.enrich.without).union(without)
    return System(
        version=__version__,
        python=platform.python_version(),
        project=project.name,
        profile=project.profile.name,
        languages=tuple(pack.code for pack in project.languages),
        tenants=engine.tenants,
        index=IndexRow(
            id=manifest.id,
            built_at=manifest.built_at,
            built_by=manifest.dragoman,
            bytes=manifest.whole_size,
            counts=manifest.counts,
            rates=manifest.rates,
            sources=tuple(
                SourceRow(
                    name=s.name,
                    format=s.format,
                    version=s.version,
                    licence=s.licence or licences.get(s.name),
                    restricted=(s.licence or licences.get(s.name)) == "restricted",
                    rows=s.rows,
                    rejected=sum(s.rejected.values()),
                )
                for s in manifest.sources
            ),
        ),
        switches=tuple(
            Switch(name=name, layer=layer, on=name not in off)
            for names, layer in (((x.name for x in LAYERS), True), (FEATURES, False))
            for name in names
        ),
        sends=sends(project) if model else None,
        keep_text=file.privacy.keep_text,
        keep_days=file.privacy.keep_days if file.privacy.keep_text else None,
        gaps_counted=file.gaps is not None,
        searches=stamp(project) is not None,
        limits={"text": file.limits.text, "history": file.limits.history},
        labels=profile.labels(project.profile, PAGE_LANGUAGE),
        questions=() if project.of else _questions(project.base / QUESTIONS),  # a tenant's people ask other things
    )


def _questions(path: Path) -> tuple[Question, ...]:
    """The project's own examples; none where the file is not there or is something else."""
    try:
        lines: list[Any] = msgspec.json.Decoder(Question).decode_lines(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return ()
    return tuple(lines[:SHOWN])
