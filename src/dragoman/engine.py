"""A project that is open: the drivers that add a model call, counts of gaps and new indexes to the pipeline."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dragoman.enrich import enrich
from dragoman.errors import IndexUnusable
from dragoman.given import given
from dragoman.index import store
from dragoman.lookup import Lookup as Lookup
from dragoman.lookup import lookup
from dragoman.pipeline import finish, needs_model, prepare
from dragoman.project import BUILT_IN, Project, load
from dragoman.protocols import Request
from dragoman.reading import Reading
from dragoman.rows import ArrowMethods
from dragoman.types import (
    Answer,
    Candidate,
    Enrichment,
    IndexInfo,
    Mention,
    QueryFrame,
    Scope,
    TraceRow,
    Turn,
    TurnEcho,
    Value,
)
from dragoman.vocabularies import Vocabularies

if TYPE_CHECKING:
    from dragoman.gaps import Missing, Recorder
    from dragoman.gaps.queued import QueuedRecorder
    from dragoman.understanding import Understanding


class Resolved(Value, frozen=True, kw_only=True):
    """The deterministic part alone: what ``dragoman resolve`` prints."""

    turn: TurnEcho
    scope: Scope
    mentions: tuple[Mention, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    index: IndexInfo
    trace: tuple[TraceRow, ...] = ()


class Enriched(Value, frozen=True, kw_only=True):
    """An enrichment and the way to it: what ``Dragoman.enriched`` gives."""

    enrichment: Enrichment
    mentions: tuple[Mention, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    trace: tuple[TraceRow, ...] = ()


class Dragoman(ArrowMethods):
    """A project with its opened index: reads turns, enriches queries, looks terms up.

    Safe to share between threads. Hold one per project; opening maps the index and takes milliseconds. ``reload`` takes
    up a newer index; each turn is read with one generation from its beginning to its end.
    """

    def __init__(self, project: Project, vocabularies: Vocabularies) -> None:
        self.project = project
        self.vocabularies = vocabularies  # replaced as a whole: who reads a turn takes it once
        self.gaps: Recorder | QueuedRecorder | None = None
        self._record = False
        self._tenants: dict[str, Dragoman] = {}
        self._above: Dragoman | None = None  # whose tenant this is
        self._understanding: Understanding | None = None
        self._lock = threading.Lock()

    @classmethod
    def open(
        cls,
        project: str | Path = "dragoman.toml",
        *,
        index: Path | None = None,
        record: bool = True,
        tenant: str | None = None,
    ) -> Dragoman:
        """Open the project's current index, or with ``tenant`` that of one of its tenants alone. With ``[gaps]`` in the
        project file, what turns lack is counted from now on, unless ``record`` is false (for turns that no person
        asks).

        Raises ``ConfigError`` for the project file or an unknown tenant, ``IndexUnusable`` where nothing was built yet
        or the index must not be trusted; both say what to do.
        """
        loaded = load(project)
        if index is not None:
            loaded = msgspec.structs.replace(loaded, index=index)
        if tenant is not None:
            loaded = loaded.tenant(tenant)
        elif str(project) in BUILT_IN and index is None:
            return cls.demo(BUILT_IN[str(project)])
        return cls._opened(loaded, record)

    @classmethod
    def _opened(cls, project: Project, record: bool) -> Dragoman:
        opened = cls(project, Vocabularies(store.open_place(project.index), project))
        opened._record = record
        if record and project.file.gaps is not None:
            from dragoman.gaps import recorder  # brings SQLite in, which only this needs

            opened.gaps = recorder(project)
        return opened

    @property
    def tenants(self) -> tuple[str, ...]:
        """The names of the project's tenants (``[tenants.NAME]``), in the order of the file."""
        return self.project.tenants

    def tenant(self, name: str) -> Dragoman:
        """The tenant ``name``: its own pages, drugs, rules and gaps over the project's terminologies, which all tenants
        of a process share in memory. Opened once; the same object for every caller. ``reload`` and ``close`` of this
        project are its, too.

        Raises ``ConfigError`` that names the known ones for a name that is not among them, ``IndexUnusable`` where
        nothing was built for it yet.
        """
        with self._lock:
            found = self._tenants.get(name)
            if found is None:
                found = self._opened(self.project.tenant(name), self._record)
                found._above = self
                self._tenants[name] = found
            return found

    @classmethod
    def demo(cls, name: str) -> Dragoman:
        """Open a built-in demo, ``hospital`` or ``formulary``; its index is built once into the user's cache.

        Where another process is building it, this one waits for it, at most a minute.
        """
        from dragoman.demos import opened  # building one needs more than reading one

        return cls(*opened(name))

    @property
    def info(self) -> IndexInfo:
        """Which index answers."""
        return self.vocabularies.info

    def reload(self) -> bool:
        """Take up the index that is current now, if it is another; whether it was.

        Tenants that are open take up theirs as well. Cheap where nothing changed: call it between turns as often as you
        like, from any thread. Turns that are being read go on with the index they began with. Raises ``IndexUnusable``
        where a new one must not be trusted; the old one then stays in use, and what else is new is taken up.
        """
        fault: IndexUnusable | None = None
        changed = False
        for one in (self, *tuple(self._tenants.values())):
            try:
                changed |= one._reload()
            except IndexUnusable as error:
                fault = fault or error
        if fault is not None:
            raise fault
        return changed

    def _reload(self) -> bool:
        home = self.vocabularies.place.parent
        if store.current_name(home) == self.vocabularies.place.name:
            return False
        with self._lock:
            place = store.open_place(home)
            if place == self.vocabularies.place:  # another thread was faster
                return False
            self.vocabularies = Vocabularies(place, self.project)
            return True

    def ask(
        self,
        turn: Turn | str,
        *,
        reply: str | dict[str, Any] | None = None,
        fault: str | None = None,
        without: Iterable[str] = (),
    ) -> Answer:
        """Read one turn: scope, candidates, frame, enrichment.

        ``reply`` is a model's raw answer and ``fault`` a provider's failure (``timeout``, ``refusal``, ...), used
        instead of a call. ``without`` switches enrichment layers or features off for this turn. Raises
        ``LimitExceeded`` for a turn longer than ``[limits]`` allows, and nothing else because of what a text says.
        """
        vocabularies = self.vocabularies
        prepared = prepare(given(turn), self.project, vocabularies, frozenset(without))
        if self._asks(prepared.reading, vocabularies, reply, fault):
            heard = self.understanding.ask(self.understanding.request(prepared.reading))
            answer = finish(
                prepared, self.project, vocabularies, reply=heard.reply, fault=heard.fault, called=heard.trace
            )
        else:
            answer = finish(prepared, self.project, vocabularies, reply=reply, fault=fault)
        if self.gaps is None:
            return answer
        missing = _missing(prepared.reading, answer.enrichment, answer.frame, vocabularies)
        return msgspec.structs.replace(answer, trace=(*answer.trace, self.gaps.record(missing)))

    async def aask(
        self,
        turn: Turn | str,
        *,
        reply: str | dict[str, Any] | None = None,
        fault: str | None = None,
        without: Iterable[str] = (),
    ) -> Answer:
        """As ``ask``, for an event loop: waits for the model without holding up anything else."""
        vocabularies = self.vocabularies
        prepared = prepare(given(turn), self.project, vocabularies, frozenset(without))
        if self._asks(prepared.reading, vocabularies, reply, fault):
            heard = await self.understanding.aask(self.understanding.request(prepared.reading))
            answer = finish(
                prepared, self.project, vocabularies, reply=heard.reply, fault=heard.fault, called=heard.trace
            )
        else:
            answer = finish(prepared, self.project, vocabularies, reply=reply, fault=fault)
        if self.gaps is None:
            return answer
        missing = _missing(prepared.reading, answer.enrichment, answer.frame, vocabularies)
        if not missing.size:
            return msgspec.structs.replace(answer, trace=(*answer.trace, self.gaps.record(missing)))
        import asyncio  # whoever awaits this has it

        row = await asyncio.to_thread(self.gaps.record, missing)  # a disk may be slow
        return msgspec.structs.replace(answer, trace=(*answer.trace, row))

    def request(self, turn: Turn | str) -> Request | None:
        """What a model would be sent for this turn, whether or not there is one; ``None`` where none is asked."""
        vocabularies = self.vocabularies
        reading = prepare(given(turn), self.project, vocabularies, frozenset()).reading
        return self.understanding.request(reading) if needs_model(reading, self.project, vocabularies) else None

    @property
    def understanding(self) -> Understanding:
        """The model turn of the project; what it needs is imported here, and connected with the first call. Tenants
        ask the same."""
        if self._above is not None:
            return self._above.understanding
        with self._lock:
            if self._understanding is None:
                from dragoman.understanding import Understanding  # brings asyncio in, which only a model needs

                self._understanding = Understanding(self.project)
            return self._understanding

    def close(self) -> None:
        """Let go of the connections to a model and to the counts of gaps, if there are any. A later call makes them
        anew."""
        for one in tuple(self._tenants.values()):
            one.close()
        if self._understanding is not None:
            self._understanding.close()
        if self.gaps is not None:
            self.gaps.close()

    def _asks(self, reading: Reading, vocabularies: Vocabularies, reply: object, fault: object) -> bool:
        if self.project.file.llm is None or reply is not None or fault is not None:
            return False
        return needs_model(reading, self.project, vocabularies)

    def resolve(self, turn: Turn | str) -> Resolved:
        """The deterministic part alone: scope, mentions, candidates."""
        vocabularies = self.vocabularies
        prepared = prepare(given(turn), self.project, vocabularies, frozenset())
        reading = prepared.reading
        return Resolved(
            turn=TurnEcho(text=reading.turn.text, language=reading.language),
            scope=reading.scope,
            mentions=reading.mentions,
            candidates=reading.candidates,
            index=vocabularies.info,
            trace=prepared.trace,
        )

    def enrich(self, turn: Turn | str, *, without: Iterable[str] = ()) -> Enrichment:
        """Candidates and enrichment, without an understanding step."""
        return self.enriched(turn, without=without).enrichment

    def enriched(self, turn: Turn | str, *, without: Iterable[str] = ()) -> Enriched:
        """As ``enrich``, with what was found on the way, for who counts it."""
        vocabularies = self.vocabularies
        prepared = prepare(given(turn), self.project, vocabularies, frozenset(without))
        reading = prepared.reading
        found = enrich(reading, None, vocabularies.terms, vocabularies.drugs, prepared.settings)
        rows = (*prepared.trace, *found.trace)
        if self.gaps is not None:
            rows = (*rows, self.gaps.record(_missing(reading, found.enrichment, None, vocabularies)))
        return Enriched(
            enrichment=found.enrichment, mentions=reading.mentions, candidates=reading.candidates, trace=rows
        )

    def lookup(self, term_or_id: str) -> Lookup:
        """What the vocabularies hold for a term (any spelling that folds to it) or an id."""
        return lookup(term_or_id, self.project, self.vocabularies)


def _missing(reading: Reading, enrichment: Enrichment, frame: QueryFrame | None, vocabularies: Vocabularies) -> Missing:
    from dragoman.gaps import observe

    return observe(reading, enrichment, frame, vocabularies.terms, vocabularies.drugs)
