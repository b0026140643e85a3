"""Full-text search in SQLite's FTS5: in the standard library, in one file or in memory.

Pages are stored as dragoman's own tokens, twice: with their marks, and folded. Where marks are meaning (Vietnamese), a
text typed with marks is matched with its marks, and one typed without is matched folded; elsewhere everything is.

FTS5's ``bm25()`` weighs columns, not terms. BM25 is a sum over terms, so a weighted query is one full-text query for
each weight that occurs, and the sum of their scores times the weight: exact, and done inside SQLite.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from dragoman.errors import DataError
from dragoman.text.tokens import Tokens, fold_key, marked_key, tokenize

_TABLES = """
CREATE TABLE page (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE words USING fts5(
    marked, folded, terms_marked, terms_folded,
    content = '', tokenize = "unicode61 remove_diacritics 0", columnsize = 1
);
"""
_ADD = "INSERT INTO words (rowid, marked, folded, terms_marked, terms_folded) VALUES (?, ?, ?, ?, ?)"
_PART = "SELECT rowid, -bm25(words, 1, 1, {field}, {field}) * ? AS score FROM words WHERE words MATCH ?"
_BEST = """
SELECT page.id, SUM(part.score) AS total FROM ({parts}) AS part JOIN page ON page.number = part.rowid
GROUP BY part.rowid ORDER BY total DESC, part.rowid LIMIT ?
"""
_PARTS = 100  # SQLite allows 500 terms in a compound SELECT; no query of ours has that many weights


class SqliteRetriever:
    """A ``Retriever`` over one SQLite database; ``path`` may be ``:memory:``.

    ``marks_matter`` says that marks make other words in the pages' language (see ``Language.marks_matter``). ``stop``
    are words that a query does without, unless it has no others; of a text typed without marks none is left out where
    marks matter, for without its mark such a word is another word as well. ``terms_weight`` is how much a word counts
    in the terms of a page (see ``index``), where it counts 1 in its text. One instance belongs to one thread, as its
    connection does.
    """

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        marks_matter: bool = False,
        stop: Iterable[str] = (),
        terms_weight: float = 1.0,
    ) -> None:
        self._marks_matter = marks_matter
        self._terms_weight = float(terms_weight)
        column, form = ("marked", marked_key) if marks_matter else ("folded", fold_key)
        self._stop = frozenset((column, form(word)) for word in stop)
        self._base = sqlite3.connect(path)
        if not self._base.execute("SELECT 1 FROM sqlite_master WHERE name = 'words'").fetchone():
            self._base.executescript(_TABLES)

    def __enter__(self) -> SqliteRetriever:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self._base.close()

    def index(self, pages: Iterable[tuple[str, str]], terms: Mapping[str, Sequence[str]] | None = None) -> None:
        """Add ``(id, text)`` pages, all or none. ``DataError`` for an id that is there already.

        ``terms`` are those that people may use for a page (``dragoman annotate``), by its id. They are a field of the
        page, so that a word that stands in both counts little more than once.
        """
        with self._base:
            for id_, text in pages:
                try:
                    number = self._base.execute("INSERT INTO page (id) VALUES (?)", (id_,)).lastrowid
                except sqlite3.IntegrityError:
                    raise DataError(f"the page {id_!r} stands twice", advice="page ids are unique") from None
                own = "; ".join((terms or {}).get(id_, ()))
                forms = (marked_key(text), fold_key(text), marked_key(own), fold_key(own))
                self._base.execute(_ADD, (number, *forms))

    def search(
        self, terms: Iterable[tuple[str, float]], k: int, *, terms_weight: float | None = None
    ) -> list[tuple[str, float]]:
        """Best ``k`` pages that hold any word of the weighted terms, as ``(id, score)``, best first.

        A term is a text: each of its words counts at the term's weight, a word in several terms at the sum of theirs.
        Weights that are not positive are left out. ``terms_weight`` instead of the retriever's own; at 0 the terms of
        the pages are not looked at. The text is data throughout: nothing in it is query syntax.
        """
        field = self._terms_weight if terms_weight is None else float(terms_weight)
        queries = self._queries([(tokenize(text), weight) for text, weight in terms if weight > 0], field > 0)
        if not queries or k < 1:
            return []
        part = f"SELECT * FROM ({_PART.format(field=field)} LIMIT -1)"  # LIMIT keeps bm25 inside
        parts = " UNION ALL ".join(part for _ in queries)
        values = [value for weight, query in queries for value in (weight, query)]
        return self._base.execute(_BEST.format(parts=parts), (*values, k)).fetchall()

    def _queries(self, terms: Sequence[tuple[Tokens, float]], field: bool) -> list[tuple[float, str]]:
        """One FTS5 query for each weight; with ``field`` over the pages' terms as well."""
        if not terms:
            return []
        weights: dict[tuple[str, str], float] = {}
        heaviest = max(weight for _, weight in terms)
        # The heaviest terms are the person's own words: marks there say that marks were meant throughout.
        typed = any(tokens.marked for tokens, weight in terms if weight == heaviest)
        for tokens, weight in terms:
            marked = self._marks_matter and (typed or tokens.marked)
            column = "marked" if marked else "folded"
            for word in dict.fromkeys(t.marked if marked else t.key for t in tokens.tokens):
                weights[column, word] = weights.get((column, word), 0.0) + weight
        if telling := {at: weight for at, weight in weights.items() if at not in self._stop}:
            weights = telling
        by_weight: dict[float, list[str]] = {}
        for (column, word), weight in weights.items():
            columns = f"{column} terms_{column}" if field else column
            by_weight.setdefault(round(weight, 6), []).append(f'{{{columns}}} : "{word}"')
        rows = sorted(by_weight.items(), reverse=True)[:_PARTS]
        return [(weight, " OR ".join(words)) for weight, words in rows]
