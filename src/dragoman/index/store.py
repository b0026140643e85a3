"""Where indexes live: one folder a generation, a pointer to the one in use, a manifest that vouches for it.

::

    .dragoman/index/
        current            the name of the generation in use (one line, replaced atomically)
        9f3c1a20b4d5e6f7/  a generation: manifest.json, catalogue and terminology parts
        .lock              held while a build runs

A generation is written beside the others and becomes current by one rename; a reader that has the old one mapped keeps
it. The id is a digest of the contents of all parts: the same sources and version give the same id, and ``built_at``
stands outside it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock
import msgspec

from dragoman._version import __version__
from dragoman.errors import IndexUnusable
from dragoman.types import IndexInfo, SourceVersion

SCHEMA = 1
MANIFEST = "manifest.json"
CURRENT = "current"
KEEP = 3  # generations left beside the current one, for `dragoman index rollback`


class PartInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the index: its size in bytes and its SHA-256."""

    bytes: int
    sha256: str


class SourceInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One source: its files with SHA-256, its version and licence, the rows taken and not taken."""

    name: str
    format: str
    version: str | None = None
    licence: str | None = None
    files: dict[str, str] = {}
    rows: int = 0
    rejected: dict[str, int] = {}
    skipped: dict[str, int] = {}


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What an index is, and by which it is checked before it is trusted."""

    schema: int
    id: str
    dragoman: str
    built_at: str
    seconds: float
    project: str
    languages: tuple[str, ...]
    sources: tuple[SourceInfo, ...]
    counts: dict[str, int]
    parts: dict[str, PartInfo]

    @property
    def info(self) -> IndexInfo:
        """The short form that every answer carries."""
        return IndexInfo(id=self.id, sources=tuple(SourceVersion(name=s.name, version=s.version) for s in self.sources))


