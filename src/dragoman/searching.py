"""The organisation's own pages, searched as its retriever would: for the person's words, and for the enriched query.

Made for people who want to see what enrichment does to a search; a service of its own does not search with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.errors import DataError
from dragoman.folder import Language
from dragoman.project import Project
from dragoman.retrieve.sqlite import SqliteRetriever
from dragoman.text.tokens import tokenize
from dragoman.types import Value, WeightedTerm

DEFAULT = "pages.jsonl"  # beside the project file
BEFORE, AROUND = 60, 200  # characters of a snippet: before the first word that was asked for, and in all


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page to search; other keys of the file are for its editor."""

    id: str
    text: str
    title: str = ""
    url: str | None = None


class Hit(Value, frozen=True, kw_only=True):
    """A page that was found. ``snippet`` is a piece of its text around the first word of the query."""

    id: str
    title: str
    snippet: str
    url: str | None = None
    score: float


class Searched(Value, frozen=True, kw_only=True):
    """The same pages searched for the person's words alone, and with what enrichment appended; best first."""

    pages: int
    plain: tuple[Hit, ...]
    enriched: tuple[Hit, ...]


class Stamp(NamedTuple):
    """By which a changed file is known."""

    path: Path
    changed_ns: int
    size: int


def stamp(project: Project) -> Stamp | None:
    """The file of pages that the project has, as it is now; ``None`` where there is none.

    What lies beside the project file is the project's, and no tenant's.
    """
    named = project.file.serve.pages
    if named is None and project.of is not None:
        return None
    path = project.at(named or DEFAULT)
    try:
        state = path.stat()
    except OSError as error:
        if named is None:
            return None
        raise DataError(f"the pages cannot be read ({error.strerror})", where=str(path), advice="see [serve]") from None
    return Stamp(path, state.st_mtime_ns, state.st_size)


class PageSearch:
    """Search over one file of pages. Safe to share between threads: all of it happens on a thread of its own."""

    def __init__(self, file: Path, languages: Sequence[Language]) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pages")
        self._pages: dict[str, Page] = {}
        self._base = self._thread.submit(self._open, file, languages).result()

    def _open(self, file: Path, languages: Sequence[Language]) -> SqliteRetriever:
        try:
            pages = msgspec.json.Decoder(Page).decode_lines(file.read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(
                f"the pages cannot be read ({error})", where=str(file), advice="one JSON object a line: id, title, text"
            ) from None
        self._pages = {page.id: page for page in pages}
        stop = [word for pack in languages for word in pack.lines("stopwords.txt")]
        base = SqliteRetriever(marks_matter=languages[0].marks_matter, stop=stop)
        base.index((page.id, f"{page.title}\n{page.text}") for page in pages)
        return base

    def search(self, text: str, terms: Iterable[WeightedTerm], k: int = 10) -> Searched:
        """The best ``k`` pages for ``text``, and for the weighted ``terms`` of an enriched query (``text`` if none)."""
        return self._thread.submit(self._search, text, tuple(terms), k).result()

    def _search(self, text: str, terms: Sequence[WeightedTerm], k: int) -> Searched:
        enriched = [(t.term, t.weight) for t in terms] or [(text, 1.0)]
        return Searched(
            pages=len(self._pages),
            plain=self._hits(self._base.search([(text, 1.0)], k), [text]),
            enriched=self._hits(self._base.search(enriched, k), [term for term, _ in enriched]),
        )

    def _hits(self, found: Sequence[tuple[str, float]], texts: Sequence[str]) -> tuple[Hit, ...]:
        asked = {token.key for text in texts for token in tokenize(text).tokens if len(token.key) > 3}
        return tuple(
            Hit(
                id=id_,
                title=self._pages[id_].title or id_,
                snippet=_snippet(self._pages[id_].text, asked),
                url=self._pages[id_].url,
                score=round(score, 4),
            )
            for id_, score in found
        )

    def close(self) -> None:
        """Let go of the database and the thread."""
        self._thread.submit(self._base.close).result()
        self._thread.shutdown()


def _snippet(text: str, asked: set[str]) -> str:
    """A piece of the text around the first word of ``asked``, cut between words."""
    at = next((t.start for t in tokenize(text).tokens if t.key in asked), 0)
    start = max(0, at - BEFORE)
    if start:
        start = text.find(" ", start) + 1
    end = start + AROUND
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + 1)
    piece = " ".join(text[start:end].split())
    return f"{'… ' if start else ''}{piece}{' …' if end < len(text) else ''}"
