"""Which files of SNOMED CT packages hold what, and which of them to read.

A file is known by its header, not by its name: names vary (``sct2_``, ``xsct2_``, ``GPSSnapshot-en``,
``UKEDSnapshot-en_GB``, ``BE1000172``), columns do not. The name tells the release type, and what a file whose header
is damaged was meant to be.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.sources import Entry, entries, select
from dragoman.readers.tables import PLAIN_TABS, Table

_BASE = ("id", "effectiveTime", "active", "moduleId")
COLUMNS: dict[str, tuple[str, ...]] = {
    "concept": (*_BASE, "definitionStatusId"),
    "description": (*_BASE, "conceptId", "languageCode", "typeId", "term"),
    "relationship": (*_BASE, "sourceId", "destinationId", "typeId", "characteristicTypeId"),
    "language": (*_BASE, "refsetId", "referencedComponentId", "acceptabilityId"),
    "map": (*_BASE, "refsetId", "referencedComponentId", "mapTarget"),
}
# Columns that show that it is another kind after all: a reference set of expressions has a concept file's columns as
# well, and the "concept" of one that maps expressions is the code system itself.
_UNLIKE = {"concept": ("refsetId",), "map": ("expression",)}
# Names that promise a kind; they matter only where the header does not show it.
_PROMISES = {
    "concept": re.compile(r"_Concept_", re.I),
    "description": re.compile(r"_Description_", re.I),
    "relationship": re.compile(r"_Relationship_", re.I),
    "language": re.compile(r"Refset_Language", re.I),
}
# Descriptions that are no terms, and relationships that are not inferred: known by name, so never opened.
_UNREAD = re.compile(r"TextDefinition|Stated_?Relationship|OWL(?:Axiom|Expression|Ontology)|MRCM", re.I)
_RELEASE = re.compile(r"(full|snapshot|delta)", re.I)
_DATE = re.compile(r"_(\d{8})(?:T\d+Z?)?(?=\.[^.]+$|_)")
_ORDER = ("snapshot", "full", "delta")  # the best first


class _Found(NamedTuple):
    """A file that holds, or by its name ought to hold, one of the kinds."""

    entry: Entry
    kind: str
    release: str


class ReleaseFile(NamedTuple):
    """A file to read. Ids are unique within the snapshot files of one ``package``."""

    table: Table
    release: str
    package: str
    layer: int


def release_files(
    layers: list[Path], release: str | None, files: tuple[str, ...] | None, report: Report
) -> dict[str, list[ReleaseFile]]:
    """The files to read, by kind. For each file that comes in several release types, the best one there is.

    ``release`` fixes the type. Raises ``DataError`` where concepts or descriptions are missing, where a file to read
    lacks a column, and for packages that hold nothing but a Delta, which is only what changed, unless ``release`` is
    ``delta``.
    """
    chosen: dict[str, list[ReleaseFile]] = {kind: [] for kind in COLUMNS}
    for number, layer in enumerate(layers):
        groups: dict[tuple[str, str], list[_Found]] = defaultdict(list)
        for entry in _texts(layer, files):
            kind = _kind(entry)
            if kind:
                groups[kind, _family(entry)].append(_Found(entry, kind, _release_type(entry)))
        for group in groups.values():
            types = {found.release for found in group}
            best = release or next(t for t in _ORDER if t in types)
            for found in group:
                if found.release != best:
                    report.skip(f"file of another release type ({found.release})")
                    continue
                table = Table(found.entry, PLAIN_TABS)
                table.places(*COLUMNS[found.kind])
                chosen[found.kind].append(ReleaseFile(table, best, _package(found.entry, number), number))
    _complete(chosen, layers[0], release)
    return chosen


def _texts(layer: Path, files: tuple[str, ...] | None) -> Iterable[Entry]:
    found = entries(layer, zips=True)
    if files is not None:
        found = select(found, layer, files)
    return [e for e in found if e.name.lower().endswith(".txt") and not _UNREAD.search(e.name)]


def _kind(entry: Entry) -> str | None:
    """What the file holds by its header, else what its name promises: then it is refused if it is to be read."""
    promised = next((kind for kind, pattern in _PROMISES.items() if pattern.search(entry.name)), None)
    try:
        table = Table(entry, PLAIN_TABS)
    except DataError:
        return promised
    found = next((k for k, names in COLUMNS.items() if all(n in table for n in names)), None)
    unlike = found is not None and any(n in table for n in _UNLIKE.get(found, ()))
    return promised if unlike or found is None else found


def _release_type(entry: Entry) -> str:
    """From the file's name, else from the folder it lies in; a file that says nothing is taken for a snapshot."""
    for name in (entry.name, *reversed(entry.folders)):
        found = _RELEASE.findall(name)
        if found and (name == entry.name or name.lower() in _ORDER):
            return str(found[-1]).lower()
    return "snapshot"


def _family(entry: Entry) -> str:
    """What the Full, Snapshot and Delta file of one table have in common: the name without type, date and prefix."""
    name = _DATE.sub("", entry.name.lower())
    return _RELEASE.sub("", name).removeprefix("x").removeprefix("z")


def _package(entry: Entry, layer: int) -> str:
    """The files of one package share folder, namespace (``INT``, ``BE1000172``) and date."""
    place = f"{entry.path}!" if entry.member else ""
    head, _, tail = entry.name.rpartition("_") if _DATE.search(entry.name) else (entry.name, "", "")
    return ":".join((str(layer), place, *entry.folders, head.rpartition("_")[2], tail))


def _complete(chosen: dict[str, list[ReleaseFile]], where: Path, release: str | None) -> None:
    for kind, name in (("concept", "sct2_Concept"), ("description", "sct2_Description")):
        if not chosen[kind]:
            raise DataError(
                f"there is no {kind} file ({name}_...)" + (f" of release type {release}" if release else ""),
                where=str(where),
                advice="`path` must be an RF2 package: a folder or zip with its Snapshot (or Full) files",
            )
        if release is None and all(f.release == "delta" for f in chosen[kind]):
            raise DataError(
                f"there are only Delta {kind} files, which hold no more than what changed",
                where=str(chosen[kind][0].table.entry),
                advice="use the Snapshot, or name it and the Delta in `layers`; release = 'delta' reads it as it is",
            )
