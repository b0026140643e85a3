"""The files behind a source: a file, a folder or an archive becomes a list of entries, and every read fault a
``DataError``.

A reader opens entries and never paths, so that each format can be read from a folder and from an archive alike: a zip,
or a tar file (``.tar``, ``.tgz``, ``.tar.gz``). A file that ends in ``.gz`` stands for what is packed in it.
"""

from __future__ import annotations

import codecs
import fnmatch
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple, cast

from dragoman.errors import DataError

# What the standard library raises for a damaged archive or a file that cannot be read. ValueError covers names in a
# zip's directory that do not decode, and offsets that do not exist.
_UNREADABLE = (
    OSError,
    EOFError,
    NotImplementedError,
    ValueError,
    OverflowError,
    struct.error,
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
)
_BLOCK = 1 << 20  # bytes that are looked at at once
_ZIP = ".zip"
_TAR = (".tar", ".tgz", ".tar.gz")
_GZIP = ".gz"
_NO_TEXT = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # how workbooks, archives and old office files begin
_LITTER = ("__MACOSX", "Thumbs.db")  # what file managers leave in folders and archives


class Entry(NamedTuple):
    """One file to read: ``path`` on disk, or ``member`` of the archive at ``path``."""

    path: Path
    member: str = ""

    @property
    def name(self) -> str:
        """The file's own name, without folders; that of what is packed in it where it is a ``.gz``."""
        if self.member:
            return PurePosixPath(self.member).name
        return self.path.stem if self.path.suffix.lower() == _GZIP else self.path.name

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the folders it lies in, outermost first; inside the archive for a member."""
        return PurePosixPath(self.member).parts[:-1] if self.member else self.path.parts[:-1]

    def __str__(self) -> str:
        return f"{self.path}!{self.member}" if self.member else str(self.path)


def entries(path: Path, *, zips: bool = False) -> list[Entry]:
    """All files of a source in a fixed order: the file itself, the files below a folder, the members of an archive.

    ``zips``: an archive inside a folder stands for its members. Raises ``DataError`` where ``path`` does not exist,
    cannot be listed, or holds nothing.
    """
    if path.is_dir():
        found = [e for p in sorted(path.rglob("*")) if p.is_file() for e in _expand(p, zips)]
    elif path.is_file():
        found = _expand(path, True)
    else:
        raise DataError("there is no such file or folder", where=str(path), advice="correct `path` in the project file")
    found = [e for e in found if e == Entry(path) or not _litter(e, path)]
    if not found:
        raise DataError("the folder holds no file", where=str(path), advice="correct `path` in the project file")
    return found


def select(found: Iterable[Entry], root: Path, patterns: Iterable[str]) -> list[Entry]:
    """The entries that ``patterns`` (names or ``*`` patterns, relative to ``root``) name, in the order of the patterns.

    Raises ``DataError`` for a pattern that names none.
    """
    pool = list(found)
    chosen: list[Entry] = []
    for pattern in patterns:
        hits = [e for e in pool if fnmatch.fnmatchcase(_relative(e, root), pattern)]
        hits = hits or [e for e in pool if fnmatch.fnmatchcase(e.name, pattern)]
        if not hits:
            raise DataError(f"no file is called {pattern!r}", where=str(root), advice="correct `files`")
        chosen += [e for e in hits if e not in chosen]
    return chosen


@contextmanager
def opened(entry: Entry) -> Iterator[IO[bytes]]:
    """The bytes of an entry; faults while it is open are a ``DataError`` that names it."""
    try:
        if not entry.member:
            if entry.path.suffix.lower() == _GZIP:
                with gzip.open(entry.path) as unpacked:
                    yield cast(IO[bytes], unpacked)
                return
            with entry.path.open("rb") as stream:
                yield stream
            return
        if entry.path.name.lower().endswith(_TAR):
            with tarfile.open(entry.path) as archive, _extracted(archive, entry) as stream:
                yield stream
            return
        with zipfile.ZipFile(entry.path) as zipped:
            info = zipped.getinfo(entry.member)
            if info.flag_bits & 1:
                raise DataError("the file is encrypted", where=str(entry), advice="unpack it first")
            with zipped.open(info) as stream:
                yield stream
    except UnicodeDecodeError:
        raise  # the text layer knows the line
    except _UNREADABLE as error:
        raise _unreadable(error, str(entry)) from error


def lines(entry: Entry) -> Iterator[str]:
    """The entry as UTF-8 lines (a BOM is allowed), split at LF alone; other encodings are refused with their line."""
    try:
        with opened(entry) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n") as text:
            for first in text:
                if first.startswith(_NO_TEXT[0].decode()):
                    raise _workbook(entry)
                yield first
                break
            yield from text
    except UnicodeDecodeError as error:
        raise _not_utf8(entry, error) from None


def decoded(entry: Entry, raw: bytes) -> list[str]:
    """Some whole lines of an entry as ``lines`` gives them."""
    try:
        return raw.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise _not_utf8(entry, error) from None


def read_bytes(entry: Entry) -> bytes:
    """The whole entry; empty ones are a ``DataError``."""
    with opened(entry) as stream:
        data = stream.read()
    if not data.strip():
        raise empty(entry)
    return data


def is_utf8(raw: bytes) -> bool:
    """Whether bytes are UTF-8, without a second copy of them as text."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(raw), _BLOCK):
            decoder.decode(raw[at : at + _BLOCK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def empty(entry: Entry) -> DataError:
    """The error for a file without content."""
    return DataError("the file is empty", where=str(entry), advice="fetch it again, or leave it out")


def _extracted(archive: tarfile.TarFile, entry: Entry) -> IO[bytes]:
    stream = archive.extractfile(entry.member)
    if stream is None:  # a folder, or a link to nothing
        raise tarfile.ReadError("is no file")
    return stream


def _expand(path: Path, zips: bool) -> list[Entry]:
    name = path.name.lower()
    if not zips or not name.endswith((_ZIP, *_TAR)):
        return [Entry(path)]
    try:
        if name.endswith(_ZIP):
            with zipfile.ZipFile(path) as zipped:
                names = sorted(info.filename for info in zipped.infolist())
        else:
            with tarfile.open(path) as archive:
                names = sorted(info.name for info in archive if info.isfile())
    except _UNREADABLE as error:
        raise _unreadable(error, str(path)) from error
    return [Entry(path, name) for name in names if name and not name.endswith("/")]


def _litter(entry: Entry, root: Path) -> bool:
    parts = PurePosixPath(_relative(entry, root)).parts
    return any(part.startswith(".") or part in _LITTER for part in parts)


def _relative(entry: Entry, root: Path) -> str:
    if entry.member:
        return entry.member
    return entry.path.relative_to(root).as_posix() if entry.path != root else entry.path.name


def _unreadable(error: BaseException, where: str) -> DataError:
    what = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return DataError(f"cannot be read ({what})", where=where, advice="fetch the file again, or correct its permissions")


def _workbook(entry: Entry) -> DataError:
    return DataError(
        "the file is a workbook or an archive, and no text",
        where=str(entry),
        advice="export the sheet as CSV UTF-8, or unpack the file",
    )


def _not_utf8(entry: Entry, error: UnicodeDecodeError) -> DataError:
    """Find the line that does not decode: only a second pass over the bytes can tell."""
    line = 0
    with opened(entry) as stream:
        for number, raw in enumerate(stream, 1):
            if number == 1 and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
                return DataError("the file is UTF-16", where=str(entry), advice="save it as UTF-8")
            if number == 1 and raw.startswith(_NO_TEXT):
                return _workbook(entry)
            try:
                raw.decode("utf-8")
            except UnicodeDecodeError:
                line = number
                break
    return DataError(
        f"the text is not UTF-8 ({error.reason})",
        where=f"{entry}:{line}" if line else str(entry),
        advice="save the file as UTF-8, e.g. `iconv -f WINDOWS-1252 -t UTF-8 FILE`",
    )
