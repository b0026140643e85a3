"""What a folder of parts is: the manifest that vouches for it, and how it is checked before it is trusted.

Opening must take milliseconds whatever the size, and must not trust a part that was changed. So the build notes of
each part what the file system knows of it (size, times, number); where that is unchanged, nobody has written to the
part, and where it is not, the checksum decides, once for all openings that follow. ``dragoman index check`` reads every
byte.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from dragoman._version import __version__ as __version__
from dragoman.errors import IndexUnusable
from dragoman.types import IndexInfo, SourceVersion

SCHEMA = 5
MANIFEST = "manifest.json"
STAMPS = "stamps.json"
TOLD = "told.json"  # what the build of a shared part had to tell
BESIDE = (MANIFEST, STAMPS, TOLD)  # files of a folder that are no parts
ADVICE = "run `dragoman build`, or `dragoman index rollback`"
_SYNCS = 8  # files that are written out at a time
HALF = "current.new-"  # a small file that is being written, and by whom

Stamp = tuple[int, int, int, int]
"""What the file system says of a file: bytes, time of change in ns, time of any change in ns, file number."""


class PartInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the index: its size in bytes and its SHA-256."""

    bytes: int
    sha256: str


class SourceInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One source: its files with SHA-256, its version and licence, the rows taken and not taken.

    ``rejected`` rows are wrong, ``skipped`` ones rightly left out, ``noted`` ones kept with a change or an assumption,
    ``doubted`` ones that nothing will use as they stand; each by reason.
    """

    name: str
    format: str
    version: str | None = None
    licence: str | None = None
    files: dict[str, str] = {}
    rows: int = 0
    rejected: dict[str, int] = {}
    skipped: dict[str, int] = {}
    noted: dict[str, int] = {}
    doubted: dict[str, int] = {}


class SharedPart(msgspec.Struct, frozen=True, kw_only=True):
    """The compiled terminologies that a generation stands on: id, where they are seen from it, bytes, files."""

    id: str
    at: str
    bytes: int
    parts: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What an index is, and by which it is checked before it is trusted.

    ``rates`` are what the golden questions gave (shares from 0 to 1), empty where the project names none. ``rules``
    is a digest of the language packs: names were folded by their rules, so others would no longer find them.
    ``without`` are the ways of finding terms that it was built without. ``shared`` is what it stands on; ``None`` for a
    shared part itself.
    """

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
    rates: dict[str, float] = {}
    rules: str = ""
    without: tuple[str, ...] = ()
    shared: SharedPart | None = None

    @property
    def info(self) -> IndexInfo:
        """The short form that every answer carries."""
        return IndexInfo(id=self.id, sources=tuple(SourceVersion(name=s.name, version=s.version) for s in self.sources))

    @property
    def size(self) -> int:
        """The bytes of its own parts."""
        return sum(part.bytes for part in self.parts.values())

    @property
    def whole_size(self) -> int:
        """The bytes of its own parts and of those that it shares."""
        return self.size + (self.shared.bytes if self.shared else 0)


