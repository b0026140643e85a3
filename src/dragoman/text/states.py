"""The states of a phrasebook: what may follow in a pattern, and how patterns are made one automaton."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import chain
from typing import Literal

from dragoman.text.patterns import NUMBER


class Node:
    """A state: what may follow, and the entries that end here. Each pattern has states of its own behind the first.

    Nearly all have one word and nothing else: what they have not is the same empty thing for all. ``wide``: more than
    words leads on from here, or an entry ends, so that the next word alone does not tell whether anything comes of it.
    """

    __slots__ = ("ends", "folded", "gaps", "skips", "slots", "start", "stop", "wide", "words")

    def __init__(self) -> None:
        self.words = self.folded = self.slots = _NOTHING
        self.gaps: tuple[tuple[int, Node], ...] = ()
        self.start: tuple[Node, ...] = ()
        self.stop: tuple[Node, ...] = ()
        self.skips: tuple[Node, ...] = ()
        self.ends: tuple[int, ...] = ()
        self.wide = False

    def lead(self, table: Literal["words", "folded", "slots"], form: str) -> list[Node]:
        """What follows ``form``, to be added to."""
        have: dict[str, list[Node]] = getattr(self, table)
        if have is _NOTHING:
            have = {}
            setattr(self, table, have)
            self.wide = self.wide or table == "slots"
        return have.setdefault(form, [])


_NOTHING: dict[str, list[Node]] = {}


def add(node: Node, other: Node) -> None:
    """Let ``node`` also do what ``other`` does."""
    tables: tuple[Literal["words", "folded", "slots"], ...] = ("words", "folded", "slots")
    for table in tables:
        for form, following in getattr(other, table).items():
            have = node.lead(table, form)
            have.extend(n for n in following if n not in have)
    if other.gaps:  # most have none of these, and packs have thousands of patterns
        node.gaps = (*node.gaps, *(g for g in other.gaps if g not in node.gaps))
    if other.start:
        node.start = (*node.start, *(n for n in other.start if n not in node.start))
    if other.stop:
        node.stop = (*node.stop, *(n for n in other.stop if n not in node.stop))
    if other.ends:
        node.ends = (*node.ends, *(e for e in other.ends if e not in node.ends))
    node.wide = node.wide or other.wide


def _after(node: Node) -> Iterator[Node]:
    for table in (node.words, node.folded, node.slots):
        for following in table.values():
            yield from following
    yield from (*node.start, *node.stop, *node.skips, *(n for _, n in node.gaps))


def flatten(start: Node) -> None:
    """Give each state what the states have that it leads to without a token, so that none need be followed later."""
    nodes, seen = [start], {id(start)}
    for node in nodes:
        for other in _after(node):
            if id(other) not in seen:
                seen.add(id(other))
                nodes.append(other)
    done: set[int] = set()

    def settle(node: Node) -> None:
        if id(node) in done:
            return
        done.add(id(node))
        for other in node.skips:
            settle(other)
            add(node, other)
        node.skips = ()

    for node in nodes:
        settle(node)


def seconds(root: Node) -> dict[str, Container[str] | None]:
    """For each first word of ``root`` the words of which one must stand behind it, or None where anything may."""
    return {form: behind(following) for form, following in root.words.items()}


def behind(following: Sequence[Node]) -> Container[str] | None:
    """The words of which one must stand behind what leads to ``following``, or None where anything may."""
    if any(node.wide for node in following):
        return None
    if len(following) == 1 and not following[0].folded:
        return following[0].words
    return frozenset(word for node in following for word in (*node.words, *node.folded))


def openings(root: Node) -> frozenset[str] | None:
    """The words that what begins with a sentence's beginning goes on with; None where anything may."""
    if any(node.wide for node in root.start):
        return None
    return frozenset(word for node in root.start for word in (*node.words, *node.folded))


def needs_slot(start: Node) -> bool:
    """Whether the end cannot be reached from ``start`` without a slot that a caller marks."""
    stack, seen = [start], {id(start)}
    while stack:
        node = stack.pop()
        if node.ends:
            return False
        tables = (node.words, node.folded, {"": node.slots.get(NUMBER, [])})
        after = chain(*(following for table in tables for following in table.values()), node.skips, node.start)
        for other in chain(after, node.stop, (n for _, n in node.gaps)):
            if id(other) not in seen:
                seen.add(id(other))
                stack.append(other)
    return True


def may_be_empty(start: Node) -> bool:
    """Whether the end can be reached from ``start`` without a token or slot."""
    if not (start.ends or start.skips or start.start or start.stop or start.gaps):
        return False
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
