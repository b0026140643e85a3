"""Indexes in an object store: pushed from where they are built, pulled to where they answer.

::

    s3://bucket/formulary/
        current                  the id of the generation that is in use
        tenants/<name>/current   that of a tenant
        indexes/<id>.json        its manifest, and those of the terminologies that generations share
        parts/<sha256>           the parts, by content: generations share what is equal

A part is written before the manifest that names it, and the manifest before the pointer, so that whoever reads at any
moment finds a whole index or none. What arrives is compared with its checksum; parts that an earlier generation has
already are linked and not fetched. The pulled generation becomes current by the same rename as a built one: readers
that have the old one mapped keep it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import IO

import msgspec

from dragoman.errors import IndexBusy, IndexUnusable
from dragoman.index import store
from dragoman.index.store import Manifest
from dragoman.storage import Storage
from dragoman.types import Value

CURRENT = "current"
BLOCK = 1 << 20  # bytes that are held at once
PATIENCE_S = 600.0  # how long to wait for another process of this machine that fetches the same index

_ID = re.compile(r"[0-9a-f]{16}")


class Moved(Value, frozen=True, kw_only=True):
    """What was sent or fetched: ``parts`` of the index and their ``bytes``, how many of these ``moved`` because the
    other side did not have them, and whether the index is now another than before (``changed``).
    """

    id: str
    where: str
    parts: int
    bytes: int
    moved: int
    changed: bool


def cache() -> Path:
    """Where this machine keeps what it fetches: ``$XDG_CACHE_HOME/dragoman``, by default ``~/.cache/dragoman``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dragoman"


def push(home: Path, url: str, generation: str | None = None, *, tenant: str = "") -> Moved:
    """Send a generation of ``home``, by default the current one, to ``url`` and make it the current one there, for
    that ``tenant``.

    It is checked in full before it is sent. Raises ``IndexUnusable`` where it is not whole, ``StoreUnavailable``.
    """
    place = store.open_place(home) if generation is None else home / generation
    manifest = store.check(place)
    there = Storage(url)
    moved = 0
    if manifest.shared is not None:
        below = place / manifest.shared.at
        moved += _send(there, below, store.read_manifest(below))
    moved += _send(there, place, manifest)
    before = current(url, tenant)
    if before != manifest.id:
        there.write(_pointer(tenant), f"{manifest.id}\n".encode())
    return _moved(manifest, there, moved, before != manifest.id)


def _send(there: Storage, place: Path, manifest: Manifest) -> int:
    """Send a folder's parts, then its manifest; how many parts had to be sent."""
    moved = 0
    held = {entry.name for entry in there.files("parts")}
    for name, part in manifest.parts.items():
        if f"parts/{part.sha256}" not in held:
            held.add(f"parts/{part.sha256}")
            with there.writing(f"parts/{part.sha256}") as beside:
                shutil.copyfile(place / name, beside)
            moved += 1
    there.write(f"indexes/{manifest.id}.json", msgspec.json.encode(manifest))
    return moved


def _pointer(tenant: str) -> str:
    return f"tenants/{tenant}/{CURRENT}" if tenant else CURRENT


def current(url: str, tenant: str = "") -> str | None:
    """The id that is in use at ``url`` for a tenant, or the project; ``None`` where nothing was pushed yet."""
    raw = Storage(url).read(_pointer(tenant))
    name = raw.decode("ascii", "replace").strip() if raw else ""
    return name if _ID.fullmatch(name) else None


def holds(url: str, generation: str) -> bool:
    """Whether ``url`` holds this generation."""
    return Storage(url).is_file(f"indexes/{generation}.json")


def pull(url: str, home: Path, generation: str | None = None, *, tenant: str = "") -> Moved:
    """Fetch a generation, by default the one in use at ``url`` for that ``tenant``, into ``home`` and make it the
    current one here.

    Raises ``IndexUnusable`` where there is none, or where what arrives is not what the manifest says; the current one
    then stays in use. ``IndexBusy`` where a build or another pull is writing ``home``; ``StoreUnavailable``.
    """
    there = Storage(url)
    wanted = generation or current(url, tenant)
    if wanted is None:
        whose = f" --tenant {tenant}" if tenant else ""
        advice = f"run `dragoman index push {there.shown}{whose}` where the index is built"
        raise IndexUnusable("there is no index yet", where=there.shown, advice=advice)
    manifest = _manifest(there, wanted)
    with store.lock(home):
        before = store.current_name(home)
        try:
            store.check(home / wanted)
            store.point(home, wanted)
            return _moved(manifest, there, 0, before != wanted)
        except IndexUnusable:  # not there, or damaged: then it is mended
            moved = _fetch(there, manifest, home)
        return _moved(manifest, there, moved, before != wanted)