def digest_file(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def content_id(parts: Mapping[str, PartInfo], shared: str = "") -> str:
    """The index id: a digest over the schema, its parts' digests, and the id of the part it stands on."""
    text = f"{SCHEMA}\n{shared}\n" + "".join(f"{name}\0{part.sha256}\n" for name, part in sorted(parts.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# --- writing ----------------------------------------------------------------------------------------------------------


def make_manifest(
    folder: Path,
    *,
    started: float,
    project: str,
    languages: tuple[str, ...],
    sources: tuple[SourceInfo, ...],
    counts: dict[str, int],
    rules: str = "",
    without: tuple[str, ...] = (),
    shared: SharedPart | None = None,
) -> Manifest:
    """The manifest of the parts in ``folder``. ``started`` is ``time.monotonic()`` at the build's start."""
    parts = {
        p.name: PartInfo(bytes=p.stat().st_size, sha256=digest_file(p))
        for p in sorted(folder.iterdir())
        if p.is_file() and p.name not in BESIDE
    }
    return Manifest(
        schema=SCHEMA,
        id=content_id(parts, shared.id if shared else ""),
        dragoman=__version__,
        built_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        seconds=round(time.monotonic() - started, 3),
        project=project,
        languages=languages,
        sources=sources,
        counts=counts,
        parts=parts,
        rules=rules,
        without=without,
        shared=shared,
    )


def seal(fresh: Path, manifest: Manifest) -> None:
    """Write the manifest of the finished folder ``fresh``, so that it can be opened; it is not current yet."""
    (fresh / STAMPS).write_bytes(encode_stamps(fresh, manifest))
    (fresh / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))


def encode_stamps(place: Path, manifest: Manifest) -> bytes:
    """What the file system says of each part now."""
    return msgspec.json.encode({name: stamp_of(place / name) for name in manifest.parts})


def write(path: Path, data: bytes) -> None:
    """Write a small file so that a reader sees the old content or the new, never a part of it."""
    beside = path.with_name(f"{HALF}{os.getpid()}")
    try:
        beside.write_bytes(data)
        sync(beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Have the system write ``path`` out, so that a power cut leaves either generation whole."""
    if os.name == "nt" and path.is_dir():  # Windows cannot open a folder
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_files(folder: Path) -> None:
    """As ``sync``, for every file of ``folder``: several at a time, which the file system writes out together.

    One after another each would wait for a turn of the disk of its own, ten times as long in all.
    """
    from concurrent.futures import ThreadPoolExecutor  # only a build needs it

    with ThreadPoolExecutor(_SYNCS) as threads:
        for _ in threads.map(sync, folder.iterdir()):
            pass


# --- reading ----------------------------------------------------------------------------------------------------------


def read_manifest(place: Path) -> Manifest:
    """The manifest at ``place``; ``IndexUnusable`` where there is none that this version can trust."""
    path = place / MANIFEST
    try:
        raw = path.read_bytes()
        schema = msgspec.json.decode(raw, type=dict[str, msgspec.Raw]).get("schema")
        number = int(bytes(schema)) if schema else -1
    except FileNotFoundError:
        raise IndexUnusable("is no index: it has no manifest", where=str(place), advice=ADVICE) from None
    except (msgspec.DecodeError, ValueError, OSError):
        raise IndexUnusable("the manifest is damaged", where=str(path), advice=ADVICE) from None
    if number != SCHEMA:
        age = "an older" if number < SCHEMA else "a newer"
        advice = "run `dragoman build`" + ("" if number < SCHEMA else ", or use that newer version")
        raise IndexUnusable(
            f"was written by {age} version (schema {number}, this one reads {SCHEMA})", where=str(place), advice=advice
        )
    try:
        return msgspec.json.decode(raw, type=Manifest)
    except msgspec.DecodeError:
        raise IndexUnusable("the manifest is damaged", where=str(path), advice=ADVICE) from None


def trust(place: Path) -> Manifest:
    """The manifest of ``place`` after a look at every part, in milliseconds where nobody has touched them; those of the
    shared part that it stands on included.

    Raises ``IndexUnusable`` for a part that is missing, of another size, or of another content.
    """
    manifest = read_manifest(place)
    if manifest.shared is not None:
        _same(trust(place / manifest.shared.at), manifest, place)
    noted = _stamps(place)
    found: dict[str, Stamp] = {}
    for part, info in manifest.parts.items():
        path = place / part
        try:
            stamp = found[part] = stamp_of(path)
        except OSError:
            raise IndexUnusable("is missing", where=str(path), advice=ADVICE) from None
        if stamp[0] != info.bytes:
            what = f"has {stamp[0]} bytes instead of {info.bytes}"
            raise IndexUnusable(what, where=str(path), advice=ADVICE)
        if noted.get(part) != stamp and not _matches(path, info):
            raise IndexUnusable("does not match its checksum", where=str(path), advice=ADVICE)
    if found != noted:
        with suppress(OSError):  # an index that may not be written to is checked again at each opening
            write(place / STAMPS, msgspec.json.encode(found))
    return manifest


def check(place: Path) -> Manifest:
    """Verify every part's checksum, those of the shared part included; ``IndexUnusable`` names the first that
    differs."""
    manifest = read_manifest(place)
    if manifest.shared is not None:
        _same(check(place / manifest.shared.at), manifest, place)
    for part, info in manifest.parts.items():
        path = place / part
        if not path.is_file() or not _matches(path, info):
            raise IndexUnusable("does not match its checksum", where=str(path), advice=ADVICE)
    if content_id(manifest.parts, manifest.shared.id if manifest.shared else "") != manifest.id:
        raise IndexUnusable("the manifest does not match its own id", where=str(place / MANIFEST), advice=ADVICE)
    return manifest


def _matches(path: Path, info: PartInfo) -> bool:
    try:
        return digest_file(path) == info.sha256
    except OSError as error:
        raise IndexUnusable(f"cannot be read ({error.strerror})", where=str(path), advice=ADVICE) from None


def _same(shared: Manifest, manifest: Manifest, place: Path) -> None:
    if manifest.shared is not None and shared.id != manifest.shared.id:
        raise IndexUnusable("stands on other terminologies than those there", where=str(place), advice=ADVICE)


def stamp_of(path: Path) -> Stamp:
    """What the file system says of a file."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _stamps(place: Path) -> dict[str, Stamp]:
    try:
        return msgspec.json.decode((place / STAMPS).read_bytes(), type=dict[str, Stamp])
    except (OSError, msgspec.DecodeError):  # without them, checksums tell
        return {}
