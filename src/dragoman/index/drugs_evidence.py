"""What stands beside a name and says that it is a drug, and the names of drug classes, which are none."""

from __future__ import annotations

from dragoman.index.drugs_store import Stretch
from dragoman.index.drugs_words import WordTable
from dragoman.text.tokens import Tokens

_REACH = 2


class Evidence:
    """The packs' drug words, ready to be asked of a place in a text."""

    def __init__(self, words: WordTable) -> None:
        self.words = words
        self._class_first: dict[str, list[list[str]]] = {}
        for key in words.classes:
            parts = key.split(" ")
            self._class_first.setdefault(parts[0], []).append(parts)
        for choices in self._class_first.values():
            choices.sort(key=len, reverse=True)

    def announced(self, tokens: Tokens, first: int) -> bool:
        """Whether the word before ``first`` says that a drug's name follows (``thuốc X``, ``geneesmiddel X``)."""
        items = tokens.tokens
        if first == 0 or not self.words.before.has(items[first - 1]):
            return False
        if _broken(tokens, first - 1):
            return False
        return first < 2 or not self.words.not_before.has(items[first - 2])

    def asked(self, tokens: Tokens, first: int, last: int) -> bool:
        """Whether what stands right before or behind asks what is asked of drugs alone (``side effects of X``)."""
        items, words = tokens.tokens, self.words
        if first and not _broken(tokens, first - 1):
            for phrase in words.asked_of.get(items[first - 1].key, ()):
                if _says(tokens, first - len(phrase), phrase):
                    return True
        if last < len(items) and not _broken(tokens, last - 1):
            return any(_says(tokens, last, phrase) for phrase in words.asked_after.get(items[last].key, ()))
        return False

    def dosed(self, tokens: Tokens, last: int) -> bool:
        """Whether a dose follows (``500 mg``, ``500mg``)."""
        items = tokens.tokens
        if last >= len(items) or _broken(tokens, last - 1):
            return False
        key = items[last].key
        number = key.rstrip("abcdefghijklmnopqrstuvwxyzµ")
        if not number.isdigit():
            return False
        units = self.words.units
        if number != key:
            return key[len(number) :] in units
        for i in range(last + 1, min(last + 3, len(items))):
            if items[i].key in units:
                return True
            if not items[i].key[0].isdigit():
                return False
            if items[i].key.lstrip("0123456789") in units:
                return True
        return False

    def beside(self, tokens: Tokens, first: int, last: int) -> bool:
        """Whether anything near says that this is a drug: an announcement, a dose, a form or a way of giving."""
        if self.announced(tokens, first) or self.dosed(tokens, last):
            return True
        items, around = tokens.tokens, self.words.around
        near = (*range(max(0, first - _REACH), first), *range(last, min(last + _REACH, len(items))))
        return any(around.has(items[i]) for i in near)

    def only_like(self, tokens: Tokens, last: int) -> bool:
        """Whether a name's last word, before token ``last``, is an ordinary word to the one behind it."""
        if last == len(tokens) or tokens.gap(last - 1) != " ":
            return False
        return (
            f"{tokens.keys[last - 1]} {tokens.keys[last]}" in self.words.only_like
            and tokens.surface(last - 1, last).islower()
        )

    def classes(self, tokens: Tokens, into: list[Stretch]) -> None:
        """Add the names of drug classes, the longest at each place."""
        keys, firsts = tokens.keys, self._class_first
        if firsts.keys().isdisjoint(keys):
            return
        for i, key in enumerate(keys):
            for parts in firsts.get(key, ()):  # longest first
                size = len(parts)
                if keys[i : i + size] == parts and self._agrees(tokens, i, parts):
                    into.append(Stretch(i, i + size, (), "class", "a class of drugs"))
                    break

    def _agrees(self, tokens: Tokens, first: int, parts: list[str]) -> bool:
        marked = self.words.classes[" ".join(parts)].split(" ")
        items = tokens.tokens[first : first + len(parts)]
        return all(t.key == t.marked or t.marked == m for t, m in zip(items, marked, strict=True))


def _says(tokens: Tokens, first: int, phrase: tuple[tuple[str, str], ...]) -> bool:
    """Whether the words of ``phrase`` begin at token ``first``: with their marks, or typed without."""
    if first < 0:
        return False
    items = tokens.tokens[first : first + len(phrase)]
    return len(items) == len(phrase) and all(
        t.key == key and t.marked in {mark, key} for t, (mark, key) in zip(items, phrase, strict=True)
    )


def _broken(tokens: Tokens, i: int) -> bool:
    """Whether a sentence ends, or a line, between token ``i`` and the next."""
    gap = tokens.text[tokens.tokens[i].end : tokens.tokens[i + 1].start]
    return any(c in gap for c in ".?!;\n,")
