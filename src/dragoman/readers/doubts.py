"""Words that nothing reads, in tables that people write by hand: kept, counted, and told with what may be meant.

A table holds words that mean something to dragoman (``own.toml``, the project's languages) beside an organisation's
own. A misspelt one is no fault that a reader could prove, so that the row is taken; but whoever wrote it should know.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dragoman.folder import EVERYWHERE
from dragoman.meant import nearest
from dragoman.protocols import Report
from dragoman.readers.values import data, tag

_MOST = 20  # words of one kind that are told apart; more are no slips of the pen
_LONGEST = 40  # letters of a word that is shown


class Words:
    """The words of one column. ``what`` it holds ("relation"), and which of them are ``known``."""

    def __init__(self, report: Report, what: str, known: Iterable[str]) -> None:
        self.report = report
        self.what = what
        self.known = frozenset(known)
        self._told: dict[str, str] = {}

    def check(self, word: str, path: str, line: int) -> bool:
        """Whether ``word`` is known; else the row at ``path:line`` is told."""
        if word in self.known:
            return True
        if word not in self._told:
            self._told[word] = self._tell(word) if len(self._told) < _MOST else f"further {self.what}s that are unknown"
        self.report.doubt(path, line, self._told[word])
        return False

    def _tell(self, word: str) -> str:
        near = nearest(word, self.known)
        shown = word if len(word) <= _LONGEST else f"{word[: _LONGEST - 1]}…"
        return f"{self.what} {shown!r} is none that anything uses" + (f"; did you mean {near!r}?" if near else "")


class Languages(Words):
    """The languages of names and terms; those ``spoken`` are the project's, none of them: nothing is told."""

    def __init__(self, report: Report, spoken: Collection[str]) -> None:
        super().__init__(report, "language", (*spoken, EVERYWHERE) if spoken else ())
        self._spoken = ", ".join(spoken)

    def check(self, word: str, path: str, line: int) -> bool:
        """Whether it is one of the project's, whatever its region; an empty one is the corpus's own."""
        code = (tag(word) or word).partition("-")[0]
        return not code or not self.known or super().check(code, path, line)

    def _tell(self, word: str) -> str:
        near = nearest(word, self.known - {EVERYWHERE})
        meant = f"; did you mean {near!r}?" if near else ""
        return f"language {word[:_LONGEST]!r} is none of the project's ({self._spoken}){meant}"


class Statuses(Words):
    """Whether rows count. Any word may stand for one that does not; one like the word that counts is told."""

    def __init__(self, report: Report, statuses: Iterable[str]) -> None:
        self.counts, *others = statuses
        super().__init__(report, "status", (self.counts, *others))

    def check(self, word: str, path: str, line: int) -> bool:
        """Whether it is sure what is meant; an empty one counts."""
        near = not word or word in self.known or nearest(word, self.known) != self.counts
        return near or super().check(word, path, line)

    def _tell(self, word: str) -> str:
        return f"status {word[:_LONGEST]!r} does not count; did you mean {self.counts!r}?"


def entity_types(report: Report) -> Words:
    """The column ``type`` of entities."""
    return Words(report, "entity type", data("own")["types"])


def entity_relations(report: Report) -> Words:
    """The column ``relation`` between entities."""
    return Words(report, "relation", data("own")["relations"])


def concept_relations(report: Report) -> Words:
    """The column ``type`` of relations between concepts."""
    return Words(report, "relation", data("own")["concept_relations"])


def entity_statuses(report: Report) -> Statuses:
    """The column ``status`` of entities and of relations between them."""
    return Statuses(report, data("own")["statuses"])


def drug_statuses(report: Report) -> Statuses:
    """The column ``status`` of drugs."""
    return Statuses(report, data("own")["drug_statuses"])


def begins_at(relation: str) -> str:
    """The type of entity that a known relation begins at; empty where that is any."""
    found: str = data("own")["relations"].get(relation, "")
    return found
