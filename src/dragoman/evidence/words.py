"""Where given words stand in what the person wrote: by folded tokens, whatever the case, marks, or joins of an id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dragoman.text.tokens import Tokens, fold_key
from dragoman.types import Span


class Place(NamedTuple):
    """A stretch of a message, with its words as typed."""

    message: int
    span: Span
    text: str


def key(words: str) -> str:
    """The folded form of words or of an id: ``Acid_Folic`` and ``acid folic`` are one."""
    return fold_key(words.replace("_", " "))


def places(words: str, messages: Sequence[tuple[int, Tokens]]) -> Iterator[Place]:
    """Everywhere that ``words`` stand, the latest message first; nothing where the person did not write them."""
    wanted = key(words).split()
    if not wanted:
        return
    for message, tokens in messages:
        keys = tokens.keys
        for at in range(len(keys) - len(wanted) + 1):
            if keys[at : at + len(wanted)] == wanted:
                yield Place(message, tokens.span(at, at + len(wanted)), tokens.surface(at, at + len(wanted)))


def place(words: str, messages: Sequence[tuple[int, Tokens]]) -> Place | None:
    """The first of ``places``."""
    return next(places(words, messages), None)


def written(words: str, messages: Sequence[tuple[int, Tokens]]) -> bool:
    """Whether every token of ``words`` occurs in what the person wrote, in whatever order."""
    have = {k for _, tokens in messages for k in tokens.keys}
    wanted = key(words).split()
    return bool(wanted) and all(token in have for token in wanted)
