"""Under which name each concept is shown."""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.index.arrays import Part


class ConceptNames(Sequence[str]):
    """The names of concepts, by number; empty for one that has no term. Most are one of its terms, and stored as its
    number (see ``concepts_build.write_names``)."""

    __slots__ = ("_others", "_place", "_terms", "_text")

    def __init__(self, part: Part) -> None:
        self._place = part.ints("terms.concept.name")
        self._text = part.strings("terms.text")
        self._others = part.strings("terms.concept.name.other")
        self._terms = len(self._text)

    def __len__(self) -> int:
        return len(self._place)

    def __getitem__(self, concept: int) -> str:  # type: ignore[override]  # slices are of no use here
        term = self._place[concept] - 1
        if term < 0:
            return ""
        return self._text[term] if term < self._terms else self._others[term - self._terms]
