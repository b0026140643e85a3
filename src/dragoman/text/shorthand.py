"""What people write short when they type, spelled out: ``ko`` → ``không``, by each pack's ``shorthand.toml``.

Only cues are looked for in the result. Its tokens keep the spans of what was typed, so that whatever is found in it
stands where the person wrote it; names of drugs and conditions are never looked for in words that nobody typed.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from dragoman.folder import Language
from dragoman.text.phrases import typed_bare
from dragoman.text.tokens import Token, Tokens, tokenize


class Shorthand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``shorthand.toml`` of a language: a short form (one token) and the words it stands for."""

    words: dict[str, str] = {}


@lru_cache(maxsize=32)
def _table(pack: Language) -> dict[str, tuple[Token, ...]]:
    words = pack.table("shorthand.toml", Shorthand).words
    return {tokenize(short).tokens[0].marked: tuple(tokenize(long).tokens) for short, long in words.items()}


def spelled_out(tokens: Tokens, pack: Language) -> Tokens:
    """``tokens`` with the short forms of ``pack`` replaced; in a text typed without marks, by words without marks."""
    table = _table(pack)
    if not any(t.marked in table for t in tokens.tokens):
        return tokens
    bare = typed_bare(tokens)
    found: list[Token] = []
    for token in tokens.tokens:
        for word in table.get(token.marked, ()):
            found.append(Token(token.start, token.end, word.key, word.key if bare else word.marked))
        if token.marked not in table:
            found.append(token)
    return Tokens(tokens.text, found)
