"""The compiled terminologies as a build over them reads them."""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.folder import Language
from dragoman.index.arrays import Part
from dragoman.index.term_lists import Lists
from dragoman.index.terms_read import Term


class WordsBelow:
    """The vocabulary: words by number, their classes and languages, dictionary forms, heads of longer terms."""

    def __init__(self, part: Part) -> None:
        vocabulary = part.table("terms.vocabulary")
        self.row = vocabulary.row
        self.classes = part.ints("terms.word.class")
        self.languages = part.ints("terms.word.languages")
        self.starts = part.ints("terms.starts")
        self.forms = part.table("terms.forms")
        self.heads = part.table("terms.heads")
        words = part.strings("terms.word")
        self.word = words.__getitem__

    def __len__(self) -> int:
        return len(self.classes)


class Below:
    """Concepts by id, and their terms."""

    def __init__(self, part: Part, packs: Sequence[Language]) -> None:
        self.part = part
        self.words = WordsBelow(part)
        self.lists = Lists.of_index(part, packs)
        self.sources = list(part.strings("terms.sources"))
        self.count = len(part.strings("terms.concept.id"))
        self.same = part.runs("terms.same")
        self.codes = list(part.strings("terms.languages"))
        self.terms = len(part.ints("terms.owner"))
        self._ids = part.table("terms.concept.ids")
        self._source = part.ints("terms.concept.source", "B")
        self._text = part.strings("terms.text")
        self._language = part.ints("terms.language", "B")
        self._type = part.ints("terms.type", "B")
        self._of = part.runs("terms.of")

    def called(self, id_: str) -> list[int]:
        """The concepts with an id, or with a terminology's name and an id."""
        found: set[int] = set()
        for at, name in enumerate(self.sources):
            for form in {id_, id_.removeprefix(f"{name}:")}:
                found.update(n for n in self._ids.get(form) or () if self._source[n] == at)
        return sorted(found)

    def terms_of(self, concept: int) -> list[Term]:
        """The terms that a concept has."""
        return [Term(self._text[t], concept, self.codes[self._language[t]], self._type[t]) for t in self._of[concept]]
