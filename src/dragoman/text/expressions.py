"""Set phrases whose words mean nothing of what they name (``expressions.toml`` of a language): *with all my heart*."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from dragoman.folder import Language
from dragoman.text.phrases import Phrasebook
from dragoman.text.tokens import Tokens, tokenize


class ExpressionTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``expressions.toml``: ``phrases`` are patterns (see ``text.phrases``)."""

    phrases: tuple[str, ...] = ()


class Expressions:
    """The phrases of all ``packs``."""

    def __init__(self, packs: Iterable[Language]) -> None:
        self._books: list[tuple[Phrasebook[None], frozenset[str]]] = []
        for pack in packs:
            phrases = pack.table("expressions.toml", ExpressionTable).phrases
            if phrases:
                where = str(pack.path / "expressions.toml")
                book: Phrasebook[None] = Phrasebook(
                    [(p, None) for p in phrases], marks_matter=pack.marks_matter, where=where
                )
                self._books.append((book, frozenset(key for p in phrases for key in tokenize(p).keys)))

    def places(self, tokens: Tokens) -> list[tuple[int, int]]:
        """The tokens, ``[first, last)``, of each phrase in the text."""
        keys = tokens.keys
        return [
            (hit.first, hit.last)
            for book, words in self._books
            if not words.isdisjoint(keys)
            for hit in book.find(tokens)
        ]
