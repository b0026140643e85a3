"""Data folders: language packs and profiles are folders of TOML tables, word lists and Markdown, read with types.

A new language or profile is a folder; no code names one. A table is parsed once, into the struct that its user states,
and a wrong key, type or value is a ``ConfigError`` that names the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from xxhash import xxh3_128, xxh3_128_hexdigest

from dragoman.errors import ConfigError

T = TypeVar("T")

PACKAGE = Path(__file__).parent
EVERYWHERE = "mul"  # ISO 639-2 for "multiple languages": the pack of what all share, which is no language of a text


class Lent(NamedTuple):
    """A table that was parsed before: a digest of its file's bytes, and what stood in it, as JSON."""

    digest: str
    table: msgspec.Raw


class Folder:
    """One data folder. ``name`` is the folder's own name (``nl``, ``hospital``)."""

    def __init__(self, path: Path, what: str) -> None:
        self.path = path
        self.name = path.name
        self.what = what
        self._tables: dict[str, Any] = {}
        self._lent: Mapping[str, Lent] = {}

    def lend(self, tables: Mapping[str, Lent]) -> None:
        """Take these, by file, for what they say where the file has not changed since."""
        self._lent = tables

    def has(self, file: str) -> bool:
        """Whether the folder has this file; what a pack lacks is left undone, never guessed."""
        return (self.path / file).is_file()

    def table(self, file: str, type_: type[T]) -> T:
        """``file`` (TOML) as ``type_``, a ``forbid_unknown_fields`` struct whose defaults stand for a missing file."""
        key = f"{file}:{type_.__qualname__}"
        if key not in self._tables:
            self._tables[key] = self._parse(file, type_)
        found: T = self._tables[key]
        return found

    def _parse(self, file: str, type_: type[T]) -> T:
        path = self.path / file
        if not path.is_file():
            return msgspec.convert({}, type_)
        lent = self._lent.get(file)
        if lent is not None and lent.digest == digest_of(path.read_bytes()):
            with suppress(msgspec.DecodeError):  # what is wrong is told of the file itself
                return msgspec.json.decode(lent.table, type=type_)
        try:
            return msgspec.convert(tomllib.loads(path.read_text("utf-8")), type_)
        except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
            raise ConfigError(str(error), where=str(path), advice=f"correct this {self.what}") from None

    def words(self, file: str) -> frozenset[str]:
        """``file`` as a set of lines, NFC as written; empty lines and ``#`` comments are left out."""
        return frozenset(self.lines(file))

    def lines(self, file: str) -> tuple[str, ...]:
        """As ``words``, in the order of the file."""
        key = f"lines:{file}"
        if key not in self._tables:
            path = self.path / file
            raw = path.read_text("utf-8").splitlines() if path.is_file() else []
            plain = (line.split("#", 1)[0] if "#" in line else line for line in raw)
            self._tables[key] = tuple(filter(None, map(str.strip, plain)))
        found: tuple[str, ...] = self._tables[key]
        return found

    def text(self, file: str) -> str:
        """``file`` whole; a missing one is a ``ConfigError``."""
        path = self.path / file
        if not path.is_file():
            raise ConfigError("is missing", where=str(path), advice=f"every {self.what} of this kind has one")
        return path.read_text("utf-8")


def digest_of(raw: bytes) -> str:
    """A digest of a file's bytes."""
    return xxh3_128_hexdigest(raw)


def digest(folders: Iterable[Folder]) -> str:
    """A digest of the contents of ``folders``: of every file's name and bytes."""
    state = xxh3_128()
    for folder in folders:
        for path in sorted(folder.path.iterdir()):
            if path.is_file():
                state.update(f"{folder.name}/{path.name}\0".encode())
                state.update(path.read_bytes())
    return state.hexdigest()


class Pack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``pack.toml`` of a language.

    ``marks``: ``meaning`` where a mark makes another word (Vietnamese), ``ignorable`` where leaving it out does not.
    ``lacks`` says which parts the pack does not have.
    """

    code: str
    name: str
    marks: str = "ignorable"
    lacks: tuple[str, ...] = ()


class Language(Folder):
    """A language pack."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "language pack")
        if not self.has("pack.toml"):
            raise ConfigError("is no language pack: it has no pack.toml", where=str(path), advice="see docs on packs")
        self.pack = self.table("pack.toml", Pack)

    @property
    def code(self) -> str:
        """The BCP 47 primary language subtag."""
        return self.pack.code

    @property
    def marks_matter(self) -> bool:
        """True where a text typed with marks matches terms with the same marks only."""
        return self.pack.marks == "meaning"


class Profile(Folder):
    """A profile: what a deployment asks of a frame."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "profile")


@cache
def language(code_or_path: str, base: Path | None = None) -> Language:
    """A built-in language pack by its code, or a folder of the user's own (relative to ``base``).

    ``ConfigError`` lists the languages there are.
    """
    built_in = PACKAGE / "languages" / code_or_path
    path = built_in if built_in.is_dir() or base is None else base / code_or_path
    if not (path / "pack.toml").is_file():
        raise _no_language(code_or_path)
    return Language(path)


def spoken(code_or_path: str, base: Path | None = None) -> Language:
    """As ``language``, for one that people write in: not the pack of what all languages share."""
    if code_or_path == EVERYWHERE:
        raise _no_language(code_or_path)
    return language(code_or_path, base)


def _no_language(code: str) -> ConfigError:
    packs = (p.name for p in (PACKAGE / "languages").iterdir() if (p / "pack.toml").is_file())
    have = ", ".join(sorted(name for name in packs if name != EVERYWHERE))
    return ConfigError(f"no language pack {code!r}", advice=f"use one of {have}, or a folder that has a pack.toml")


def profile(name_or_path: str, base: Path) -> Profile:
    """A built-in profile by name, or a folder of the user's own (relative to ``base``)."""
    built_in = PACKAGE / "profiles" / name_or_path
    path = built_in if built_in.is_dir() else (base / name_or_path)
    if not (path / "profile.toml").is_file():
        have = ", ".join(sorted(p.name for p in (PACKAGE / "profiles").iterdir() if p.is_dir()))
        raise ConfigError(
            f"no profile {name_or_path!r}", advice=f"use one of {have}, or a folder that has a profile.toml"
        )
    return Profile(path)
