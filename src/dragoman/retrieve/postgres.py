"""Full-text search in PostgreSQL, by ``tsvector`` with weights and ``pg_trgm``.

PostgreSQL ranks by how often and how close words stand, not by how rare they are, and knows no weights of words in a
query. Both are added here: the words of the pages are counted once, and a page's score is the sum of ``ts_rank`` for
each word of the query, times the word's weight and its rarity (Robertson's idf). Pages are stored as dragoman's own
tokens, with their marks and folded, as ``retrieve.sqlite`` does, so that both find the same pages. The statements are
in ``retrieve/sql``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from dragoman.errors import DataError
from dragoman.store_postgres.connect import answering, connect, driver, shown
from dragoman.text.tokens import Tokens, fold_key, marked_key, tokenize

TITLE, TERMS, TEXT = "A", "C", "D"  # the labels of a page's fields
LABELS = (TEXT, TERMS, "B", TITLE)  # in the order in which ts_rank takes their weights: D, C, B, A
_POSITIONS = 16_383  # the last that a tsvector holds
_NEAR = 0.5  # trigram similarity from which a word of the pages may stand for an unknown word of the query
_LONGEST = 400  # characters of a word; a tsvector holds 2,046 bytes
_SUFFIXES = {"pages": "", "words": "_words", "by_marked": "_marked", "by_folded": "_folded", "by_trigram": "_near"}


def statement(name: str) -> str:
    """One of the statements in ``retrieve/sql``; names in braces are filled in."""
    return (Path(__file__).parent / "sql" / f"{name}.sql").read_text("utf-8")


def ensure(base: Any, table: Any, tables: Any) -> None:
    """Make the ``tables`` unless ``table`` is there; what fails lets go of the connection.

    Making them "if not exists" would take a right that a role which only searches lacks.
    """
    try:
        if base.execute("SELECT to_regclass(%s)", (table.as_string(base),)).fetchone()[0] is None:
            base.execute(tables)
    except BaseException:
        base.close()
        raise


class PostgresRetriever:
    """A ``Retriever`` over tables ``<name>`` and ``<name>_words`` of a PostgreSQL database.

    ``dsn`` is a libpq connection string. ``marks_matter`` and ``stop`` are as for ``SqliteRetriever``. The first line
    of a page is its title. ``weights`` are those of a page's fields ``title``, ``text`` and ``terms``. ``typos``: a
    word that no page has is taken for the most similar one that some have, if it is similar enough.

    Raises ``ConfigError`` where psycopg is not installed, ``ServiceError`` where the server does not answer.
    """

    def __init__(
        self,
        dsn: str,
        name: str = "dragoman_pages",
        *,
        marks_matter: bool = False,
        stop: Iterable[str] = (),
        weights: Mapping[Literal["title", "text", "terms"], float] | None = None,
        typos: bool = True,
        connection: Any = None,
    ) -> None:
        """``connection``: one of psycopg's to share, instead of one of its own."""
        self._psycopg = driver()
        self._where = shown(dsn)
        self._marks_matter = marks_matter
        self._typos = typos
        form = marked_key if marks_matter else fold_key
        self._stop = frozenset(form(word) for word in stop)
        given = {"title": 1.0, "text": 1.0, "terms": 0.5} | dict(weights or {})
        by_label = {TITLE: given["title"], TERMS: given["terms"], TEXT: given["text"], "B": 0.0}
        self._labels = [by_label[label] for label in LABELS]
        self._names = {key: self._psycopg.sql.Identifier(name + suffix) for key, suffix in _SUFFIXES.items()}
        with answering(self._where):
            self._base = connection or connect(dsn)
            ensure(self._base, self._names["pages"], self._sql("words_tables"))

    def __enter__(self) -> PostgresRetriever:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._base.close()

    def index(self, pages: Iterable[tuple[str, str]], terms: Mapping[str, Sequence[str]] | None = None) -> None:
        """Add ``(id, text)`` pages, all or none; ``terms`` are those that people may use for a page, by its id.

        Raises ``DataError`` for an id that is there already.
        """
        rows = (_row(id_, text, (terms or {}).get(id_, ())) for id_, text in pages)
        add = "INSERT INTO {pages} (id, marked, folded) VALUES (%s, %s::tsvector, %s::tsvector)"
        with answering(self._where):
            try:
                with self._base.transaction(), self._base.cursor() as cursor:
                    cursor.executemany(self._psycopg.sql.SQL(add).format(**self._names), rows)
                    cursor.execute(self._sql("words_count"))
            except self._psycopg.errors.UniqueViolation:
                raise DataError("a page stands twice", where=self._where, advice="page ids are unique") from None

    def search(self, terms: Iterable[tuple[str, float]], k: int) -> list[tuple[str, float]]:
        """Best ``k`` pages that hold any word of the weighted terms, as ``(id, score)``, best first.

        Each word of a term counts at the term's weight; weights that are not positive are left out.
        """
        asked = self._words([(tokenize(text), weight) for text, weight in terms if weight > 0])
        if not asked or k < 1:
            return []
        given = {
            "forms": [form for form, _ in asked],
            "words": [word for _, word in asked],
            "weights": list(asked.values()),
            "labels": self._labels,
            "near": _NEAR if self._typos else 0.0,
            "k": k,
        }
        with answering(self._where):
            rows = self._base.execute(self._sql("words_search"), given).fetchall()
        return [(id_, float(score)) for id_, score in rows]

    def _sql(self, name: str) -> Any:
        return self._psycopg.sql.SQL(statement(name)).format(**self._names)

    def _words(self, terms: Sequence[tuple[Tokens, float]]) -> dict[tuple[str, str], float]:
        """``(form, word)`` with their weights."""
        weights: dict[tuple[str, str], float] = {}
        heaviest = max((weight for _, weight in terms), default=0.0)
        # As in SQLite: marks in the person's own words say that marks were meant throughout.
        typed = any(tokens.marked for tokens, weight in terms if weight == heaviest)
        for tokens, weight in terms:
            marked = self._marks_matter and (typed or tokens.marked)
            form = "marked" if marked else "folded"
            for word in dict.fromkeys((t.marked if marked else t.key)[:_LONGEST] for t in tokens.tokens):
                weights[form, word] = weights.get((form, word), 0.0) + weight
        plain = "marked" if self._marks_matter else "folded"
        telling = {at: weight for at, weight in weights.items() if at[0] != plain or at[1] not in self._stop}
        return telling or weights


def _row(id_: str, text: str, terms: Sequence[str]) -> tuple[str, str, str]:
    title, _, body = text.partition("\n")
    fields = [(tokenize(title), TITLE), (tokenize(body), TEXT), *((tokenize(term), TERMS) for term in terms)]
    return id_, _vector(fields, marked=True), _vector(fields, marked=False)


def _vector(fields: Iterable[tuple[Tokens, str]], *, marked: bool) -> str:
    """A tsvector as its literal: each word with its places, labelled by field."""
    places: dict[str, list[str]] = {}
    at = 0
    for tokens, label in fields:
        for token in tokens.tokens:
            at = min(at + 1, _POSITIONS)
            places.setdefault((token.marked if marked else token.key)[:_LONGEST], []).append(f"{at}{label}")
    return " ".join(f"{_quoted(word)}:{','.join(own)}" for word, own in places.items())


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
