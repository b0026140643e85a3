"""Search in PostgreSQL: words by ``tsvector`` and ``pg_trgm``, meanings by ``pgvector``.

PostgreSQL ranks by how often and how close words stand, not by how rare they are, and knows no weights of words in a
query. Both are added here: the words of the pages are counted once, and a page's score is the sum of ``ts_rank`` for
each word of the query, times the word's weight and its rarity (Robertson's idf). Pages are stored as dragoman's own
tokens, with their marks and folded, as ``retrieve.sqlite`` does, so that both find the same pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from dragoman.errors import ConfigError, DataError, ServiceError
from dragoman.text.tokens import Tokens, fold_key, marked_key, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dragoman.retrieve.dense import Embedder

TITLE, TERMS, TEXT = "A", "C", "D"  # the labels of a page's fields
LABELS = (TEXT, TERMS, "B", TITLE)  # in the order in which ts_rank takes their weights: D, C, B, A
_POSITIONS = 16_383  # the last that a tsvector holds
_NEAR = 0.5  # trigram similarity from which a word of the pages may stand for an unknown word of the query
_LONGEST = 400  # characters of a word; a tsvector holds 2,046 bytes

_TABLES = """
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TABLE IF NOT EXISTS {pages} (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, marked tsvector, folded tsvector
);
CREATE TABLE IF NOT EXISTS {words} (form text, word text, pages bigint NOT NULL, PRIMARY KEY (form, word));
CREATE INDEX IF NOT EXISTS {by_marked} ON {pages} USING gin (marked);
CREATE INDEX IF NOT EXISTS {by_folded} ON {pages} USING gin (folded);
CREATE INDEX IF NOT EXISTS {by_trigram} ON {words} USING gin (word gin_trgm_ops);
"""
_COUNT = """
TRUNCATE {words};
INSERT INTO {words} SELECT 'marked', word, ndoc FROM ts_stat('SELECT marked FROM {pages}');
INSERT INTO {words} SELECT 'folded', word, ndoc FROM ts_stat('SELECT folded FROM {pages}');
"""
_SEARCH = """
WITH asked AS (
    SELECT q.form, q.word, q.weight, known.pages
    FROM unnest(%(forms)s::text[], %(words)s::text[], %(weights)s::float8[]) AS q (form, word, weight)
    LEFT JOIN {words} AS known USING (form, word)
), terms AS (
    SELECT form, word, weight, pages FROM asked WHERE pages IS NOT NULL
    UNION ALL
    SELECT asked.form, near.word, asked.weight * near.similarity, near.pages FROM asked, LATERAL (
        SELECT word, pages, similarity(word, asked.word) AS similarity FROM {words} AS known
        WHERE known.form = asked.form AND known.word %% asked.word AND similarity(word, asked.word) >= %(near)s
        ORDER BY similarity DESC, word LIMIT 1
    ) AS near WHERE asked.pages IS NULL AND %(near)s > 0
), total AS (SELECT count(*)::float8 AS pages FROM {pages}), weighted AS (
    SELECT form, word, sum(weight) * ln(1 + (max(total.pages) - max(terms.pages) + 0.5) / (max(terms.pages) + 0.5))
        AS weight FROM terms, total GROUP BY form, word
)
SELECT page.id, sum(term.weight * ts_rank(
    %(labels)s::real[], CASE term.form WHEN 'marked' THEN page.marked ELSE page.folded END,
    quote_literal(term.word)::tsquery, 1)) AS score
FROM weighted AS term JOIN {pages} AS page ON CASE term.form
    WHEN 'marked' THEN page.marked @@ quote_literal(term.word)::tsquery
    ELSE page.folded @@ quote_literal(term.word)::tsquery END
