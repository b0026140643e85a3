"""Phrase patterns over tokens: how every table of cues in a pack or profile is read and found.

A pattern is written as people write it, with a few signs:

=============  =====================================================================================
``a b``        the tokens a and b, side by side (never across the end of a sentence)
``a|b``        either; ``(a b|c)`` a group of alternatives, ``[a b]`` one that may be absent
``…`` ``…7``   up to four (seven) tokens of any kind, inside the sentence
``<drug>``     a slot: a span that the caller marks with this name; ``<number>`` is a token that begins with a digit
``^`` ``$``    the beginning and the end of a sentence
``=a``         a with exactly these marks, also where the text was typed without any
=============  =====================================================================================

Marks: where the pack says that marks carry meaning, a word matches only with its marks, but for a text typed without
marks, whose bare tokens match by their key. Elsewhere keys decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Generic, NamedTuple, TypeVar

from dragoman.errors import ConfigError
from dragoman.text.tokens import Tokens, tokenize

T = TypeVar("T")

GAP = 4  # tokens that a bare `…` may stand for
LIMIT = 4096  # readings of one pattern; more is a slip of the pen
BARE_SHARE = 0.2  # a text with fewer marked words than this was typed without marks

_STRONG = frozenset(".?!;…。？！")
_WEAK = {",": ",", "، ": ",", ":": ":", "\n": "\n", "(": "(", ")": ")", "–": "-", "—": "-"}

Slots = Mapping[int, Sequence[tuple[str, int]]]
"""Token index → ``(slot name, index after its last token)``."""


class Hit(NamedTuple, Generic[T]):
    """A pattern found in tokens ``first`` up to, not including, ``last``."""

    first: int
    last: int
    value: T
    pattern: str


class _Word(NamedTuple):
    marked: str
    key: str
    strict: bool


class _Slot(NamedTuple):
    name: str


class _Gap(NamedTuple):
    most: int


class _Edge(NamedTuple):
    start: bool


_Element = _Word | _Slot | _Gap | _Edge


class _Node:
    """A state of the trie: what may follow, and the entries that end here."""

    __slots__ = ("ends", "folded", "gaps", "slots", "start", "stop", "words")

    def __init__(self) -> None:
        self.words: dict[str, _Node] = {}
        self.folded: dict[str, list[_Node]] = {}
        self.slots: dict[str, _Node] = {}
        self.gaps: dict[int, _Node] = {}
        self.start: _Node | None = None
        self.stop: _Node | None = None
        self.ends: list[int] = []


def breaks(tokens: Tokens, abbreviations: frozenset[str] = frozenset()) -> list[str]:
    """What separates each token from the next: ``.`` the end of a sentence, ``,`` ``:`` ``(`` ``)`` ``-``, a line
    end as itself, or nothing. The point or comma inside a number is nothing, nor is the point of an abbreviation
    (``abbreviations``, as keys)."""
    found: list[str] = []
    text, items = tokens.text, tokens.tokens
    for i, token in enumerate(items):
        end = items[i + 1].start if i + 1 < len(items) else len(text)
        gap = text[token.end : end]
        if gap == " ":
            found.append("")
            continue
        if i + 1 < len(items) and gap in {".", ","} and token.key[-1].isdigit() and items[i + 1].key[0].isdigit():
            found.append("")
            continue
        strong = next((c for c in gap if c in _STRONG), "")
        if strong == "." and token.key in abbreviations and gap.strip() == ".":
            strong = ""
        if strong or gap.count("\n") > 1 or i + 1 == len(items):
            found.append(".")
            continue
        found.append(next((_WEAK[c] for c in gap if c in _WEAK), "-" if " - " in gap else ""))
    return found


def typed_bare(tokens: Tokens) -> bool:
    """True where the text was typed without marks, but for a stray word."""
    if not tokens.marked:
        return True
    words = [t for t in tokens.tokens if not t.key.isdigit()]
    return sum(not t.bare for t in words) < BARE_SHARE * len(words)


class Phrasebook(Generic[T]):
    """Patterns with a value each, compiled for one language. ``where`` is named in a ``ConfigError``."""

    def __init__(self, entries: Iterable[tuple[str, T]], *, marks_matter: bool, where: str = "") -> None:
        self.marks_matter = marks_matter
        self._root = _Node()
        self._values: list[tuple[T, str]] = []
        for pattern, value in entries:
            number = len(self._values)
            self._values.append((value, pattern))
            for elements in _expand(pattern, where):
                self._add(elements, number)

    def __len__(self) -> int:
        return len(self._values)

    def _add(self, elements: tuple[_Element, ...], number: int) -> None:
        node = self._root
        for element in elements:
            if isinstance(element, _Word):
                form = element.marked if self.marks_matter else element.key
                following = node.words.get(form)
                if following is None:
                    following = node.words[form] = _Node()
                if self.marks_matter and not element.strict:
                    same = node.folded.setdefault(element.key, [])
                    if following not in same:
                        same.append(following)
                node = following
            elif isinstance(element, _Slot):
                node = node.slots.setdefault(element.name, _Node())
            elif isinstance(element, _Gap):
                node = node.gaps.setdefault(element.most, _Node())
            elif element.start:
                node.start = node.start or _Node()
                node = node.start
            else:
                node.stop = node.stop or _Node()
                node = node.stop
        if number not in node.ends:
            node.ends.append(number)

    def find(
        self,
        tokens: Tokens,
        slots: Slots | None = None,
        separators: Sequence[str] | None = None,
        *,
        folds: bool | None = None,
    ) -> list[Hit[T]]:
        """Every occurrence of every pattern, by place; overlapping ones are all there.

        ``separators`` as from ``breaks``, when the caller has them already. ``folds`` false: words match with their
        marks alone, also in a text typed without any.
        """
        items = tokens.tokens
        between = breaks(tokens) if separators is None else separators
        folds = self.marks_matter and (typed_bare(tokens) if folds is None else folds)
        size = len(items)
        hits: list[Hit[T]] = []
        for first in range(size):
            seen: set[tuple[int, int]] = set()
            stack: list[tuple[_Node, int]] = [(self._root, first)]
            while stack:
                node, at = stack.pop()
                for number in node.ends:
                    if (number, at) not in seen and at > first:
                        seen.add((number, at))
                        value, pattern = self._values[number]
                        hits.append(Hit(first, at, value, pattern))
                if node.stop is not None and at > first and between[at - 1] == ".":
                    stack.append((node.stop, at))
                if at >= size or (at > first and between[at - 1] == "."):
                    continue
                if node.start is not None and (at == 0 or between[at - 1] == "."):
                    stack.append((node.start, at))
                token = items[at]
                following = node.words.get(token.marked if self.marks_matter else token.key)
                if following is not None:
                    stack.append((following, at + 1))
                if folds and token.key == token.marked:
                    for other in node.folded.get(token.key, ()):
                        if other is not following:
                            stack.append((other, at + 1))
                if node.slots:
                    if token.key[0].isdigit() and "<number>" in node.slots:
                        stack.append((node.slots["<number>"], at + 1))
                    for name, end in slots.get(at, ()) if slots else ():
                        if name in node.slots:
                            stack.append((node.slots[name], end))
                for most, other in node.gaps.items():
                    for skip in range(most + 1):
                        if at + skip > size or (skip and between[at + skip - 1] == "." and at + skip < size):
                            break
                        stack.append((other, at + skip))
        hits.sort(key=lambda hit: (hit.first, hit.last))
        return hits


def longest(hits: Iterable[Hit[T]]) -> list[Hit[T]]:
    """The hits that no longer (or, at equal length, earlier) hit overlaps, by place."""
    kept: list[Hit[T]] = []
    for hit in sorted(hits, key=lambda h: (h.first - h.last, h.first)):
        if all(hit.last <= other.first or other.last <= hit.first for other in kept):
            kept.append(hit)
    return sorted(kept, key=lambda h: h.first)


def _expand(pattern: str, where: str) -> list[tuple[_Element, ...]]:
    readings = _parse(pattern, where)
    if not readings or any(not r for r in readings):
        raise ConfigError(f"the pattern {pattern!r} may be empty", where=where, advice="give it at least one word")
    return readings


def _parse(pattern: str, where: str) -> list[tuple[_Element, ...]]:
    """All readings of ``pattern``, each as a flat sequence."""
    parts: list[list[tuple[_Element, ...]]] = []
    i = 0
    while i < len(pattern):
        char = pattern[i]
        if char.isspace():
            i += 1
            continue
        if char in "([":
            close = _closing(pattern, i, where)
            inner = [r for branch in _branches(pattern[i + 1 : close]) for r in _parse(branch, where)]
            parts.append([*inner, ()] if char == "[" else inner)
            i = close + 1
            continue
        end = i
        while end < len(pattern) and not pattern[end].isspace() and pattern[end] not in "([":
            end += 1
        parts.append([_word(option, pattern, where) for option in pattern[i:end].split("|")])
        i = end
    total = 1
    for part in parts:
        total *= len(part)
    if total > LIMIT:
        raise ConfigError(f"the pattern {pattern!r} has {total} readings", where=where, advice="split it")
    return [tuple(e for part in choice for e in part) for choice in product(*parts)]


def _word(text: str, pattern: str, where: str) -> tuple[_Element, ...]:
    if text in {"^", "$"}:
        return (_Edge(text == "^"),)
    if text.startswith("…"):
        return (_Gap(int(text[1:]) if text[1:].isdigit() else GAP),)
    if text.startswith("<") and text.endswith(">"):
        return (_Slot(text),)
    strict = text.startswith("=")
    words = tokenize(text.removeprefix("=")).tokens
    if not words:
        raise ConfigError(f"{text!r} in the pattern {pattern!r} is no word", where=where, advice="see text.phrases")
    return tuple(_Word(t.marked, t.key, strict) for t in words)


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
