"""Search by meaning in PostgreSQL, by ``pgvector``: exact, or approximate by an HNSW index."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dragoman.errors import DataError
from dragoman.retrieve.postgres import ensure, statement
from dragoman.store_postgres.connect import answering, connect, driver, shown

if TYPE_CHECKING:
    from dragoman.retrieve.dense import Embedder

LINKS, BREADTH = 16, 64  # of an HNSW graph: links of a vector, and candidates looked at while building (pgvector's own)


class PostgresVectors:
    """A ``Retriever`` that compares meanings, over the table ``<name>`` with a ``pgvector`` column.

    The search is exact until ``approximate`` is called on the table; from then on it may miss pages, the fewer the
    larger ``breadth`` is (candidates that a search looks at; at least ``k``).
    Raises ``ConfigError`` where psycopg is not installed, ``ServiceError`` where the server does not answer.
    """

    def __init__(
        self,
        dsn: str,
        embedder: Embedder,
        name: str = "dragoman_vectors",
        *,
        characters: int = 600,
        breadth: int = 100,
        connection: Any = None,
    ) -> None:
        """``characters`` of a page are embedded; ``connection``: one of psycopg's to share, instead of one's own."""
        self._psycopg = driver()
        self._where = shown(dsn)
        self._embedder = embedder
        self._characters = characters
        self._breadth = breadth
        sql = self._psycopg.sql
        self._names: dict[str, Any] = {
            "vectors": sql.Identifier(name),
            "hnsw": sql.Identifier(f"{name}_hnsw"),
            "dimensions": sql.Literal(int(self._embedder.passage(["x"]).shape[1])),
        }
        with answering(self._where):
            self._base = connection or connect(dsn)
            ensure(self._base, self._names["vectors"], self._sql("vectors_table"))

    def __enter__(self) -> PostgresVectors:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._base.close()

    def approximate(self, *, links: int = LINKS, breadth: int = BREADTH) -> None:
        """Give the table an HNSW index, once; best after most pages are there."""
        sql = self._psycopg.sql
        with answering(self._where):
            self._base.execute(self._sql("vectors_index", links=sql.Literal(links), breadth=sql.Literal(breadth)))
            self._base.execute(sql.SQL("ANALYZE {vectors}").format(**self._names))

    def index(self, pages: Iterable[tuple[str, str]]) -> None:
        """Add ``(id, text)`` pages, all or none. ``DataError`` for an id that is there already."""
        given = [(id_, text[: self._characters]) for id_, text in pages if text.strip()]
        if not given:
            return
        vectors = self._embedder.passage([text for _, text in given])
        rows = [(id_, _literal(vector)) for (id_, _), vector in zip(given, vectors, strict=True)]
        add = self._psycopg.sql.SQL("INSERT INTO {vectors} (id, vector) VALUES (%s, %s::vector)").format(**self._names)
        with answering(self._where):
            try:
                with self._base.transaction(), self._base.cursor() as cursor:
                    cursor.executemany(add, rows)
            except self._psycopg.errors.UniqueViolation:
                raise DataError("a page stands twice", where=self._where, advice="page ids are unique") from None

    def search(self, terms: Iterable[tuple[str, float]], k: int) -> list[tuple[str, float]]:
        """Best ``k`` pages as ``(id, score)``, best first: the sum of the cosines of the texts times their weights."""
        asked = [(text, weight) for text, weight in terms if weight > 0 and text.strip()]
        if not asked or k < 1:
            return []
        vectors = self._embedder.query([text for text, _ in asked])
        target = _literal(sum(weight * vector for (_, weight), vector in zip(asked, vectors, strict=True)))
        breadth = str(min(1000, max(k, self._breadth)))  # what pgvector allows
        with answering(self._where), self._base.transaction():
            self._base.execute("SELECT set_config('hnsw.ef_search', %s, true)", (breadth,))
            rows = self._base.execute(self._sql("vectors_search"), {"target": target, "k": k}).fetchall()
        return [(id_, float(score)) for id_, score in rows]

    def _sql(self, name: str, **more: Any) -> Any:
        return self._psycopg.sql.SQL(statement(name)).format(**self._names, **more)


def _literal(vector: Any) -> str:
    return "[" + ",".join(f"{x:.8g}" for x in vector.tolist()) + "]"
