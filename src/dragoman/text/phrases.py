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
from itertools import zip_longest
from typing import Generic, NamedTuple, TypeVar

from dragoman.errors import ConfigError
from dragoman.text.patterns import NUMBER, Element, Gap, Slot, Word, parts, word
from dragoman.text.roots import Root, Roots
from dragoman.text.states import Node, flatten, may_be_empty
from dragoman.text.tokens import Tokens
from dragoman.types import Span

T = TypeVar("T")

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


def breaks(tokens: Tokens, abbreviations: frozenset[str] = frozenset()) -> list[str]:
    """What separates each token from the next: ``.`` the end of a sentence, ``,`` ``:`` ``(`` ``)`` ``-``, a line
    end as itself, or nothing. The point or comma inside a number is nothing, nor is the point of an abbreviation
    (``abbreviations``, as keys)."""
    known: dict[frozenset[str], list[str]] = tokens.__dict__.setdefault("_breaks", {})
    if abbreviations in known:
        return known[abbreviations]
    if abbreviations and abbreviations.isdisjoint(tokens.keys):
        found = known[abbreviations] = breaks(tokens)
        return found
    found = []
    text, items = tokens.text, tokens.tokens
    starts = [token.start for token in items[1:]]
    for (_, end, key, _), start, following in zip(items, starts, items[1:], strict=False):
        gap = text[end:start]
        if gap == " " or (
            (gap == "." or gap == ",") and key[-1].isdigit() and following.key[0].isdigit()
        ):  # nearly all
            found.append("")
        elif (not _STRONG.isdisjoint(gap) and not (key in abbreviations and gap.strip() == ".")) or gap.count("\n") > 1:
            found.append(".")
        else:
            found.append(next((_WEAK[c] for c in gap if c in _WEAK), "-" if " - " in gap else ""))
    if items:
        found.append("" if text[items[-1].end :] == " " else ".")
    known[abbreviations] = found
    return found


def typed_bare(tokens: Tokens) -> bool:
    """True where the text was typed without marks, but for a stray word."""
    known: bool | None = tokens.__dict__.get("_bare")
    if known is None:
        words = [t for t in tokens.tokens if not t.key.isdigit()] if tokens.marked else []
        known = not tokens.marked or sum(not t.bare for t in words) < BARE_SHARE * len(words)
        tokens.__dict__["_bare"] = known
    return known


