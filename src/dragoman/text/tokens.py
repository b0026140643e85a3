"""Tokens: runs of letters and digits, folded, with their place in the text as given."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from dragoman.text.fold import expand_references, fold_letter
from dragoman.types import Span

T = TypeVar("T")

LONGEST_WORD = 128  # letters; a word that is longer is neither near to another nor taken apart
HYPHENS = frozenset("-‐‑")

_ASCII_WORD = re.compile(r"[a-z0-9]+")


class Token(NamedTuple):
    """A run of letters and digits.

    ``start, end`` are code points of the given text; ``key`` has no marks; ``marked`` keeps letter-quality marks in
    place and tone marks at its end (see ``text.fold``).
    """

    start: int
    end: int
    key: str
    marked: str

    @property
    def bare(self) -> bool:
        """True where the token was typed without any mark."""
        return self.key == self.marked


class once(Generic[T]):
    """As ``functools.cached_property``, without the lock that Python 3.11 takes for each value: these are made for one
    question, are the same whoever works them out, and cost less than the lock."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> T:
        value = owner.__dict__[self._name] = self._make(owner)
        return value


class Tokens:
    """One message, tokenised. ``text`` is the text as given; token spans are in its code points."""

    __slots__ = ("__dict__", "text", "tokens")

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens

    def __len__(self) -> int:
        return len(self.tokens)

    @once
    def keys(self) -> list[str]:
        """The tokens' keys, in order."""
        return [t.key for t in self.tokens]

    @once
    def marked(self) -> bool:
        """True where at least one token carries a mark: the person typed with marks."""
        return any(t.key != t.marked for t in self.tokens)

    def key(self, first: int, last: int) -> str:
        """The folded key of tokens ``first`` up to, not including, ``last``: joined by single spaces."""
        return " ".join(self.keys[first:last])

    def marked_key(self, first: int, last: int) -> str:
        """As ``key``, with marks."""
        return " ".join(t.marked for t in self.tokens[first:last])

    def span(self, first: int, last: int) -> Span:
        """The code points of the given text that tokens ``first`` up to ``last`` came from."""
        return Span(self.tokens[first].start, self.tokens[last - 1].end)

    def surface(self, first: int, last: int) -> str:
        """The words as typed, in the text as given."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    def gap(self, i: int) -> str:
        """What stands between token ``i`` and the next (or the end of the text)."""
        end = self.tokens[i + 1].start if i + 1 < len(self.tokens) else len(self.text)
        return self.text[self.tokens[i].end : end]


def tokenize(text: str) -> Tokens:
    """Split and fold ``text``. Pure; linear in its length; never fails, whatever the text."""
    if text.isascii() and "&" not in text:
        low = text.lower()
        keys: list[str] = _ASCII_WORD.findall(low)
        make, find, at = tuple.__new__, low.find, 0  # what Token(...) comes to, at half the cost
        # Nothing but signs stands between a word and the next, so that the next place of its letters is its own.
        made = Tokens(text, [make(Token, (start := find(k, at), at := start + len(k), k, k)) for k in keys])
        made.__dict__["keys"] = keys
        return made
    tokens: list[Token] = []
    key: list[str] = []
    marked: list[str] = []
    tones: list[str] = []
    start = end = 0

    def close() -> None:
        if key:
            quality = unicodedata.normalize("NFC", "".join(marked))
            tokens.append(Token(start, end, "".join(key), quality + "".join(sorted(tones))))
            key.clear()
            marked.clear()
            tones.clear()

    for char, at, after in expand_references(text):
        letter = fold_letter(char)
        if letter.word:
            if not key:
                start = at
            key.append(letter.key)
            marked.append(letter.marked)
            if letter.tone:
                tones.append(letter.tone)
            end = after
        elif letter.joins:
            if key and (letter.marked or letter.tone):
                marked.append(letter.marked)
                if letter.tone:
                    tones.append(letter.tone)
                end = after
        else:
            close()
    close()
    return Tokens(text, tokens)


class _KeyTable(dict[int, str]):
    """What ``str.translate`` makes keys with: letters become their key, what joins goes, all else parts tokens."""

    def __missing__(self, code: int) -> str:
        letter = fold_letter(chr(code))
        self[code] = letter.key if letter.word else "" if letter.joins else " "
        return self[code]


_KEYS = _KeyTable()
_APOSTROPHES = re.compile("['’`´]")


def plain_keys(text: str) -> list[str] | None:
    """The keys of ``tokenize(text)`` at a tenth of the cost; ``None`` where the text has references or apostrophes, so
    that what stands between tokens may matter."""
    if "&" in text or _APOSTROPHES.search(text):
        return None
    return text.translate(_KEYS).split()


def fold_key(text: str) -> str:
    """The folded key of a whole text: its tokens' keys joined by single spaces."""
    keys = plain_keys(text)
    return " ".join(tokenize(text).keys if keys is None else keys)


def marked_key(text: str) -> str:
    """As ``fold_key``, with marks kept."""
    tokens = tokenize(text)
    return tokens.marked_key(0, len(tokens)) if tokens.tokens else ""