GROUP BY page.number, page.id ORDER BY score DESC, page.number LIMIT %(k)s
"""


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
    ) -> None:
        self._psycopg = _driver()
        self._dsn = dsn
        self._marks_matter = marks_matter
        self._typos = typos
        form = marked_key if marks_matter else fold_key
        self._stop = frozenset(form(word) for word in stop)
        given = {"title": 1.0, "text": 1.0, "terms": 0.5} | dict(weights or {})
        by_label = {TITLE: given["title"], TERMS: given["terms"], TEXT: given["text"], "B": 0.0}
        self._labels = [by_label[label] for label in LABELS]
        sql = self._psycopg.sql
        suffixes = {
            "pages": "",
            "words": "_words",
            "by_marked": "_marked",
            "by_folded": "_folded",
            "by_trigram": "_near",
        }
        self._names = {key: sql.Identifier(name + suffix) for key, suffix in suffixes.items()}
        with self._answering():
            self._base = self._psycopg.connect(dsn, autocommit=True)
            self._base.execute(sql.SQL(_TABLES).format(**self._names))

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
        sql = self._psycopg.sql
        rows = (_row(id_, text, (terms or {}).get(id_, ())) for id_, text in pages)
        add = sql.SQL("INSERT INTO {pages} (id, marked, folded) VALUES (%s, %s::tsvector, %s::tsvector)")
        try:
            with self._answering(), self._base.transaction(), self._base.cursor() as cursor:
                cursor.executemany(add.format(**self._names), rows)
                cursor.execute(sql.SQL(_COUNT).format(**self._names))
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
        with self._answering():
            rows = self._base.execute(self._psycopg.sql.SQL(_SEARCH).format(**self._names), given).fetchall()
        return [(id_, float(score)) for id_, score in rows]

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

    @property
    def _where(self) -> str:
        return "PostgreSQL"

    @contextmanager
    def _answering(self) -> Iterator[None]:
        with answering(self._psycopg):
            yield


class PostgresVectors:
    """A ``Retriever`` that compares meanings, over the table ``<name>`` with a ``pgvector`` column.

    The search is exact unless the table is given an index of its own; an approximate one may miss pages.
    Raises as ``PostgresRetriever`` does.
    """

    def __init__(self, dsn: str, embedder: Embedder, name: str = "dragoman_vectors", *, characters: int = 600) -> None:
        self._psycopg = _driver()
        self._embedder = embedder
        self._characters = characters
        sql = self._psycopg.sql
        self._table = sql.Identifier(name)
        dimensions = self._embedder.passage(["x"]).shape[1]
        with answering(self._psycopg):
            self._base = self._psycopg.connect(dsn, autocommit=True)
            self._base.execute("CREATE EXTENSION IF NOT EXISTS vector")
            self._base.execute(
                sql.SQL(
                    "CREATE TABLE IF NOT EXISTS {} (number bigint GENERATED ALWAYS AS IDENTITY, id text PRIMARY KEY, "
                    "vector vector({}) NOT NULL)"
                ).format(self._table, sql.Literal(dimensions))
            )

    def __enter__(self) -> PostgresVectors:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._base.close()

    def index(self, pages: Iterable[tuple[str, str]]) -> None:
        """Add ``(id, text)`` pages, all or none. ``DataError`` for an id that is there already."""
        given = [(id_, text[: self._characters]) for id_, text in pages if text.strip()]
        if not given:
            return
        vectors = self._embedder.passage([text for _, text in given])
        rows = [(id_, _literal(vector)) for (id_, _), vector in zip(given, vectors, strict=True)]
        add = self._psycopg.sql.SQL("INSERT INTO {} (id, vector) VALUES (%s, %s::vector)").format(self._table)
        try:
            with answering(self._psycopg), self._base.transaction(), self._base.cursor() as cursor:
                cursor.executemany(add, rows)
        except self._psycopg.errors.UniqueViolation:
            raise DataError("a page stands twice", where="PostgreSQL", advice="page ids are unique") from None

    def search(self, terms: Iterable[tuple[str, float]], k: int) -> list[tuple[str, float]]:
        """Best ``k`` pages as ``(id, score)``, best first: the sum of the cosines of the texts times their weights."""
        asked = [(text, weight) for text, weight in terms if weight > 0 and text.strip()]
        if not asked or k < 1:
            return []
        vectors = self._embedder.query([text for text, _ in asked])
        target = _literal(sum(weight * vector for (_, weight), vector in zip(asked, vectors, strict=True)))
        best = self._psycopg.sql.SQL(
            "SELECT id, -(vector <#> %(target)s::vector) FROM {} "
            "ORDER BY vector <#> %(target)s::vector, number LIMIT %(k)s"
        ).format(self._table)
        with answering(self._psycopg):
            rows = self._base.execute(best, {"target": target, "k": k}).fetchall()
        return [(id_, float(score)) for id_, score in rows]


@contextmanager
def answering(psycopg: Any) -> Iterator[None]:
    """Turns a server that does not answer into a ``ServiceError``; none of its words are repeated."""
    try:
        yield
    except psycopg.OperationalError as error:
        code = error.sqlstate or "no connection"
        raise ServiceError(
            f"PostgreSQL did not answer ({code})", advice="check the connection string, and that the server runs"
        ) from None


def _driver() -> Any:
    try:
        import psycopg
        import psycopg.sql
    except ImportError:
        raise ConfigError("psycopg is not installed", advice="pip install 'dragoman[postgres]'") from None
    return psycopg


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


def _literal(vector: Any) -> str:
    return "[" + ",".join(f"{x:.8g}" for x in vector.tolist()) + "]"
