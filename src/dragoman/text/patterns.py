"""The grammar of phrase patterns (see ``text.phrases``): from a written pattern to its places, words and signs."""

from __future__ import annotations

import re
from typing import NamedTuple

from dragoman.errors import ConfigError
from dragoman.text.tokens import tokenize

GAP = 4  # tokens that a bare `…` may stand for
NUMBER = "<number>"  # the slot of a token that begins with a digit, which no caller marks

# Patterns that nothing can be wrong with, as nearly all are written: places of words and signs, groups of such, and
# no group inside another. Each word begins with a letter or digit, so that it surely is one.
_LETTER = "0-9A-Za-zÀ-ÖØ-öø-ɏẠ-ỹ"
_ATOM = rf"(?:=?[{_LETTER}][{_LETTER}'’-]*|…\d?|<[a-z_]+>)"
_BRANCHES = rf"{_ATOM}(?: +{_ATOM})*(?:\|{_ATOM}(?: +{_ATOM})*)*"
_PIECE = rf"(?:{_ATOM}(?:\|{_ATOM})*|\({_BRANCHES}\)|\[{_BRANCHES}\])"
_SOUND = re.compile(rf"{_PIECE}(?: +{_PIECE})*(?: +\$)?")
_PIECES = re.compile(r"\([^()]*\)|\[[^][]*\]|\S+")


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


class Beginning(NamedTuple):
    """What can be told of a pattern before it is compiled: the ``forms`` of the words that it may begin with (marked,
    where marks matter), the ``keys`` by which a text typed without marks has them (none where marks do not matter), and
    whether it surely needs a slot that a caller marks."""

    forms: list[str]
    keys: list[str]
    slot: bool


def beginning(pattern: str, marks_matter: bool) -> Beginning | None:
    """What ``pattern`` begins with; ``None`` where only compiling it can tell, or where something is wrong with it."""
    if _SOUND.fullmatch(pattern) is None:
        return None
    if "(" in pattern or "[" in pattern:
        pieces = _PIECES.findall(pattern)
        firsts: list[str] = []
        for piece in pieces:
            if piece[0] in "([":
                firsts += [branch.split(None, 1)[0] for branch in piece[1:-1].split("|")]
            else:
                firsts += piece.split("|")
            if piece[0] != "[":
                break
        else:
            return None
    else:
        pieces = pattern.split()
        firsts = pieces[0].split("|")
    slot = "<" in pattern and any(p[0] == "<" and p != NUMBER and "|" not in p for p in pieces)
    if pattern.isascii() and "".join(firsts).isalpha():  # nearly all
        forms = [first.lower() for first in firsts]
        return Beginning(forms, forms if marks_matter else [], slot)
    words = [word(first, pattern, "")[0] for first in firsts]
    found = [one for one in words if isinstance(one, Word)]
    if len(found) < len(words):
        return None
    if not marks_matter:
        return Beginning([one.key for one in found], [], slot)
    return Beginning([one.marked for one in found], [one.key for one in found if not one.strict], slot)


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
