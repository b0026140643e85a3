"""Where indexes live: one folder a generation, a pointer to the one in use, the terminologies that they share.

::

    .dragoman/index/
        current            the generations at hand, the one in use first (replaced atomically)
        9f3c1a20b4d5e6f7/  a generation: catalogue and pages, manifest.json, stamps.json
        terminology/       what generations share, the compiled terminologies, by their ids
        tenants/north/     a tenant's generations: the same as here, but for terminology/
        report.json        what the last build said, whether or not its index was taken
        rejects.tsv        the rows that it did not take: file, line, reason
        .lock              held while a build runs

A generation is written beside the others and becomes current by one rename; a reader that has the old one mapped keeps
it. The id is a digest of the contents of all parts: the same sources and version give the same id, and ``built_at``
stands outside it.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import filelock

from dragoman.errors import DataError, IndexBusy, IndexUnusable
from dragoman.index.manifest import ADVICE, BESIDE, HALF, STAMPS, encode_stamps, sync, sync_files, write
from dragoman.index.manifest import MANIFEST as MANIFEST
from dragoman.index.manifest import SCHEMA as SCHEMA
from dragoman.index.manifest import Manifest as Manifest
from dragoman.index.manifest import SourceInfo as SourceInfo
from dragoman.index.manifest import __version__ as __version__
from dragoman.index.manifest import check as check
from dragoman.index.manifest import content_id as content_id
from dragoman.index.manifest import digest_file as digest_file
from dragoman.index.manifest import make_manifest as make_manifest
from dragoman.index.manifest import read_manifest as read_manifest
from dragoman.index.manifest import seal as seal
from dragoman.index.manifest import trust as trust

CURRENT = "current"
FRESH = ".new-"
SHARED = "terminology"
KEEP = 3  # generations left beside the current one, for `dragoman index rollback`

_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_GENERATION = re.compile(r"[0-9a-f]{16}")  # nothing else in the folder is ever removed


class Generation(NamedTuple):
    """One generation at hand: its manifest, or why it must not be used."""

    id: str
    manifest: Manifest | None
    fault: IndexUnusable | None


# --- writing ----------------------------------------------------------------------------------------------------------


@contextmanager
def lock(home: Path) -> Iterator[None]:
    """Hold the build lock of ``home``, to write there.

    ``IndexBusy`` with the owner's process id where another build has it; ``DataError`` where it cannot be written, or
    no more while the lock is held. The system lets go of the lock when its owner dies, however that dies; what such
    a build left is removed here.
    """
    try:
        with _locked(home):
            yield
    except OSError as error:
        if error.filename is not None and not Path(os.fsdecode(error.filename)).is_relative_to(home):
            raise
        full = error.errno in _FULL
        raise DataError(
            f"the index cannot be written ({error.strerror})",
            where=str(home),
            advice=("free some space" if full else "use an account that may write there")
            + ", or another folder ([project] index, --out); the index in use stays as it is",
        ) from None


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    home.mkdir(parents=True, exist_ok=True)
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
    for pattern in (f"{FRESH}*", f"{SHARED}/{FRESH}*"):
        for path in home.glob(pattern):
            shutil.rmtree(path, ignore_errors=True)
    for pattern in (f"{HALF}*", f"*/{HALF}*", f"{SHARED}/*/{HALF}*", ".lock.owner-*"):
        for path in home.glob(pattern):
            path.unlink(missing_ok=True)
    named = set(at_hand(home))
    for place in home.iterdir():
        if named and place.name not in named and _GENERATION.fullmatch(place.name) and place.is_dir():
            shutil.rmtree(place, ignore_errors=True)


def fresh(parent: Path) -> Path:
    """A new folder in which something for ``parent`` is made; who may read it is what the process's umask says."""
    while True:
        place = parent / f"{FRESH}{secrets.token_hex(6)}"
        try:
            place.mkdir()
        except FileExistsError:
            continue
        return place


def adopt(home: Path, fresh: Path, manifest: Manifest) -> Path:
    """Make the finished folder ``fresh`` the current generation; the lock must be held. Returns its place."""
    place = settle(home, fresh, manifest)
    point(home, manifest.id)
    _prune(home)
    return place


def settle(home: Path, fresh: Path, manifest: Manifest) -> Path:
    """Give the finished folder ``fresh`` its place under ``home``, by its id; the lock must be held. Returns it."""
    seal(fresh, manifest)
    sync_files(fresh)
    place = home / manifest.id
    if place.exists():
        # The same contents were built before, and may be in use: they are replaced file by file with what is equal to
        # them, so that the generation is whole at every moment (and is mended, should a part have been damaged).
        names = sorted((p.name for p in fresh.iterdir()), key=BESIDE.__contains__)
        for name in names:
            if (place / name).is_dir():  # which nothing here ever makes
                shutil.rmtree(place / name)
            (fresh / name).replace(place / name)
        fresh.rmdir()
        write(place / STAMPS, encode_stamps(place, manifest))  # a rename is a change, too
    else:
        fresh.rename(place)
    sync(home)
    return place


def point(home: Path, generation: str) -> None:
    """Make ``generation`` the current one, atomically; the lock must be held."""
    earlier = [name for name in at_hand(home) if name != generation]
    write(home / CURRENT, "".join(f"{name}\n" for name in (generation, *earlier)).encode())
    sync(home)


def rollback(home: Path, generation: str | None = None) -> Manifest:
    """Go back to ``generation``, by default to the one before the current; the one that is left goes last.

    Raises ``IndexUnusable`` where there is none, or where it is not whole, ``DataError`` where the store cannot be
    written; the current one then stays in use.
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
        write(home / CURRENT, "".join(f"{name}\n" for name in (wanted, *rest, *last)).encode())
        sync(home)
        return manifest


def _prune(home: Path) -> None:
    there = at_hand(home)
    if there[KEEP + 1 :]:
        write(home / CURRENT, "".join(f"{name}\n" for name in there[: KEEP + 1]).encode())
    _sweep(home)


# --- reading ----------------------------------------------------------------------------------------------------------


def at_hand(home: Path) -> list[str]:
    """The names of the generations, the one in use first, then in the order in which ``rollback`` takes them; what else
    stands there, as after damage, is left out."""
    return [line for line in _lines(home) if _GENERATION.fullmatch(line)]


def _lines(home: Path) -> list[str]:
    try:
        return (home / CURRENT).read_text("ascii", "replace").split()
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise IndexUnusable(f"cannot be read ({error.strerror})", where=str(home / CURRENT)) from None


def current_name(home: Path) -> str | None:
    """The generation in use, or ``None`` where nothing was built yet. Raises ``IndexUnusable`` where it cannot be told:
    an earlier generation is not put into use without a word."""
    first = next(iter(_lines(home)), None)
    if first is not None and not _GENERATION.fullmatch(first):
        raise IndexUnusable("is damaged", where=str(home / CURRENT), advice=ADVICE)
    return first


def generations(home: Path) -> list[Generation]:
    """All generations at hand, the one in use first; one that is damaged comes with its fault."""
    found = []
    for name in at_hand(home):
        try:
            found.append(Generation(name, read_manifest(home / name), None))
        except IndexUnusable as error:
            found.append(Generation(name, None, error))
    return found


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
