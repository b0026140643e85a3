"""Where indexes live: one folder a generation, a pointer to the one in use, a manifest that vouches for it.

::

    .dragoman/index/
        current            the generations at hand, the one in use first (replaced atomically)
        9f3c1a20b4d5e6f7/  a generation: its parts, manifest.json, stamps.json
        report.json        what the last build said, whether or not its index was taken
        rejects.tsv        the rows that it did not take: file, line, reason
        .lock              held while a build runs

A generation is written beside the others and becomes current by one rename; a reader that has the old one mapped keeps
it. The id is a digest of the contents of all parts: the same sources and version give the same id, and ``built_at``
stands outside it.

Opening must take milliseconds whatever the size, and must not trust a part that was changed. So the build notes of
each part what the file system knows of it (size, times, number); where that is unchanged, nobody has written to the
file. Where it is not (a copied index, say), the checksum decides, and a good one is noted for the next opening.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import filelock
import msgspec

from dragoman._version import __version__ as __version__
from dragoman.errors import DataError, IndexBusy, IndexUnusable
from dragoman.types import IndexInfo, SourceVersion

SCHEMA = 2
MANIFEST = "manifest.json"
STAMPS = "stamps.json"
CURRENT = "current"
FRESH = ".new-"
KEEP = 3  # generations left beside the current one, for `dragoman index rollback`

_GENERATION = re.compile(r"[0-9a-f]{16}")  # nothing else in the folder is ever removed
_ADVICE = "run `dragoman build`, or `dragoman index rollback`"
_BESIDE = (MANIFEST, STAMPS)  # files of a generation that are no parts

Stamp = tuple[int, int, int, int]
"""What the file system says of a file: bytes, time of change in ns, time of any change in ns, file number."""


class PartInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the index: its size in bytes and its SHA-256."""

    bytes: int
    sha256: str


class SourceInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One source: its files with SHA-256, its version and licence, the rows taken and not taken.

    ``rejected`` rows are wrong, ``skipped`` ones rightly left out, ``noted`` ones kept with a change or an assumption;
    each by reason.
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


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What an index is, and by which it is checked before it is trusted.

    ``rates`` are what the golden questions gave (shares from 0 to 1), empty where the project names none. ``rules``
    is a digest of the language packs: names were folded by their rules, so others would no longer find them.
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

    @property
    def info(self) -> IndexInfo:
        """The short form that every answer carries."""
        return IndexInfo(id=self.id, sources=tuple(SourceVersion(name=s.name, version=s.version) for s in self.sources))

    @property
    def size(self) -> int:
        """The bytes of all parts."""
        return sum(part.bytes for part in self.parts.values())


class Generation(NamedTuple):
    """One generation at hand: its manifest, or why it must not be used."""

    id: str
    manifest: Manifest | None
    fault: IndexUnusable | None


