"""The grammar of phrase patterns (see ``text.phrases``): from a written pattern to its places, words and signs."""

from __future__ import annotations

from typing import NamedTuple

from dragoman.errors import ConfigError
from dragoman.text.tokens import tokenize

GAP = 4  # tokens that a bare `…` may stand for


class Word(NamedTuple):
    """A token, by its marked form and its key; ``strict`` (``=a``): with its marks alone."""

    marked: str
    key: str
    strict: bool


class Slot(NamedTuple):
    """A span that the caller marks with this name, signs included (``<drug>``)."""

    name: str


class Gap(NamedTuple):
    """Up to ``most`` tokens of any kind."""

    most: int


class Edge(NamedTuple):
    """The beginning (``start``) or the end of a sentence."""

    start: bool


Element = Word | Slot | Gap | Edge


class Part(NamedTuple):
    """One place of a pattern: words to choose from, or (``group``) patterns; an ``optional`` one may be absent."""

    branches: list[str]
    group: bool
    optional: bool


def parts(pattern: str, where: str) -> list[Part]:
    """The places of ``pattern`` in order. Raises ``ConfigError`` for a bracket that does not close."""
    if "(" not in pattern and "[" not in pattern:  # most
        return [Part(place.split("|"), False, False) for place in pattern.split()]
    found: list[Part] = []
    i = 0
    while i < len(pattern):
        char = pattern[i]
        if char.isspace():
            i += 1
        elif char in "([":
            close = _closing(pattern, i, where)
            found.append(Part(_branches(pattern[i + 1 : close]), True, char == "["))
            i = close + 1
        else:
            end = i
            while end < len(pattern) and not pattern[end].isspace() and pattern[end] not in "([":
                end += 1
            found.append(Part(pattern[i:end].split("|"), False, False))
            i = end
    return found


def word(text: str, pattern: str, where: str) -> tuple[Element, ...]:
    """One word or sign as elements (several for several tokens). Raises ``ConfigError`` for what is neither."""
    if text.isascii() and text.isalpha():  # nearly all: packs have thousands, and all are read with the first turn
        key = text.lower()
        return (Word(key, key, False),)
    if text in {"^", "$"}:
        return (Edge(text == "^"),)
    if text.startswith("…"):
        return (Gap(int(text[1:]) if text[1:].isdigit() else GAP),)
    if text.startswith("<") and text.endswith(">"):
        return (Slot(text),)
    strict = text.startswith("=")
    words = tokenize(text.removeprefix("=")).tokens
    if not words:
        raise ConfigError(f"{text!r} in the pattern {pattern!r} is no word", where=where, advice="see text.phrases")
    return tuple(Word(t.marked, t.key, strict) for t in words)


def _closing(pattern: str, at: int, where: str) -> int:
    depth = 0
    for i in range(at, len(pattern)):
        depth += (pattern[i] in "([") - (pattern[i] in ")]")
        if depth == 0:
            return i
    raise ConfigError(f"the pattern {pattern!r} does not close {pattern[at]!r}", where=where, advice="close it")


def _branches(inner: str) -> list[str]:
    """``a b|c`` → ``a b``, ``c``, with inner groups left whole."""
    found, depth, start = [], 0, 0
    for i, char in enumerate(inner):
        depth += (char in "([") - (char in ")]")
        if char == "|" and depth == 0:
            found.append(inner[start:i])
            start = i + 1
    return [*found, inner[start:]]
