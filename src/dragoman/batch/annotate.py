"""``dragoman annotate``: adds to each page the terms that people may use for what it is about.

Pages go in and come out in the same order with all that they had, one JSON object a line or one row of a Parquet file.
JSONL may be stopped at any time and gone on with; a Parquet file appears when it is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec

from dragoman.enrich.pages import MOST, page_terms
from dragoman.errors import ConfigError, DataError
from dragoman.types import Value

if TYPE_CHECKING:
    from dragoman.vocabularies import Vocabularies

FIELD = "terms"
PARQUET = ".parquet"
_ROWS = 1024  # of a Parquet file at once

Progress = Callable[[int], None]


class Annotated(Value, frozen=True, kw_only=True):
    """What was done: ``pages`` in all, of which ``already`` were there; ``with_terms`` of those written now got any,
    ``terms`` altogether.
    """

    pages: int = 0
    already: int = 0
    with_terms: int = 0
    terms: int = 0


def annotate(
    vocabularies: Vocabularies,
    source: Path,
    target: Path,
    *,
    field: str = FIELD,
    most: int = MOST,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Annotated:
    """Write the pages of ``source`` (``id``, ``text``, if there is one ``title``) to ``target`` with their terms.

    ``field`` is the name of the list that is added, ``most`` its length at most. Both files are JSONL, or both Parquet
    (``.parquet``). What stands in a JSONL ``target`` already is gone on with, unless ``fresh``. Raises ``DataError``
    with ``file:line`` for what is no page or stands twice, and where ``target`` holds other pages.
    """
    if source.resolve() == target.resolve():
        raise ConfigError("IN and OUT are the same file", where=str(source), advice="write to another file")
    if (source.suffix == PARQUET) != (target.suffix == PARQUET):
        raise ConfigError(
            "one file is Parquet and the other is not", where=str(target), advice="let both end in .jsonl or .parquet"
        )
    if not source.is_file():
        raise DataError("there is no such file", where=str(source), advice="name a file of pages")

    def terms(page: dict[str, Any]) -> list[str]:
        title = page.get("title")
        return list(
            page_terms(
                page["text"],
                vocabularies.terms,
                vocabularies.drugs,
                title=title if isinstance(title, str) and title.strip() else None,
                most=most,
            )
        )

    tick = progress or (lambda _: None)
    if source.suffix == PARQUET:
        return _parquet(source, target, field, terms, tick)
    return _jsonl(source, target, field, terms, fresh, tick)


Terms = Callable[[dict[str, Any]], list[str]]


def _jsonl(source: Path, target: Path, field: str, terms: Terms, fresh: bool, progress: Progress) -> Annotated:
    pages = with_terms = count = 0
    with _open(source, "rb") as given, _open(target, "w+b" if fresh or not target.is_file() else "r+b") as out:
        rows = _pages(given, source)
        already = _resume(out, target, rows)
        for page in rows:
            found = terms(page)
            out.write(msgspec.json.encode(page | {field: found}) + b"\n")
            pages += 1
            with_terms += bool(found)
            count += len(found)
            progress(already + pages)
    return Annotated(pages=already + pages, already=already, with_terms=with_terms, terms=count)


def _resume(out: IO[bytes], target: Path, rows: Iterator[dict[str, Any]]) -> int:
    """Place ``out`` behind its last complete line and ``rows`` behind the page of it; how many pages that were."""
    whole = already = 0
    for line in out:
        if not line.endswith(b"\n"):
            break  # the line that an earlier run was stopped in
        page = next(rows, None)
        try:
            written = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            written = None
        if page is None or not isinstance(written, dict) or written.get("id") != page["id"]:
            raise DataError(
                "is not the page that stands here in IN",
                where=f"{target}:{already + 1}",
                advice="name another file, or give --fresh to write this one anew",
            )
        whole += len(line)
        already += 1
    out.seek(whole)
    out.truncate()
    return already


def _pages(given: IO[bytes], source: Path) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for number, line in enumerate(given, 1):
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not line.strip():
            continue
        where = f"{source}:{number}"
        try:
            page = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise DataError(f"is not JSON: {error}", where=where, advice="write one page a line") from None
        yield _checked(page, seen, where)


def _checked(page: Any, seen: set[str], where: str) -> dict[str, Any]:
    if not isinstance(page, dict) or not isinstance(page.get("text"), str) or not isinstance(page.get("id"), str):
        raise DataError("is no page", where=where, advice='a page has an "id" and a "text", both strings')
    if page["id"] in seen:
        raise DataError(f"the page {page['id']!r} stands twice", where=where, advice="page ids are unique")
    seen.add(page["id"])
    return page


def _parquet(source: Path, target: Path, field: str, terms: Terms, progress: Progress) -> Annotated:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ConfigError(
            "Parquet needs pyarrow", where=str(source), advice="pip install 'dragoman[batch]', or use JSONL"
        ) from None
    pages = with_terms = count = 0
    seen: set[str] = set()
    part = target.with_name(target.name + ".part")
    try:
        with pq.ParquetFile(source) as file:
            kept = [name for name in file.schema_arrow.names if name != field]
            schema = pa.schema([file.schema_arrow.field(name) for name in kept])
            schema = schema.append(pa.field(field, pa.list_(pa.string())))
            with pq.ParquetWriter(part, schema) as out:
                for batch in file.iter_batches(batch_size=_ROWS, columns=kept):
                    rows: list[list[str]] = []
                    for row in batch.to_pylist():
                        rows.append(terms(_checked(row, seen, f"{source}, row {pages + len(rows) + 1}")))
                        progress(pages + len(rows))
                    columns = [*batch.columns, pa.array(rows, pa.list_(pa.string()))]
                    out.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
                    pages += len(rows)
                    with_terms += sum(map(bool, rows))
                    count += sum(map(len, rows))
        part.replace(target)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"cannot be read as Parquet ({error})", where=str(source), advice="check the file") from None
    finally:
        part.unlink(missing_ok=True)
    return Annotated(pages=pages, with_terms=with_terms, terms=count)


def _open(path: Path, mode: str) -> IO[bytes]:
    try:
        return path.open(mode)
    except OSError as error:
        raise DataError(f"cannot be opened ({error.strerror})", where=str(path), advice="choose another file") from None
