"""Folders wherever fsspec reaches: a plain path, ``s3://``, ``gs://``, ``abfs://``, or any other file system of its.

A file appears whole or not at all: it is written beside its place (or, for an object store, on the local disk) and
moved there. Files that are written here may hold what people asked, so on a local disk only their owner reads them.
Credentials are the file system's own matter: its environment variables and configuration files, never an option here.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit

from dragoman.errors import ConfigError, DataError, StoreUnavailable

BLOCK = 1 << 20  # bytes that are asked of a store at once
_BESIDE = ".dragoman-"  # how the names of unfinished files begin
EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "abfs": "abfs", "abfss": "abfs", "az": "abfs"}
"""File system → the extra that brings it."""
PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "abfs": "adlfs"}
"""Extra → the package in it that knows the file system."""


class Entry(NamedTuple):
    """A file below a folder: its name with ``/``, its size in bytes, and a digest that changes with its content."""

    name: str
    bytes: int
    version: str


def _not_there(protocol: str, where: str, error: Exception) -> ConfigError:
    """Why there is no file system ``protocol``. fsspec knows some names only where their package is installed."""
    extra = EXTRAS.get(protocol)
    if extra is not None and find_spec(PACKAGES[extra]) is None:
        what, advice = f"{protocol}:// is not installed", f"pip install 'dragoman[{extra}]'"
    elif extra is not None:
        what = f"{protocol}:// cannot be used as it is set up ({type(error).__name__})"
        advice = f"give the account and its credentials in the environment variables of {PACKAGES[extra]}"
    elif isinstance(error, ValueError):
        what, advice = f"there is no file system {protocol}://", "see the documentation of fsspec"
    else:
        what, advice = f"{protocol}:// cannot be used ({type(error).__name__})", "install what fsspec needs for it"
    return ConfigError(what, where=where, advice=advice)


class Storage:
    """One folder, or one file. ``url`` is a path or ``protocol://place``.

    Raises ``ConfigError`` where fsspec or the file system's package is not installed.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/") if len(url) > 1 else url
        protocol = urlsplit(url).scheme if "://" in url else "file"
        try:
            from fsspec.core import url_to_fs
            from fsspec.implementations.local import LocalFileSystem
        except ImportError:
            raise ConfigError("needs fsspec", where=self.shown, advice="pip install 'dragoman[batch]'") from None
        try:
            fs, root = url_to_fs(self.url)
        except (ImportError, ValueError, OSError) as error:
            raise _not_there(protocol, self.shown, error) from None
        self.fs: Any = fs
        self.root: str = root
        self.local: bool = isinstance(fs, LocalFileSystem)

    @property
    def shown(self) -> str:
        """The address as errors and manifests show it: without a password that someone put into it."""
        head, mark, tail = self.url.partition("://")
        return f"{head}{mark}{tail.rpartition('@')[2]}" if mark and "@" in tail.partition("/")[0] else self.url

    def path(self, name: str = "") -> str:
        """The file system's own path of ``name``."""
        return f"{self.root}/{name}" if name else self.root

    def is_file(self, name: str = "") -> bool:
        """Whether there is such a file."""
        with self._asked(name):
            return bool(self.fs.isfile(self.path(name)))

    def files(self, name: str = "") -> list[Entry]:
        """Every file below the folder ``name``, by name; nothing where there is no such folder."""
        with self._asked(name):
            found = self.fs.find(self.path(name), detail=True)
            start = len(self.root) + 1
            return sorted(
                Entry(path[start:], int(info.get("size") or 0), str(self.fs.ukey(path)))
                for path, info in found.items()
                if info.get("type", "file") == "file" and len(path) > start
            )

    def entry(self) -> Entry:
        """The file that this is, by its own name."""
        with self._asked(""):
            info = self.fs.info(self.root)
            return Entry(self.root.rpartition("/")[2], int(info.get("size") or 0), str(self.fs.ukey(self.root)))

    def open(self, name: str = "", compression: str | None = None) -> IO[bytes]:
        """A file to read; with ``compression="infer"`` what its ending says is undone."""
        with self._asked(name):
            found: Any = self.fs.open(self.path(name), "rb", compression=compression)
            # What object stores give is no whole file of Python's: it has no readline with an end, for one.
            return found if self.local else io.BufferedReader(found, BLOCK)

    def read(self, name: str) -> bytes | None:
        """A small file whole, or ``None`` where there is none."""
        with self._asked(name):
            try:
                return bytes(self.fs.cat_file(self.path(name)))
            except FileNotFoundError:
                return None

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """A local file to write; it appears under ``name`` at the end of the block, and not at all after an error."""
        target = Path(self.path(name))
        with self._asked(name):
            if self.local:
                target.parent.mkdir(parents=True, exist_ok=True)
            handle, made = tempfile.mkstemp(prefix=_BESIDE, dir=target.parent if self.local else None)
            os.close(handle)  # the file is made for its owner alone
        beside = Path(made)
        try:
            yield beside
            with self._asked(name):
                if self.local:
                    beside.replace(target)
                else:
                    self.fs.put_file(str(beside), self.path(name))
        finally:
            beside.unlink(missing_ok=True)

    def write(self, name: str, data: bytes) -> None:
        """A small file, whole."""
        with self.writing(name) as beside:
            beside.write_bytes(data)

    def remove(self, name: str) -> None:
        """Remove a file, or a folder with all that it holds; nothing where there is none."""
        with self._asked(name):
            if self.fs.exists(self.path(name)):
                self.fs.rm(self.path(name), recursive=True)

    def sweep(self) -> None:
        """Remove what writers that were killed have left unfinished on a local disk."""
        for path in Path(self.root).rglob(f"{_BESIDE}*") if self.local else ():
            path.unlink(missing_ok=True)

    @contextmanager
    def _asked(self, name: str) -> Iterator[None]:
        """What a file system raises, as an error that says where; each has exceptions of its own."""
        where = f"{self.shown}/{name}" if name else self.shown
        try:
            yield
        except (FileNotFoundError, PermissionError, NotADirectoryError, IsADirectoryError) as error:
            raise DataError(
                f"cannot be used ({error.strerror or type(error).__name__})", where=where, advice="check the path"
            ) from None
        except OSError as error:
            if self.local:
                raise
            raise StoreUnavailable(f"the store did not answer ({type(error).__name__})", where=where) from error
        except Exception as error:
            raise StoreUnavailable(f"the store did not answer ({type(error).__name__})", where=where) from error