def fetch(url: str, generation: str) -> Path:
    """The folder of a generation in this machine's cache, fetched once whoever asks; waits while another process does.

    Raises as ``pull`` does.
    """
    home = cache() / "pulled" / hashlib.sha256(url.encode()).hexdigest()[:16]
    patience = monotonic() + PATIENCE_S
    while True:
        with suppress(IndexUnusable):
            store.trust(home / generation)
            return home / generation
        try:
            pull(url, home, generation)
        except IndexBusy:
            if monotonic() > patience:
                raise
            sleep(0.1)


def _manifest(there: Storage, generation: str) -> Manifest:
    where = f"{there.shown}/indexes/{generation}.json"
    raw = there.read(f"indexes/{generation}.json") if _ID.fullmatch(generation) else None
    if raw is None:
        raise IndexUnusable(f"there is no index {generation!r}", where=there.shown, advice="push it again")
    try:
        manifest = msgspec.json.decode(raw, type=Manifest)
    except msgspec.DecodeError:
        raise IndexUnusable("the manifest is damaged", where=where, advice="push it again") from None
    if manifest.schema != store.SCHEMA:
        raise IndexUnusable(
            f"was written by another version (schema {manifest.schema}, this one reads {store.SCHEMA})",
            where=where,
            advice="use the same version here and where it is built",
        )
    below = manifest.shared.id if manifest.shared else ""
    if manifest.id != generation or store.content_id(manifest.parts, below) != generation:
        raise IndexUnusable("the manifest does not match its own id", where=where, advice="push it again")
    if any(Path(name).name != name for name in manifest.parts) or (below and not _ID.fullmatch(below)):
        # it came from elsewhere: it may not choose our folders
        raise IndexUnusable("the manifest names parts outside the index", where=where, advice="push it again")
    return manifest


def _fetch(there: Storage, manifest: Manifest, home: Path) -> int:
    """Bring all parts of a generation and of what it stands on, and make it current; how many had to be fetched."""
    moved = 0
    if manifest.shared is not None:
        folder, id_ = home / store.SHARED, manifest.shared.id
        folder.mkdir(exist_ok=True)
        try:
            store.check(folder / id_)
        except IndexUnusable:  # not there, or damaged: then it is mended
            below = _manifest(there, id_)
            moved += _bring(there, below, folder, _here(folder, id_), lambda fresh: store.settle(folder, fresh, below))
        manifest = msgspec.structs.replace(
            manifest, shared=msgspec.structs.replace(manifest.shared, at=f"../{store.SHARED}/{id_}")
        )
    here = _here(home, *(g.id for g in store.generations(home)))
    return moved + _bring(there, manifest, home, here, lambda fresh: store.adopt(home, fresh, manifest))


def _bring(there: Storage, manifest: Manifest, home: Path, here: dict[str, Path], keep: Callable[[Path], Path]) -> int:
    """Fetch the parts that are not ``here`` into a new folder of ``home``, and ``keep`` it."""
    fresh = home / f"{store.FRESH}{os.getpid()}"
    fresh.mkdir()
    moved = 0
    try:
        for name, part in manifest.parts.items():
            if part.sha256 in here:
                shutil.copyfile(here[part.sha256], fresh / name)
                if store.digest_file(fresh / name) == part.sha256:
                    continue
            with there.open(f"parts/{part.sha256}") as source, (fresh / name).open("wb") as target:
                arrived = _copy(source, target)
            moved += 1
            if arrived != part.sha256:
                raise IndexUnusable(
                    "does not match its checksum",
                    where=f"{there.shown}/parts/{part.sha256}",
                    advice="remove it there and push again",
                )
            here[part.sha256] = fresh / name
        keep(fresh)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return moved


def _here(home: Path, *ids: str) -> dict[str, Path]:
    """The parts of the folders ``ids`` of ``home`` that are there, by checksum."""
    found: dict[str, Path] = {}
    for place in (home / id_ for id_ in ids):
        with suppress(IndexUnusable):
            parts = store.read_manifest(place).parts
            found |= {part.sha256: place / name for name, part in parts.items() if (place / name).is_file()}
    return found


def _copy(source: IO[bytes], target: IO[bytes]) -> str:
    state = hashlib.sha256()
    while block := source.read(BLOCK):
        state.update(block)
        target.write(block)
    return state.hexdigest()


def _moved(manifest: Manifest, there: Storage, moved: int, changed: bool) -> Moved:
    return Moved(
        id=manifest.id,
        where=there.shown,
        parts=len(manifest.parts) + (manifest.shared.parts if manifest.shared else 0),
        bytes=manifest.whole_size,
        moved=moved,
        changed=changed,
    )