def digest_file(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def content_id(parts: dict[str, PartInfo]) -> str:
    """The index id: a digest over its parts' digests and the schema."""
    text = f"{SCHEMA}\n" + "".join(f"{name}\0{part.sha256}\n" for name, part in sorted(parts.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@contextmanager
def lock(home: Path) -> Iterator[None]:
    """Hold the build lock of ``home``; ``IndexUnusable`` with the owner's process id where another build has it."""
    home.mkdir(parents=True, exist_ok=True)
    owner = home / ".lock.owner"
    try:
        held = filelock.FileLock(home / ".lock").acquire(timeout=0)
    except filelock.Timeout:
        who = owner.read_text().strip() if owner.is_file() else "unknown"
        raise IndexUnusable(
            f"another build (process {who}) is writing this index", where=str(home), advice="wait for it to end"
        ) from None
    with held:
        owner.write_text(str(os.getpid()))
        _sweep(home)
        try:
            yield
        finally:
            owner.unlink(missing_ok=True)


def _sweep(home: Path) -> None:
    """Remove what killed builds left behind; only called with the lock held."""
    for path in home.glob(".new-*"):
        shutil.rmtree(path, ignore_errors=True)
    for path in home.glob(f"{CURRENT}.new-*"):
        path.unlink(missing_ok=True)


def adopt(home: Path, fresh: Path, manifest: Manifest) -> Path:
    """Make the finished folder ``fresh`` the current generation; the lock must be held. Returns its place."""
    (fresh / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))
    for path in fresh.iterdir():
        _sync(path)
    place = home / manifest.id
    if place.exists():  # the same contents were built before: keep the newer manifest, the parts are equal
        shutil.rmtree(place)
    fresh.rename(place)
    _sync(home)
    point(home, manifest.id)
    _prune(home)
    return place


def point(home: Path, generation: str) -> None:
    """Make ``generation`` the current one, atomically."""
    pointer = home / f"{CURRENT}.new-{os.getpid()}"
    pointer.write_text(generation + "\n")
    _sync(pointer)
    pointer.replace(home / CURRENT)
    _sync(home)


def _prune(home: Path) -> None:
    current = current_name(home)
    others = sorted(
        (p for p in home.iterdir() if p.is_dir() and not p.name.startswith(".") and p.name != current),
        key=lambda p: p.stat().st_mtime,
        reverse=True,
    )
    for path in others[KEEP:]:
        shutil.rmtree(path, ignore_errors=True)


def _sync(path: Path) -> None:
    """Have the system write ``path`` out, so that a power cut leaves either generation whole."""
    if os.name == "nt" and path.is_dir():  # Windows cannot open a folder
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def current_name(home: Path) -> str | None:
    """The generation in use, or ``None`` where nothing was built yet."""
    try:
        return (home / CURRENT).read_text().strip() or None
    except (FileNotFoundError, NotADirectoryError):
        return None


def generations(home: Path) -> list[Manifest]:
    """All generations at hand, newest first."""
    if not home.is_dir():
        return []
    found = [read_manifest(p) for p in home.iterdir() if p.is_dir() and (p / MANIFEST).is_file()]
    return sorted(found, key=lambda m: m.built_at, reverse=True)


def read_manifest(place: Path) -> Manifest:
    """The manifest at ``place``; ``IndexUnusable`` where there is none that this version can trust."""
    path = place / MANIFEST
    try:
        raw = path.read_bytes()
        schema = msgspec.json.decode(raw, type=dict[str, msgspec.Raw]).get("schema")
        number = int(bytes(schema)) if schema else -1
    except FileNotFoundError:
        raise IndexUnusable("is no index: it has no manifest", where=str(place)) from None
    except (msgspec.DecodeError, ValueError, OSError):
        raise IndexUnusable("the manifest is damaged", where=str(path)) from None
    if number != SCHEMA:
        age = "an older" if number < SCHEMA else "a newer"
        raise IndexUnusable(
            f"was written by {age} version (schema {number}, this one reads {SCHEMA})", where=str(place)
        )
    try:
        return msgspec.json.decode(raw, type=Manifest)
    except msgspec.DecodeError:
        raise IndexUnusable("the manifest is damaged", where=str(path)) from None


def open_place(home: Path) -> Path:
    """The folder of the current generation under ``home``, its parts present and of the right size."""
    name = current_name(home)
    if name is None:
        raise IndexUnusable("there is no index yet", where=str(home))
    place = home / name
    manifest = read_manifest(place)
    for part, info in manifest.parts.items():
        path = place / part
        size = path.stat().st_size if path.is_file() else -1
        if size != info.bytes:
            what = "is missing" if size < 0 else f"has {size} bytes instead of {info.bytes}"
            raise IndexUnusable(what, where=str(path), advice="run `dragoman build`, or `dragoman index rollback`")
    return place


def check(place: Path) -> Manifest:
    """Verify every part's checksum; ``IndexUnusable`` names the first that differs."""
    manifest = read_manifest(place)
    for part, info in manifest.parts.items():
        path = place / part
        if not path.is_file() or digest_file(path) != info.sha256:
            raise IndexUnusable(
                "does not match its checksum",
                where=str(path),
                advice="run `dragoman build`, or `dragoman index rollback`",
            )
    if content_id(manifest.parts) != manifest.id:
        raise IndexUnusable("the manifest does not match its own id", where=str(place / MANIFEST))
    return manifest


def make_manifest(
    folder: Path,
    *,
    started: float,
    project: str,
    languages: tuple[str, ...],
    sources: tuple[SourceInfo, ...],
    counts: dict[str, int],
) -> Manifest:
    """The manifest of the parts in ``folder``. ``started`` is ``time.monotonic()`` at the build's start."""
    parts = {
        p.name: PartInfo(bytes=p.stat().st_size, sha256=digest_file(p)) for p in sorted(folder.iterdir()) if p.is_file()
    }
    return Manifest(
        schema=SCHEMA,
        id=content_id(parts),
        dragoman=__version__,
        built_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        seconds=round(time.monotonic() - started, 3),
        project=project,
        languages=languages,
        sources=sources,
        counts=counts,
        parts=parts,
    )
