"""What a retrieval evaluation reads and writes: queries, relevance judgements, pages, and runs.

Queries are JSONL (``id``, ``text``, and if there are any ``language``, ``history``, ``split``) or lines of ``id``, tab,
text. Judgements and runs are in TREC's formats. Everything is checked in full before anything is searched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from dragoman.errors import DataError
from dragoman.types import Message, Turn, Value

T = TypeVar("T", bound=msgspec.Struct)

Judged = dict[str, dict[str, int]]
"""Query id → page id → how relevant, from 1; pages judged not relevant are left out."""

Ranking = Sequence[tuple[str, float]]


class Query(Value, frozen=True, kw_only=True):
    """One query. ``split``: ``dev`` where weights may be chosen on it, ``test`` where they may not."""

    id: str
    text: str
    language: str | None = None
    history: tuple[Message, ...] = ()
    split: Literal["dev", "test"] | None = None

    @property
    def turn(self) -> Turn:
        """The query as a turn to read."""
        return Turn(self.text, language=self.language, history=self.history)


class Page(Value, frozen=True, kw_only=True):
    """One page of the corpus. ``terms``: what ``dragoman annotate`` added, ``None`` where it did not run."""

    id: str
    text: str
    title: str = ""
    terms: tuple[str, ...] | None = None

    @property
    def whole(self) -> str:
        """Title and text: what a search engine indexes."""
        return f"{self.title}\n{self.text}" if self.title else self.text


def read_queries(path: Path) -> list[Query]:
    """All queries of a ``.jsonl`` file, or of any other as lines of ``id``, tab, text. ``DataError`` with its line."""
    if path.suffix in (".jsonl", ".json", ".ndjson"):
        return list(_objects(path, Query))
    found: dict[str, Query] = {}
    for number, line in _lines(path):
        id_, tab, text = line.partition("\t")
        if not tab or not id_.strip() or not text.strip():
            raise DataError("is no query", where=f"{path}:{number}", advice="write id, tab, text; or JSONL in a .jsonl")
        _once(found, id_.strip(), f"{path}:{number}", "query")
        found[id_.strip()] = Query(id=id_.strip(), text=text.strip())
    return _some(list(found.values()), path)


def read_pages(path: Path) -> list[Page]:
    """All pages of a JSONL file (``id``, ``text``, if there are any ``title`` and ``terms``). ``DataError``."""
    return list(_objects(path, Page))


def read_qrels(path: Path) -> Judged:
    """Judgements: lines of query id, anything, page id, relevance. ``DataError`` with the line of the first fault."""
    judged: Judged = {}
    seen: set[tuple[str, str]] = set()
    for number, line in _lines(path):
        parts = line.split()
        try:
            query, _, page, grade = parts
            relevance = int(grade)
        except ValueError:
            raise DataError(
                "is no judgement", where=f"{path}:{number}", advice="write query id, 0, page id, relevance"
            ) from None
        if (query, page) in seen:
            raise DataError(f"{page!r} is judged twice for {query!r}", where=f"{path}:{number}", advice="keep one")
        seen.add((query, page))
        if relevance > 0:
            judged.setdefault(query, {})[page] = relevance
    if not judged:
        raise DataError("holds no relevant page", where=str(path), advice="write query id, 0, page id, relevance")
    return judged


def run_lines(rankings: Mapping[str, Ranking], tag: str) -> Iterator[str]:
    """A run in TREC's format: query id, Q0, page id, rank from 1, score, tag."""
    for query, ranking in rankings.items():
        for rank, (page, score) in enumerate(ranking, 1):
            yield f"{query} Q0 {page} {rank} {score:.6f} {tag}\n"


def _objects(path: Path, type_: type[T]) -> list[T]:
    found: dict[str, T] = {}
    for number, line in _lines(path):
        try:
            value = msgspec.json.decode(line, type=type_)
        except msgspec.ValidationError as error:
            what = f"is no {type_.__name__.lower()}: {error}"
            raise DataError(what, where=f"{path}:{number}", advice='it needs an "id" and a "text"') from None
        except (msgspec.DecodeError, RecursionError) as error:
            raise DataError(
                f"is not JSON: {error}", where=f"{path}:{number}", advice="write one object a line"
            ) from None
        id_: str = value.id  # type: ignore[attr-defined]
        _once(found, id_, f"{path}:{number}", type_.__name__.lower())
        found[id_] = value
    return _some(list(found.values()), path)


def _once(found: Mapping[str, object], id_: str, where: str, what: str) -> None:
    if not id_ or any(c.isspace() for c in id_):
        raise DataError(
            f"the id {id_!r} is empty or has a space", where=where, advice="TREC files are parted by spaces"
        )
    if id_ in found:
        raise DataError(f"the {what} {id_!r} stands twice", where=where, advice="ids are unique")


def _some(found: list[T], path: Path) -> list[T]:
    if not found:
        raise DataError("is empty", where=str(path), advice="see the reference of `dragoman eval-retrieval`")
    return found


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError("is not UTF-8", where=str(path), advice="save it as UTF-8") from None
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=str(path), advice="check the path") from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r")
