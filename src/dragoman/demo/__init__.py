"""The two made-up deployments that ship with dragoman: a hospital in Dutch and a formulary in Vietnamese.

Each is a folder with a project file, its data, small pages to search, and questions with the page that should be found.
All of it is invented or common knowledge: demonstration data, not medical information.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from dragoman.errors import ConfigError, DataError

HERE = Path(__file__).parent
T = TypeVar("T", bound=msgspec.Struct)


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page to search; other keys of the file are for its editor."""

    id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """Title and text: what a search engine indexes."""
        return f"{self.title}\n{self.text}"


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question of the tour. ``expects_page`` is the id of the page that answers it; ``None`` where none should."""

    text: str
    language: str
    expects_page: str | None = None


def names() -> list[str]:
    """The built-in demos, by name."""
    return sorted(p.parent.name for p in HERE.glob("*/dragoman.toml"))


def folder(name: str) -> Path:
    """The folder of a demo. ``ConfigError`` that names those there are."""
    if name not in names():
        raise ConfigError(f"there is no demo {name!r}", advice=f"there are: {', '.join(names())}")
    return HERE / name


def pages(name: str) -> list[Page]:
    """The pages of a demo, in the order of the file."""
    return _read(folder(name) / "pages.jsonl", Page)


def questions(name: str) -> list[Question]:
    """The questions of a demo's tour."""
    return _read(folder(name) / "questions.jsonl", Question)


def _read(path: Path, type_: type[T]) -> list[T]:
    try:
        return msgspec.json.Decoder(type_).decode_lines(path.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"cannot be read ({error})", where=str(path), advice="install dragoman again") from None
