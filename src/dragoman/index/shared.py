"""The compiled terminologies that generations and tenants share: made once, found again by what they were made from.

They are found again only where every file that they were made from is unchanged: by what the file system says of it,
else by its checksum.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from weakref import WeakValueDictionary

import msgspec
from xxhash import xxh3_128

from dragoman.errors import IndexUnusable
from dragoman.index import store
from dragoman.index.arrays import Part
from dragoman.index.manifest import (
    SCHEMA,
    TOLD,
    Manifest,
    SharedPart,
    SourceInfo,
    Stamp,
    __version__,
    digest_file,
    read_manifest,
    stamp_of,
    trust,
    write,
)
from dragoman.index.terms_report import TermReport
from dragoman.protocols import Doubt, Reject, Source

_open: WeakValueDictionary[Path, Part] = WeakValueDictionary()


class MadeFrom(msgspec.Struct, frozen=True, kw_only=True):
    """A file below a source: what the file system said of it, and its SHA-256 where its content went into rows."""

    stamp: Stamp
    sha256: str | None = None


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a shared part beside its arrays.

    ``key``: a digest of everything but the files that it was made from (the sources' options, the packs, the version).
    ``files``: those below each source, by their path from it; ``None`` where a source also read others, so that nobody
    can tell whether they have changed. ``report``, ``sources``, ``rejects`` and ``doubts`` are what its build said.
    """

    key: str
    files: tuple[dict[str, MadeFrom], ...] | None
    report: TermReport
    sources: tuple[SourceInfo, ...]
    rejects: tuple[tuple[Reject, ...], ...]
    doubts: tuple[tuple[Doubt, ...], ...]


def key(sources: Sequence[Source], rules: str, without: Sequence[str]) -> str:
    """A digest of all that decides what is compiled from the files of ``sources``."""
    state = xxh3_128(f"{SCHEMA}\0{__version__}\0{rules}\0{sorted(without)}".encode())
    for source in sources:
        state.update(repr((source.name, source.format, source.path.name, source.languages, source.licence)).encode())
        state.update(msgspec.json.encode(source.options, order="deterministic"))
    return state.hexdigest()


def made_from(source: Source, read: Mapping[Path, str]) -> dict[str, MadeFrom] | None:
    """The files of a source, those that were ``read`` with their checksums; ``None`` where others were read as well."""
    below = _below(source.path)
    if not set(read) <= set(below.values()):
        return None
    return {name: MadeFrom(stamp=stamp_of(path), sha256=read.get(path)) for name, path in below.items()}


def find(home: Path, wanted: str, sources: Sequence[Source]) -> tuple[Path, Told] | None:
    """The shared part under ``home`` that was made from what is there now, if there is one that is whole."""
    folder = home / store.SHARED
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        told = _told(place)
        if told is None or told.key != wanted or told.files is None or len(told.files) != len(sources):
            continue
        now = tuple(_unchanged(source, files) for source, files in zip(sources, told.files, strict=True))
        if None in now:
            continue
        try:
            trust(place)
        except IndexUnusable:  # it is made anew
            continue
        if now != told.files:
            told = msgspec.structs.replace(told, files=tuple(files for files in now if files is not None))
            write(place / TOLD, msgspec.json.encode(told))
        return place, told
    return None


def _told(place: Path) -> Told | None:
    try:
        return msgspec.json.decode((place / TOLD).read_bytes(), type=Told)
    except (OSError, msgspec.DecodeError):  # then it cannot be known what it was made from
        return None


def _unchanged(source: Source, files: dict[str, MadeFrom]) -> dict[str, MadeFrom] | None:
    """``files`` with what the file system says of them now, or ``None`` where one has changed, come or gone."""
    below = _below(source.path)
    if set(below) != set(files):
        return None
    now: dict[str, MadeFrom] = {}
    for name, path in below.items():
        stamp, noted = stamp_of(path), files[name]
        if stamp != noted.stamp and (noted.sha256 is None or digest_file(path) != noted.sha256):
            return None
        now[name] = msgspec.structs.replace(noted, stamp=stamp)
    return now


def _below(path: Path) -> dict[str, Path]:
    if not path.is_dir():
        return {"": path} if path.is_file() else {}
    return {p.relative_to(path).as_posix(): p for p in sorted(path.rglob("*")) if p.is_file()}


def adopt(home: Path, fresh: Path, manifest: Manifest, told: Told) -> Path:
    """Give a finished part its place under ``home``, whose lock is held."""
    (fresh / TOLD).write_bytes(msgspec.json.encode(told))
    return store.settle(home / store.SHARED, fresh, manifest)


def seen_from(place: Path, generation: str) -> SharedPart:
    """The part at ``place`` as a generation names it that sees it at ``generation``."""
    manifest = read_manifest(place)
    return SharedPart(id=manifest.id, at=generation, bytes=manifest.size, parts=len(manifest.parts))


def sweep(home: Path, kept: str | None) -> None:
    """Remove the parts that no generation stands on, of the project or of a tenant; but not ``kept``. The lock of
    ``home`` must be held."""
    folder = home / store.SHARED
    if not folder.is_dir():
        return
    named = {kept}
    for one in (home, *(home / "tenants").glob("*")):
        for generation in store.generations(one):
            if generation.manifest is not None and generation.manifest.shared is not None:
                named.add(generation.manifest.shared.id)
    for place in folder.iterdir():
        if place.name not in named and not place.name.startswith("."):
            shutil.rmtree(place, ignore_errors=True)


def opened(place: Path) -> Part:
    """The part at ``place``, mapped once in a process, whoever opens it."""
    place = place.resolve()
    found = _open.get(place)
    if found is None:
        found = _open[place] = Part(place)
    return found
