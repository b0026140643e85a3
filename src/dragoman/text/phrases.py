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
from typing import Generic, NamedTuple, TypeVar

from dragoman.errors import ConfigError
from dragoman.text.tokens import Tokens, tokenize

T = TypeVar("T")

GAP = 4  # tokens that a bare `…` may stand for
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
    """A state: what may follow, and the entries that end here. Each pattern has states of its own behind the first."""

    __slots__ = ("ends", "folded", "gaps", "skips", "slots", "start", "stop", "words")

    def __init__(self) -> None:
        self.words: dict[str, list[_Node]] = {}
        self.folded: dict[str, list[_Node]] = {}
        self.slots: dict[str, list[_Node]] = {}
        self.gaps: list[tuple[int, _Node]] = []
        self.start: list[_Node] = []
        self.stop: list[_Node] = []
        self.skips: list[_Node] = []
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
            start = _Node()
            self._compile(start, pattern, where).ends.append(number)
            if _may_be_empty(start):
                raise ConfigError(f"the pattern {pattern!r} may be empty", where=where, advice="give it a word")
            self._join(start)

    def __len__(self) -> int:
        return len(self._values)

    def _link(self, node: _Node, element: _Element, following: _Node) -> None:
        """``element`` leads from ``node`` to ``following``."""
        if isinstance(element, _Word):
            node.words.setdefault(element.marked if self.marks_matter else element.key, []).append(following)
            if self.marks_matter and not element.strict:
                node.folded.setdefault(element.key, []).append(following)
        elif isinstance(element, _Slot):
            node.slots.setdefault(element.name, []).append(following)
        elif isinstance(element, _Gap):
            node.gaps.append((element.most, following))
        else:
            (node.start if element.start else node.stop).append(following)

    def _compile(self, node: _Node, pattern: str, where: str) -> _Node:
        """Add the states of ``pattern`` behind ``node``; the state that it ends in."""
        for part in _parts(pattern, where):
            following = _Node()
            for branch in part.branches:
                if part.group:
                    self._compile(node, branch, where).skips.append(following)
                else:
                    at = node
                    elements = _word(branch, pattern, where)
                    for element in elements[:-1]:
                        between = _Node()
                        self._link(at, element, between)
                        at = between
                    self._link(at, elements[-1], following)
            if part.optional:
                node.skips.append(following)
            node = following
        return node

    def _join(self, start: _Node) -> None:
        """Merge what may begin a pattern into the root, so that a token is looked up once for all patterns."""
        stack, seen = [start], {id(start)}
        root = self._root
        while stack:
            node = stack.pop()
            for own, other in ((root.words, node.words), (root.folded, node.folded), (root.slots, node.slots)):
                for form, following in other.items():
                    own.setdefault(form, []).extend(following)
            root.gaps += node.gaps
            root.start += node.start
            root.stop += node.stop
            for skipped in node.skips:
                if id(skipped) not in seen:
                    seen.add(id(skipped))
                    stack.append(skipped)

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
        size, marks_matter = len(items), self.marks_matter
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
                for other in node.skips:
                    stack.append((other, at))
                if node.stop and at > first and between[at - 1] == ".":
                    stack.extend((other, at) for other in node.stop)
                if at >= size or (at > first and between[at - 1] == "."):
                    continue
                if node.start and (at == 0 or between[at - 1] == "."):
                    stack.extend((other, at) for other in node.start)
                token = items[at]
                form = token.marked if marks_matter else token.key
                for other in node.words.get(form, ()):
                    stack.append((other, at + 1))
                if folds and token.key == token.marked:
                    for other in node.folded.get(token.key, ()):
                        stack.append((other, at + 1))
                if node.slots:
                    if token.key[0].isdigit():
                        stack.extend((other, at + 1) for other in node.slots.get("<number>", ()))
                    for name, end in slots.get(at, ()) if slots else ():
                        stack.extend((other, end) for other in node.slots.get(name, ()))
                for most, other in node.gaps:
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


def _may_be_empty(start: _Node) -> bool:
    """Whether the end can be reached from ``start`` without a token or slot."""
    stack, seen = [start], {id(start)}
    while stack:
        node = stack.pop()
        if node.ends:
            return True
        for other in (*node.skips, *node.start, *node.stop, *(n for _, n in node.gaps)):
            if id(other) not in seen:
                seen.add(id(other))
                stack.append(other)
    return False


class _Part(NamedTuple):
    """One place of a pattern: words to choose from, or (``group``) patterns; an ``optional`` one may be absent."""

    branches: list[str]
    group: bool
    optional: bool


def _parts(pattern: str, where: str) -> list[_Part]:
    parts: list[_Part] = []
    i = 0
    while i < len(pattern):
        char = pattern[i]
        if char.isspace():
            i += 1
        elif char in "([":
            close = _closing(pattern, i, where)
            parts.append(_Part(_branches(pattern[i + 1 : close]), True, char == "["))
            i = close + 1
        else:
            end = i
            while end < len(pattern) and not pattern[end].isspace() and pattern[end] not in "([":
                end += 1
            parts.append(_Part(pattern[i:end].split("|"), False, False))
            i = end
    return parts


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
