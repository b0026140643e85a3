"""Words and meanings in one PostgreSQL database: both rankings, fused by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dragoman.retrieve.fusion import reciprocal_ranks
from dragoman.retrieve.postgres import PostgresRetriever
from dragoman.retrieve.postgres_vectors import PostgresVectors
from dragoman.store_postgres.connect import answering, connect, shown

if TYPE_CHECKING:
    from dragoman.retrieve.dense import Embedder

DEEP = 200  # pages of each ranking that are fused


class PostgresHybrid:
    """A ``Retriever`` over the tables ``<name>``, ``<name>_words`` and ``<name>_vectors``, on one connection.

    ``options`` are those of ``PostgresRetriever``; ``weights_of_ranks`` are how much the ranking by words and the one
    by meanings count. Raises as those two do.
    """

    def __init__(
        self,
        dsn: str,
        embedder: Embedder,
        name: str = "dragoman_pages",
        *,
        weights_of_ranks: tuple[float, float] = (1.0, 1.0),
        **options: Any,
    ) -> None:
        self._where = shown(dsn)
        self._weights = weights_of_ranks
        with answering(self._where):
            self._base = connect(dsn)
        self.words = PostgresRetriever(dsn, name, connection=self._base, **options)
        self.meanings = PostgresVectors(dsn, embedder, f"{name}_vectors", connection=self._base)

    def __enter__(self) -> PostgresHybrid:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._base.close()

    def index(self, pages: Iterable[tuple[str, str]], terms: Mapping[str, Sequence[str]] | None = None) -> None:
        """Add ``(id, text)`` pages to both, all or none; ``terms`` are those that people may use, by page id.

        Raises ``DataError`` for an id that is there already.
        """
        given = list(pages)
        with answering(self._where), self._base.transaction():
            self.words.index(given, terms)
            self.meanings.index(given)

    def search(
        self, terms: Iterable[tuple[str, float]], k: int, *, dense: str | None = None
    ) -> list[tuple[str, float]]:
        """Best ``k`` pages as ``(id, score)``, best first.

        ``terms`` are an enrichment's ``queries.sparse``, ``dense`` its ``queries.dense``; without the latter the terms
        are compared by meaning as well, at their weights.
        """
        asked = list(terms)
        meant = asked if dense is None else [(dense, 1.0)]
        rankings = [self.words.search(asked, DEEP), self.meanings.search(meant, DEEP)]
        return reciprocal_ranks(rankings, k, weights=self._weights) if k > 0 else []
