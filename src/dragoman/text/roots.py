"""Where the patterns of a phrasebook begin: compiled for the first text that has a first word of theirs.

A language has thousands of patterns, and a text has few of their first words. A pattern whose first words can be told
from how it is written waits until a text has one. What is found is the same, and so is its order, whatever was asked
before. Threads share it without a lock: one that comes second makes the same again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Literal

from dragoman.text.patterns import Beginning, beginning
from dragoman.text.states import Node, add, behind, needs_slot, openings, seconds

Table = Literal["words", "folded"]

_NONE: list[Node] = []  # until the patterns of a first word are compiled


class Root:
    """``node``: what all patterns begin in. ``second``: the words of which one must stand behind a first word (None:
    any may). ``opening``: the words with which the patterns go on that a sentence begins with (None: any)."""

    __slots__ = ("node", "opening", "second")

    def __init__(self) -> None:
        self.node = Node()
        self.second: dict[str, Container[str] | None] = {}
        self.opening: frozenset[str] | None = None

    def absent(self, forms: Iterable[str]) -> bool:
        """Whether no pattern can begin with any of ``forms``, as in most texts with most books."""
        node, opening = self.node, self.opening
        if opening is None or node.gaps or node.slots or node.stop:
            return False
        return node.words.keys().isdisjoint(forms) and opening.isdisjoint(forms)


class Roots:
    """``all``: the root of all patterns; ``slotless``: of those that a text without any slot may have.

    ``compiled`` gives the state that the pattern of a number begins in, and may raise for one that is wrong: it is
    called at once for each that ``patterns.beginning`` cannot vouch for.
    """

    def __init__(self, patterns: Sequence[str], compiled: Callable[[int], Node], marks_matter: bool) -> None:
        self.all = Root()
        self.slotless = Root() if any("<" in pattern for pattern in patterns) else self.all
        self._patterns = patterns
        self._compiled = compiled
        self._starts: dict[int, Node] = {}
        self._having: dict[Table, dict[str, list[int]]] = {
            "words": {},
            "folded": {},
        }  # patterns by what they begin with
        told = [beginning(pattern, marks_matter) for pattern in patterns]
        starts = [self._start(number) for number, found in enumerate(told) if found is None]
        if any(start.gaps for start in starts):  # every word of a text may begin a pattern
            told = [None] * len(told)
        self._join(told)

    def _join(self, told: Sequence[Beginning | None]) -> None:
        """Join the patterns of which nothing was ``told``, and let the others wait for the words they begin with."""
        by_form, by_key = self._having["words"], self._having["folded"]
        forms: dict[str, bool] = {}  # that some pattern waits for, and whether one of those may need no slot
        keys: dict[str, bool] = {}
        for number, found in enumerate(told):
            if found is None:
                start = self._start(number)
                add(self.all.node, start)
                if self.slotless is not self.all and self._slotless(number):
                    add(self.slotless.node, start)
                mine: tuple[Iterable[str], Iterable[str]] = start.words, start.folded
            else:
                for name in found.forms:
                    forms[name] = not found.slot or forms.get(name, False)
                for name in found.keys:
                    keys[name] = not found.slot or keys.get(name, False)
                mine = found.forms, found.keys
            for name in mine[0]:
                by_form.setdefault(name, []).append(number)
            for name in mine[1]:
                by_key.setdefault(name, []).append(number)
        for root in dict.fromkeys((self.all, self.slotless)):
            root.second, root.opening = seconds(root.node), openings(root.node)
            waiting = [form for form, slotless in forms.items() if slotless or root is self.all]
            root.node.words = dict.fromkeys(waiting, _NONE) | root.node.words
            root.second.update({form: _Second(self, root, form) for form in waiting})
            waiting = [key for key, slotless in keys.items() if slotless or root is self.all]
            root.node.folded = root.node.folded | {key: _Folded(self, root, key) for key in waiting}

    def _start(self, number: int) -> Node:
        start = self._starts.get(number)
        if start is None:
            start = self._starts[number] = self._compiled(number)
        return start

    def _slotless(self, number: int) -> bool:
        return "<" not in self._patterns[number] or not needs_slot(self._start(number))

    def settle(self, root: Root, table: Table, name: str) -> list[Node]:
        """Compile the patterns that begin with ``name``; what they lead to, in their order."""
        found: list[Node] = []
        for number in self._having[table][name]:
            if root is self.all or self._slotless(number):
                start = self._start(number)
                following = (start.words if table == "words" else start.folded).get(name, ())
                found += [node for node in following if node not in found]
        (root.node.words if table == "words" else root.node.folded)[name] = found
        return found


class _Second(Container[str]):
    """The words behind a first word whose patterns wait."""

    __slots__ = ("_form", "_root", "_roots")

    def __init__(self, roots: Roots, root: Root, form: str) -> None:
        self._roots = roots
        self._root = root
        self._form = form

    def __contains__(self, word: object) -> bool:
        following = self._roots.settle(self._root, "words", self._form)
        found = self._root.second[self._form] = behind(following)  # after what it vouches for
        return found is None or word in found


class _Folded(list[Node]):
    """What the key of a first word leads to whose patterns wait."""

    def __init__(self, roots: Roots, root: Root, key: str) -> None:
        super().__init__()
        self._roots = roots
        self._root = root
        self._key = key

    def __iter__(self) -> Iterator[Node]:
        return iter(self._roots.settle(self._root, "folded", self._key))