def digest_file(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def content_id(parts: dict[str, PartInfo]) -> str:
    """The index id: a digest over its parts' digests and the schema."""
    text = f"{SCHEMA}\n" + "".join(f"{name}\0{part.sha256}\n" for name, part in sorted(parts.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# --- writing ----------------------------------------------------------------------------------------------------------


@contextmanager
def lock(home: Path) -> Iterator[None]:
    """Hold the build lock of ``home``; ``IndexBusy`` with the owner's process id where another build has it.

    The system lets go of the lock when its owner dies, however that dies; what such a build left is removed here.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"the index cannot be written ({error.strerror})", where=str(home), advice="choose another folder for it"
        ) from None
    owner = home / ".lock.owner"
    try:
        held = filelock.FileLock(home / ".lock").acquire(timeout=0)
    except filelock.Timeout:
        who = owner.read_text().strip() if owner.is_file() else ""
        raise IndexBusy(f"another build (process {who or 'unknown'}) is writing this index", where=str(home)) from None
    with held:
        noted = home / f".lock.owner-{os.getpid()}"  # renamed, so that nobody reads half of it
        try:
            noted.write_text(str(os.getpid()))
            noted.replace(owner)
            _sweep(home)
            yield
        finally:
            noted.unlink(missing_ok=True)
            owner.unlink(missing_ok=True)


def _sweep(home: Path) -> None:
    """Remove what killed builds left behind; only called with the lock held.

    A generation that the pointer does not name was written whole, but never used.
    """
    for path in home.glob(f"{FRESH}*"):
        shutil.rmtree(path, ignore_errors=True)
    for pattern in (f"{CURRENT}.new-*", f"*/{CURRENT}.new-*", ".lock.owner-*"):
        for path in home.glob(pattern):
            path.unlink(missing_ok=True)
    named = set(at_hand(home))
    for place in home.iterdir():
        if named and place.name not in named and _GENERATION.fullmatch(place.name) and place.is_dir():
            shutil.rmtree(place, ignore_errors=True)


def seal(fresh: Path, manifest: Manifest) -> None:
    """Write the manifest of the finished folder ``fresh``, so that it can be opened; it is not current yet."""
    stamps = {name: _stamp(fresh / name) for name in manifest.parts}
    (fresh / STAMPS).write_bytes(msgspec.json.encode(stamps))
    (fresh / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))


def adopt(home: Path, fresh: Path, manifest: Manifest) -> Path:
    """Make the finished folder ``fresh`` the current generation; the lock must be held. Returns its place."""
    seal(fresh, manifest)
    for path in fresh.iterdir():
        _sync(path)
    place = home / manifest.id
    if place.exists():
        # The same contents were built before, and may be in use: they are replaced file by file with what is equal to
        # them, so that the generation is whole at every moment (and is mended, should a part have been damaged).
        names = sorted((p.name for p in fresh.iterdir()), key=_BESIDE.__contains__)
        for name in names:
            (fresh / name).replace(place / name)
        fresh.rmdir()
        stamps = {name: _stamp(place / name) for name in manifest.parts}  # a rename is a change, too
        _write(place / STAMPS, msgspec.json.encode(stamps))
    else:
        fresh.rename(place)
    _sync(home)
    point(home, manifest.id)
    _prune(home)
    return place


def point(home: Path, generation: str) -> None:
    """Make ``generation`` the current one, atomically; the lock must be held."""
    earlier = [name for name in at_hand(home) if name != generation]
    _write(home / CURRENT, "".join(f"{name}\n" for name in (generation, *earlier)).encode())
    _sync(home)


def rollback(home: Path, generation: str | None = None) -> Manifest:
    """Go back to ``generation``, by default to the one before the current; the one that is left goes last.

    Raises ``IndexUnusable`` where there is none, or where it is not whole; the current one then stays in use.
    """
    with lock(home):
        there = at_hand(home)
        if generation is None and len(there) < 2:
            raise IndexUnusable("there is no earlier index", where=str(home), advice="see `dragoman index list`")
        if generation is not None and generation not in there:
            raise IndexUnusable(
                f"there is no index {generation!r}", where=str(home), advice="see `dragoman index list`"
            )
        wanted = generation or there[1]
        manifest = check(home / wanted)
        rest = [name for name in there[1:] if name != wanted]
        last = [name for name in there[:1] if name != wanted]
        _write(home / CURRENT, "".join(f"{name}\n" for name in (wanted, *rest, *last)).encode())
        _sync(home)
        return manifest


def _prune(home: Path) -> None:
    there = at_hand(home)
    if there[KEEP + 1 :]:
        _write(home / CURRENT, "".join(f"{name}\n" for name in there[: KEEP + 1]).encode())
    _sweep(home)


def _write(path: Path, data: bytes) -> None:
    """Write a small file so that a reader sees the old content or the new, never a part of it."""
    beside = path.with_name(f"{CURRENT}.new-{os.getpid()}")
    try:
        beside.write_bytes(data)
        _sync(beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Have the system write ``path`` out, so that a power cut leaves either generation whole."""
    if os.name == "nt" and path.is_dir():  # Windows cannot open a folder
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_manifest(
    folder: Path,
    *,
    started: float,
    project: str,
    languages: tuple[str, ...],
    sources: tuple[SourceInfo, ...],
    counts: dict[str, int],
    rules: str = "",
) -> Manifest:
    """The manifest of the parts in ``folder``. ``started`` is ``time.monotonic()`` at the build's start."""
    parts = {
        p.name: PartInfo(bytes=p.stat().st_size, sha256=digest_file(p))
        for p in sorted(folder.iterdir())
        if p.is_file() and p.name not in _BESIDE
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
        rules=rules,
    )


# --- reading ----------------------------------------------------------------------------------------------------------


def at_hand(home: Path) -> list[str]:
    """The names of the generations, the one in use first, then in the order in which ``rollback`` takes them."""
    try:
        lines = (home / CURRENT).read_text("ascii", "replace").split()
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [line for line in lines if _GENERATION.fullmatch(line)]


def current_name(home: Path) -> str | None:
    """The generation in use, or ``None`` where nothing was built yet."""
    return next(iter(at_hand(home)), None)


def generations(home: Path) -> list[Generation]:
    """All generations at hand, the one in use first; one that is damaged comes with its fault."""
    found = []
    for name in at_hand(home):
        try:
            found.append(Generation(name, read_manifest(home / name), None))
        except IndexUnusable as error:
            found.append(Generation(name, None, error))
    return found


def read_manifest(place: Path) -> Manifest:
    """The manifest at ``place``; ``IndexUnusable`` where there is none that this version can trust."""
    path = place / MANIFEST
    try:
        raw = path.read_bytes()
        schema = msgspec.json.decode(raw, type=dict[str, msgspec.Raw]).get("schema")
        number = int(bytes(schema)) if schema else -1
    except FileNotFoundError:
        raise IndexUnusable("is no index: it has no manifest", where=str(place), advice=_ADVICE) from None
    except (msgspec.DecodeError, ValueError, OSError):
        raise IndexUnusable("the manifest is damaged", where=str(path), advice=_ADVICE) from None
    if number != SCHEMA:
        age = "an older" if number < SCHEMA else "a newer"
        advice = "run `dragoman build`" + ("" if number < SCHEMA else ", or use that newer version")
        raise IndexUnusable(
            f"was written by {age} version (schema {number}, this one reads {SCHEMA})", where=str(place), advice=advice
        )
    try:
        return msgspec.json.decode(raw, type=Manifest)
    except msgspec.DecodeError:
        raise IndexUnusable("the manifest is damaged", where=str(path), advice=_ADVICE) from None


def open_place(home: Path) -> Path:
    """The folder of the current generation under ``home``, its parts present and unchanged since the build."""
    name = current_name(home)
    while True:
        if name is None:
            raise IndexUnusable("there is no index yet", where=str(home))
        try:
            trust(home / name)
        except IndexUnusable:
            newer = current_name(home)  # a build may have replaced and removed it between two looks
            if newer == name:
                raise
            name = newer
            continue
        return home / name


def trust(place: Path) -> Manifest:
    """The manifest of ``place`` after a look at every part, in milliseconds where nobody has touched them.

    Raises ``IndexUnusable`` for a part that is missing, of another size, or of another content.
    """
    manifest = read_manifest(place)
    noted = _stamps(place)
    found: dict[str, Stamp] = {}
    for part, info in manifest.parts.items():
        path = place / part
        try:
            stamp = found[part] = _stamp(path)
        except OSError:
            raise IndexUnusable("is missing", where=str(path), advice=_ADVICE) from None
        if stamp[0] != info.bytes:
            what = f"has {stamp[0]} bytes instead of {info.bytes}"
            raise IndexUnusable(what, where=str(path), advice=_ADVICE)
        if noted.get(part) != stamp and digest_file(path) != info.sha256:
            raise IndexUnusable("does not match its checksum", where=str(path), advice=_ADVICE)
    if found != noted:
        with suppress(OSError):  # an index that may not be written to is checked again at each opening
            _write(place / STAMPS, msgspec.json.encode(found))
    return manifest


def check(place: Path) -> Manifest:
    """Verify every part's checksum; ``IndexUnusable`` names the first that differs."""
    manifest = read_manifest(place)
    for part, info in manifest.parts.items():
        path = place / part
        if not path.is_file() or digest_file(path) != info.sha256:
            raise IndexUnusable("does not match its checksum", where=str(path), advice=_ADVICE)
    if content_id(manifest.parts) != manifest.id:
        raise IndexUnusable("the manifest does not match its own id", where=str(place / MANIFEST), advice=_ADVICE)
    return manifest


def _stamp(path: Path) -> Stamp:
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _stamps(place: Path) -> dict[str, Stamp]:
    try:
        return msgspec.json.decode((place / STAMPS).read_bytes(), type=dict[str, Stamp])
    except (OSError, msgspec.DecodeError):  # without them, checksums tell
        return {}
