"""What is made of a text that stands alone in a row: no history, no model, nothing counted.

Each task names the columns that it adds and makes their values; files, Arrow batches and the engines that run them
share this one definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from dragoman.arrow import Read, add_columns
from dragoman.enrich import enrich
from dragoman.errors import ConfigError, DataError, LimitExceeded
from dragoman.pipeline import Prepared, finish, prepare, understand_many
from dragoman.project import Project
from dragoman.types import Candidate, Enrichment, Mention, QueryFrame, Scope, Turn, Value
from dragoman.vocabularies import Vocabularies

T = TypeVar("T")
Data = TypeVar("Data")
"""A ``pyarrow.RecordBatch`` or ``pyarrow.Table``."""

OnError = Literal["raise", "null"]

TOGETHER = 64  # rows that are understood together: what they share is done once


class ResolvedRow(Value, frozen=True, kw_only=True):
    """The deterministic part of one row: the language it was read in, scope, mentions, candidates."""

    language: str
    scope: Scope
    mentions: tuple[Mention, ...] = ()
    candidates: tuple[Candidate, ...] = ()


class Task(NamedTuple):
    """The columns that a task adds, name → type of their values, and what makes these of a prepared turn.

    ``frame``: whether it needs what an enrichment alone does not. ``many``: the same of several turns at once, where
    that is cheaper.
    """

    columns: dict[str, type[Value]]
    frame: bool
    finish: Callable[[Prepared, Project, Vocabularies], tuple[Any, ...]]
    many: Callable[[Sequence[Prepared], Project, Vocabularies], list[tuple[Any, ...]]] | None = None


def _enriched(prepared: Prepared, project: Project, vocabularies: Vocabularies) -> tuple[Any, ...]:
    return (enrich(prepared.reading, None, vocabularies.terms, vocabularies.drugs, prepared.settings).enrichment,)


def _resolved(prepared: Prepared, project: Project, vocabularies: Vocabularies) -> tuple[Any, ...]:
    reading = prepared.reading
    row = ResolvedRow(
        language=reading.language, scope=reading.scope, mentions=reading.mentions, candidates=reading.candidates
    )
    return (row,)


def _understood(prepared: Prepared, project: Project, vocabularies: Vocabularies) -> tuple[Any, ...]:
    answer = finish(prepared, project, vocabularies)
    return answer.frame, answer.enrichment


def _understood_many(
    prepared: Sequence[Prepared], project: Project, vocabularies: Vocabularies
) -> list[tuple[Any, ...]]:
    understood = understand_many(prepared, project, vocabularies)
    answers = [finish(p, project, vocabularies, understood=u) for p, u in zip(prepared, understood, strict=True)]
    return [(answer.frame, answer.enrichment) for answer in answers]


TASKS: dict[str, Task] = {
    "enrich": Task({"enrichment": Enrichment}, False, _enriched),
    "resolve": Task({"resolved": ResolvedRow}, True, _resolved),
    "understand": Task({"frame": QueryFrame, "enrichment": Enrichment}, True, _understood, _understood_many),
}


def task(name: str) -> Task:
    """A task by its name; ``ConfigError`` lists those there are."""
    if name not in TASKS:
        raise ConfigError(f"there is no task {name!r}", advice=f"use one of {', '.join(TASKS)}")
    return TASKS[name]


def answerer(
    name: str, project: Project, vocabularies: Vocabularies, language: str | None, without: frozenset[str]
) -> Callable[[str], tuple[Any, ...]]:
    """What makes of a text the values of the task's columns, in their order.

    It raises ``DataError`` for a text that is no Unicode and ``LimitExceeded`` for one that is too long.
    """
    kind = task(name)

    def answer(text: str) -> tuple[Any, ...]:
        prepared = prepare(Turn(text, language=language), project, vocabularies, without, frame=kind.frame)
        return kind.finish(prepared, project, vocabularies)

    return answer


def answerer_of_many(
    name: str, project: Project, vocabularies: Vocabularies, language: str | None, without: frozenset[str]
) -> Callable[[Sequence[str]], Iterator[Read]]:
    """What makes of texts the values that ``answerer`` makes of each; what it would raise stands in their place."""
    kind = task(name)
    one = answerer(name, project, vocabularies, language, without)
    if kind.many is None:
        return lambda texts: (_read(one, text) for text in texts)
    many = kind.many

    def ready(text: str) -> Prepared:
        return prepare(Turn(text, language=language), project, vocabularies, without, frame=kind.frame)

    def answers(texts: Sequence[str]) -> Iterator[Read]:
        for start in range(0, len(texts), TOGETHER):
            made = [_read(ready, text) for text in texts[start : start + TOGETHER]]
            told = iter(many([p for p in made if isinstance(p, Prepared)], project, vocabularies))
            yield from (next(told) if isinstance(p, Prepared) else p for p in made)

    return answers


def _read(read: Callable[[str], T], text: str) -> T | DataError | LimitExceeded:
    try:
        return read(text)
    except (DataError, LimitExceeded) as error:
        return error


class ArrowMethods:
    """The methods of ``Dragoman`` that read a text column: what Ray, Spark and other engines of tables call.

    Each takes a ``RecordBatch`` or ``Table`` and gives back the same rows, in the same order, with a struct column for
    each of the task's columns behind those that were there. ``text`` names the column to read: strings, large strings
    or string views, plain or as a dictionary. A null is answered with nulls. Rows stand alone: they have no history, no
    model is asked, no gaps are counted. ``language`` is that of all rows, where it is known; ``without`` switches
    layers and features off. The types follow from the values' own and do not depend on the data.

    A text that is longer than ``[limits]`` allows raises ``LimitExceeded`` with its row; with ``on_error="null"`` it is
    answered with nulls. ``DataError`` where there is no such text column, or a new column's name is taken.
    """

    project: Project
    vocabularies: Vocabularies

    def enrich_arrow(
        self,
        data: Data,
        *,
        text: str = "text",
        language: str | None = None,
        without: Iterable[str] = (),
        on_error: OnError = "raise",
    ) -> Data:
        """Add ``enrichment``: what ``enrich`` returns for each text."""
        return self._add("enrich", data, text, language, without, on_error)

    def resolve_arrow(
        self,
        data: Data,
        *,
        text: str = "text",
        language: str | None = None,
        without: Iterable[str] = (),
        on_error: OnError = "raise",
    ) -> Data:
        """Add ``resolved``: language, scope, mentions and candidates of each text."""
        return self._add("resolve", data, text, language, without, on_error)

    def understand_arrow(
        self,
        data: Data,
        *,
        text: str = "text",
        language: str | None = None,
        without: Iterable[str] = (),
        on_error: OnError = "raise",
    ) -> Data:
        """Add ``frame`` and ``enrichment``: what ``ask`` returns for each text where there is no model."""
        return self._add("understand", data, text, language, without, on_error)

    def _add(
        self, name: str, data: Data, text: str, language: str | None, without: Iterable[str], on_error: OnError
    ) -> Data:
        answers = answerer_of_many(name, self.project, self.vocabularies, language, frozenset(without))
        done: Data = add_columns(data, text, task(name).columns, answers, on_error=on_error)
        return done