class Phrasebook(Generic[T]):
    """Patterns with a value each, compiled for one language. ``where`` is named in a ``ConfigError``."""

    def __init__(self, entries: Iterable[tuple[str, T]], *, marks_matter: bool, where: str = "") -> None:
        self.marks_matter = marks_matter
        self._where = where
        self._values: list[tuple[T, str]] = [(value, pattern) for pattern, value in entries]
        self._roots = Roots([pattern for _, pattern in self._values], self._begin, marks_matter)

    def __len__(self) -> int:
        return len(self._values)

    def _begin(self, number: int) -> Node:
        """The state that a pattern begins in; ``ConfigError`` where it is wrong."""
        _, pattern = self._values[number]
        start = Node()
        end = self._compile(start, pattern, self._where)
        end.ends, end.wide = (*end.ends, number), True
        if may_be_empty(start):
            raise ConfigError(f"the pattern {pattern!r} may be empty", where=self._where, advice="give it a word")
        if "(" in pattern or "[" in pattern:  # nothing else leads on without a token
            flatten(start)
        return start

    def _link(self, node: Node, element: Element, following: Node) -> None:
        """``element`` leads from ``node`` to ``following``."""
        if isinstance(element, Word):
            node.lead("words", element.marked if self.marks_matter else element.key).append(following)
            if self.marks_matter and not element.strict:
                node.lead("folded", element.key).append(following)
        elif isinstance(element, Slot):
            node.lead("slots", element.name).append(following)
        elif isinstance(element, Gap):
            node.gaps, node.wide = (*node.gaps, (element.most, following)), True
        elif element.start:
            node.start, node.wide = (*node.start, following), True
        else:
            node.stop, node.wide = (*node.stop, following), True

    def _compile(self, node: Node, pattern: str, where: str) -> Node:
        """Add the states of ``pattern`` behind ``node``; the state that it ends in."""
        for part in parts(pattern, where):
            following = Node()
            for branch in part.branches:
                if part.group:
                    last = self._compile(node, branch, where)
                    last.skips = (*last.skips, following)
                else:
                    at = node
                    elements = word(branch, pattern, where)
                    for element in elements[:-1]:
                        between = Node()
                        self._link(at, element, between)
                        at = between
                    self._link(at, elements[-1], following)
            if part.optional:
                node.skips = (*node.skips, following)
            node = following
        return node

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
        folds = self.marks_matter and (typed_bare(tokens) if folds is None else folds)
        forms = [token.marked for token in items] if self.marks_matter and tokens.marked else tokens.keys
        begins = self._roots.all if slots else self._roots.slotless
        if not folds and begins.absent(forms):
            return []
        root = begins.node
        between = breaks(tokens) if separators is None else separators
        size = len(items)
        hits: list[Hit[T]] = []
        for first in self._beginnings(begins, tokens, forms, slots, between, folds):
            seen: set[tuple[int, int]] = set()
            stack: list[tuple[Node, int]] = [(root, first)]
            while stack:
                node, at = stack.pop()
                if node.ends and at > first:
                    for number in node.ends:
                        if (number, at) not in seen:
                            seen.add((number, at))
                            value, pattern = self._values[number]
                            hits.append(Hit(first, at, value, pattern))
                ended = at > first and between[at - 1] == "."
                if ended or at >= size:
                    stack.extend((other, at) for other in node.stop if ended)
                    continue
                form, after = forms[at], at + 1
                # The word behind this one, which a state must have that nothing but words leads on from: most end here.
                following = forms[after] if after < size and between[at] != "." else None
                if node.start and (at == 0 or between[at - 1] == "."):
                    stack.extend((other, at) for other in node.start)
                for other in node.words.get(form, ()):
                    if other.wide or following in other.words or (folds and following in other.folded):
                        stack.append((other, after))
                if folds and items[at].key == form:
                    for other in node.folded.get(form, ()):
                        if other.wide or following in other.words or following in other.folded:
                            stack.append((other, after))
                if not node.wide:
                    continue
                if node.slots:
                    if form[0].isdigit():
                        stack.extend((other, after) for other in node.slots.get(NUMBER, ()))
                    for name, end in slots.get(at, ()) if slots else ():
                        stack.extend((other, end) for other in node.slots.get(name, ()))
                for most, other in node.gaps:
                    for skip in range(most + 1):
                        if at + skip > size or (skip and between[at + skip - 1] == "." and at + skip < size):
                            break
                        stack.append((other, at + skip))
        hits.sort(key=lambda hit: (hit.first, hit.last))
        return hits

    def _beginnings(
        self,
        begins: Root,
        tokens: Tokens,
        forms: Sequence[str],
        slots: Slots | None,
        between: Sequence[str],
        folds: bool,
    ) -> Iterable[int]:
        """The tokens that a pattern may begin at, in order: most begin none, and most texts have few."""
        root, second, opening = begins.node, begins.second, begins.opening
        if root.gaps:
            return range(len(forms))
        found = [
            i
            for i, (form, after) in enumerate(zip_longest(forms, forms[1:]))
            if form in second and ((behind := second[form]) is None or after in behind)
        ]
        more: set[int] = set()
        if folds:
            more.update(i for i, key in enumerate(tokens.keys) if key in root.folded)
        if root.start and forms:
            starts = [0, *[i for i, gap in enumerate(between[:-1], 1) if gap == "."]]
            more.update(i for i in starts if folds or opening is None or forms[i] in opening)
        if root.slots:
            more.update(slots or ())
            more.update(i for i, key in enumerate(tokens.keys) if key[0].isdigit())
        return sorted(more.union(found)) if more else found


def slots_of(tokens: Tokens, spans: Iterable[tuple[Span, Sequence[str]]]) -> dict[int, list[tuple[str, int]]]:
    """Spans, each with the slots that it stands for, by the tokens that they cover; a span that ends inside a token is
    none."""
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    for i, token in enumerate(tokens.tokens):
        starts.setdefault(token.start, i)
        ends[token.end] = i + 1
    slots: dict[int, list[tuple[str, int]]] = {}
    for span, names in spans:
        if span.start in starts and span.end in ends:
            for name in names:
                slots.setdefault(starts[span.start], []).append((name, ends[span.end]))
    return slots


def longest(hits: Iterable[Hit[T]]) -> list[Hit[T]]:
    """The hits that no longer (or, at equal length, earlier) hit overlaps, by place."""
    kept: list[Hit[T]] = []
    for hit in sorted(hits, key=lambda h: (h.first - h.last, h.first)):
        if all(hit.last <= other.first or other.last <= hit.first for other in kept):
            kept.append(hit)
    return sorted(kept, key=lambda h: h.first)
