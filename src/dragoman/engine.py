"""The pipeline, readable as the diagram::

    Turn → scope → fold, tokens → spans → candidates ─┬─ rules ──────────────────────────────┐
                                                      └─ prepare() → model → reply → finish() ┤
         → parse → bound → cues → merge → validate → QueryFrame → enrichment layers → Answer(trace)

``prepare`` and ``finish`` are pure: the only input or output of an ``ask`` stands between them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from time import monotonic, perf_counter_ns, sleep
from typing import TYPE_CHECKING, Any

import msgspec

from dragoman import folder
from dragoman.enrich import EnrichSettings, enrich
from dragoman.errors import DataError, IndexBusy, IndexUnusable, LimitExceeded, ModelUnavailable
from dragoman.index import store
from dragoman.index.arrays import Part
from dragoman.index.drugs import DrugIndex
from dragoman.index.found import Found
from dragoman.index.terms import TermIndex
from dragoman.project import BUILT_IN, Project, load
from dragoman.protocols import Request
from dragoman.reading import Reading
from dragoman.steps.candidates import covered, settle
from dragoman.steps.frame import FrameResult, build_frame, confirms
from dragoman.steps.language_of import language_of
from dragoman.steps.parse import Fault, Reply, parse, parse_fault
from dragoman.steps.rules import understand
from dragoman.steps.scope import subject_scope
from dragoman.steps.texts import bound_texts
from dragoman.text.tokens import tokenize
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
    UnderstoodBy,
    Value,
)

if TYPE_CHECKING:
    from dragoman.gaps import Missing, Recorder
    from dragoman.understanding import Understanding


WORD_RULES = frozenset({"morphology", "spelling", "compounds"})  # without them terms are found as written alone
_PATIENCE_S = 60.0  # how long to wait for another process that builds the same demo


class Resolved(Value, frozen=True, kw_only=True):
    """The deterministic part alone: what ``dragoman resolve`` prints."""

    turn: TurnEcho
    scope: Scope
    mentions: tuple[Mention, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    index: IndexInfo
    trace: tuple[TraceRow, ...] = ()


class Lookup(Value, frozen=True, kw_only=True):
    """What the vocabularies hold for a term or an id: drugs with their aliases, concepts with terms and pages.

    Of a concept also what enrichment makes of the term (``outcome``, ``adds``) and, where it has no page, which pages
    are ``nearest``.
    """

    query: str
    drugs: tuple[dict[str, Any], ...] = ()
    concepts: tuple[dict[str, Any], ...] = ()
    entities: tuple[dict[str, Any], ...] = ()


class Vocabularies:
    """One opened generation of the index: immutable, shared by threads, mapped by processes."""

    def __init__(self, place: Path, project: Project) -> None:
        self.place = place
        self.manifest = store.read_manifest(place)
        if self.manifest.rules != folder.digest(project.packs):
            raise IndexUnusable("was built with other language packs than those at hand", where=str(place))
        part = Part(place)
        try:
            self.terms = TermIndex.open(part, project.packs)
            self.drugs = DrugIndex.open(part, project.packs)
        except (ValueError, TypeError, LookupError):  # arrays of another shape than this version writes
            raise IndexUnusable("its parts are not those that this version reads", where=str(place)) from None
        self.info: IndexInfo = self.manifest.info

    def drug_name(self, drug_id: str) -> str | None:
        """The drug's own display name."""
        return self.drugs.name(drug_id)

    def concept_name(self, concept_id: str) -> str | None:
        """The concept's preferred term in the corpus language, else in any."""
        return self.terms.concept_name(concept_id)

    def entity_name(self, entity_id: str) -> str | None:
        """The name of a published entity."""
        return self.terms.entity_name(entity_id)


class Dragoman:
    """A project with its opened index: reads turns, enriches queries, looks terms up.

    Safe to share between threads. Hold one per project; opening maps the index and takes milliseconds. ``reload`` takes
    up a newer index; each turn is read with one generation from its beginning to its end.
    """

    def __init__(self, project: Project, vocabularies: Vocabularies) -> None:
        self.project = project
        self.vocabularies = vocabularies  # replaced as a whole: who reads a turn takes it once
        self.gaps: Recorder | None = None
        self._understanding: Understanding | None = None
        self._lock = threading.Lock()

    @classmethod
    def open(cls, project: str | Path = "dragoman.toml", *, index: Path | None = None, record: bool = True) -> Dragoman:
        """Open the project's current index. With ``[gaps]`` in the project file, what turns lack is counted from now
        on, unless ``record`` is false (for turns that no person asks).

        Raises ``ConfigError`` for the project file, ``IndexUnusable`` where nothing was built yet or the index must
        not be trusted; both say what to do.
        """
        loaded = load(project)
        if str(project) in BUILT_IN and index is None:
            return cls.demo(BUILT_IN[str(project)])
        opened = cls(loaded, Vocabularies(store.open_place(index or loaded.index), loaded))
        if record and (table := loaded.file.gaps) is not None:
            from dragoman.gaps import Recorder  # brings SQLite in, which only this needs

            opened.gaps = Recorder(loaded.at(table.path), table.keep_after, table.keep_days)
        return opened

    @classmethod
    def demo(cls, name: str) -> Dragoman:
        """Open a built-in demo, ``hospital`` or ``formulary``; its index is built once into the user's cache.

        Where another process is building it, this one waits for it, at most a minute.
        """
        key = name if name in BUILT_IN else f"demo-{name}"
        loaded = load(key)
        home = demo_home(key)
        patience = monotonic() + _PATIENCE_S
        while True:
            try:
                place = store.open_place(home)
                if not _fresh(place, loaded):
                    raise IndexUnusable("the demo has changed", where=str(place))
                return cls(loaded, Vocabularies(place, loaded))
            except IndexUnusable:
                from dragoman.index.build import build  # only where there is something to build

                try:
                    build(loaded, out=home)
                except IndexBusy:
                    if monotonic() > patience:
                        raise
                    sleep(0.1)
                    continue
                return cls(loaded, Vocabularies(store.open_place(home), loaded))

    @property
    def info(self) -> IndexInfo:
        """Which index answers."""
        return self.vocabularies.info

    def reload(self) -> bool:
        """Take up the index that is current now, if it is another; whether it was.

        Cheap where nothing changed: call it between turns as often as you like, from any thread. Turns that are being
        read go on with the index they began with. Raises ``IndexUnusable`` where the new one must not be trusted; the
        old one then stays in use.
        """
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
        prepared = prepare(_turn(turn), self.project, vocabularies, frozenset(without))
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
        prepared = prepare(_turn(turn), self.project, vocabularies, frozenset(without))
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
        reading = prepare(_turn(turn), self.project, vocabularies, frozenset()).reading
        return self.understanding.request(reading) if needs_model(reading, self.project, vocabularies) else None

    @property
    def understanding(self) -> Understanding:
        """The model turn of the project; what it needs is imported here, and connected with the first call."""
        with self._lock:
            if self._understanding is None:
                from dragoman.understanding import Understanding  # brings asyncio in, which only a model needs

                self._understanding = Understanding(self.project)
            return self._understanding

    def close(self) -> None:
        """Let go of the connections to a model and to the counts of gaps, if there are any. A later call makes them
        anew."""
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
        prepared = prepare(_turn(turn), self.project, vocabularies, frozenset())
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
        vocabularies = self.vocabularies
        prepared = prepare(_turn(turn), self.project, vocabularies, frozenset(without))
        found = enrich(prepared.reading, None, vocabularies.terms, vocabularies.drugs, prepared.settings).enrichment
        if self.gaps is not None:
            self.gaps.record(_missing(prepared.reading, found, None, vocabularies))
        return found

    def lookup(self, term_or_id: str) -> Lookup:
        """What the vocabularies hold for a term (any spelling that folds to it) or an id."""
        vocabularies = self.vocabularies
        concepts, entities = vocabularies.terms.lookup(term_or_id)
        if concepts:
            self._tell(term_or_id, concepts, vocabularies)
        return Lookup(
            query=term_or_id,
            drugs=tuple(vocabularies.drugs.lookup(term_or_id)),
            concepts=tuple(concepts),
            entities=tuple(entities),
        )

    def _tell(self, term_or_id: str, concepts: list[dict[str, Any]], vocabularies: Vocabularies) -> None:
        """Add to each concept what becomes of it when a person writes the term, and the nearest pages."""
        from dragoman.gaps.nearest import nearest  # only where an editor asks

        tried: dict[str, Enrichment] = {}
        for concept in concepts:
            id_, source = str(concept["id"]), str(concept["source"])
            text = str(concept["name"]) if term_or_id in (id_, f"{source}:{id_}") else term_or_id
            if text not in tried:
                prepared = prepare(Turn(text), self.project, vocabularies, frozenset())
                tried[text] = enrich(
                    prepared.reading, None, vocabularies.terms, vocabularies.drugs, prepared.settings
                ).enrichment
            spans = {o.span: o.outcome for o in tried[text].concept_outcomes if o.concept_id == id_}
            number = vocabularies.terms.number(id_, source)
            concept["outcome"] = next(iter(spans.values()), None)
            concept["adds"] = [
                {"term": e.term, "layer": e.layer, "via": e.via} for e in tried[text].expansions if e.span in spans
            ]
            near = () if number is None else nearest(vocabularies.terms, number)
            concept["nearest"] = [msgspec.to_builtins(page) for page in near]


class Prepared(msgspec.Struct, frozen=True):
    """Everything of a turn that needs no model."""

    reading: Reading
    settings: EnrichSettings
    trace: tuple[TraceRow, ...]


def prepare(turn: Turn, project: Project, vocabularies: Vocabularies, without: frozenset[str]) -> Prepared:
    """Scope, tokens, candidates: the part of an answer that is the same whoever interprets the turn."""
    limits = project.file.limits
    for what, size, limit in (
        ("the turn has {} characters", len(turn.text), limits.text),
        ("the history has {} messages", len(turn.history), limits.history),
        (
            "a message of the history has {} characters",
            max((len(m.text) for m in turn.history), default=0),
            limits.text,
        ),
    ):
        if size > limit:
            raise LimitExceeded(what.format(size), advice=f"the limit is {limit}; see [limits] in the project file")
    for text in (turn.text, *(m.text for m in turn.history)):
        try:
            text.encode()
        except UnicodeEncodeError:  # its own message would hold the text
            raise DataError("a text has half of a surrogate pair", advice="decode it as UTF-8 first") from None
    clock = _Clock()
    messages = tuple((message, tokenize(text)) for message, text in turn.user_messages())
    language = language_of(messages[0][1], project.languages, turn.language)
    clock.row("tokens", "hit", sum(len(tokens) for _, tokens in messages))
    scope = subject_scope(turn, messages, project.languages)
    clock.row("scope", "hit" if scope.reason else "miss", 1, scope.reason)
    candidates: list[Candidate] = []
    mentions: list[Mention] = []
    switched_off = without | frozenset(project.file.enrich.without)
    as_written = switched_off >= WORD_RULES
    for message, tokens in messages:
        found = settle(
            (
                vocabularies.drugs.match(tokens, message),
                vocabularies.terms.match(tokens, message, whole_words=as_written),
            )
        )
        near = (
            vocabularies.drugs.near(tokens, message, covered(found)),
            Found() if "fuzzy" in switched_off else vocabularies.terms.near(tokens, message, covered(found)),
        )
        if any(f.candidates or f.mentions for f in near):
            found = settle((found, *near))
        candidates.extend(found.candidates)
        mentions.extend(found.mentions)
    clock.row("candidates", "hit" if candidates else "miss", len(candidates))
    reading = Reading(
        turn=turn,
        language=language,
        languages=project.languages,
        scope=scope,
        messages=messages,
        candidates=tuple(candidates),
        mentions=tuple(mentions),
    )
    table = project.file.enrich
    settings = EnrichSettings(
        max_terms=table.max_terms,
        sparse_weight=table.sparse_weight,
        without=switched_off,
        corpus_language=project.corpus_language,
    )
    return Prepared(reading, settings, tuple(clock.rows))


def finish(
    prepared: Prepared,
    project: Project,
    vocabularies: Vocabularies,
    *,
    reply: str | dict[str, Any] | None = None,
    fault: str | None = None,
    called: tuple[TraceRow, ...] = (),
) -> Answer:
    """Frame and enrichment of a prepared turn, from a model's raw ``reply``, a provider's ``fault``, or the rules.

    ``called`` are the trace rows of the call that brought either.
    """
    reading = prepared.reading
    clock = _Clock()
    parsed, by = _interpret(reading, project, vocabularies, reply, fault)
    outcome = "error" if isinstance(parsed, Fault) else "hit"
    clock.row("understand", outcome, 1, by)
    if by == "model" and isinstance(parsed, Reply):
        parsed, dropped = bound_texts(parsed, reading, vocabularies.drugs.match)
        clock.row("texts", "hit", len(dropped), f"dropped: {', '.join(dropped)}" if dropped else None)
    before = tuple(clock.rows)
    result: FrameResult = build_frame(parsed, reading, project.profile, vocabularies, by)
    clock.row("frame", "hit")
    enriched = enrich(
        reading, result.frame, vocabularies.terms, vocabularies.drugs, prepared.settings, result.canonical_terms
    )
    return Answer(
        turn=TurnEcho(text=reading.turn.text, language=reading.language),
        scope=reading.scope,
        mentions=reading.mentions,
        candidates=reading.candidates,
        frame=result.frame,
        enrichment=enriched.enrichment,
        index=vocabularies.info,
        trace=(*prepared.trace, *called, *before, *result.trace, *clock.rows[len(before) :], *enriched.trace),
    )


def _interpret(
    reading: Reading,
    project: Project,
    vocabularies: Vocabularies,
    reply: str | dict[str, Any] | None,
    fault: str | None,
) -> tuple[Reply | Fault, UnderstoodBy]:
    if not needs_model(reading, project, vocabularies):  # whatever there is
        return understand(reading, project.profile, vocabularies), "rules"
    if fault is not None:
        failed = parse_fault(fault)
        if failed.code == ModelUnavailable.code and project.file.llm and project.file.llm.on_outage == "offline":
            return understand(reading, project.profile, vocabularies), "rules"
        return failed, "model"
    if reply is not None:
        return parse(reply, limit=project.file.limits.reply), "model"
    return understand(reading, project.profile, vocabularies), "rules"


def needs_model(reading: Reading, project: Project, vocabularies: Vocabularies) -> bool:
    """Whether a model is asked about this turn, where there is one: not about animals, nor about a yes."""
    return reading.scope.subject != "veterinary" and not confirms(reading, project.profile, vocabularies)


def _missing(reading: Reading, enrichment: Enrichment, frame: QueryFrame | None, vocabularies: Vocabularies) -> Missing:
    from dragoman.gaps import observe

    return observe(reading, enrichment, frame, vocabularies.terms, vocabularies.drugs)


class _Clock:
    """Trace rows with the microseconds since the last one."""

    def __init__(self) -> None:
        self.rows: list[TraceRow] = []
        self._last = perf_counter_ns()

    def row(self, step: str, outcome: Any, count: int = 0, note: str | None = None) -> None:
        now = perf_counter_ns()
        self.rows.append(TraceRow(step=step, outcome=outcome, count=count, us=(now - self._last) // 1000, note=note))
        self._last = now


def demo_home(name: str) -> Path:
    """Where a demo's index is kept: ``$XDG_CACHE_HOME/dragoman/<name>``, by default under ``~/.cache``."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "dragoman" / name


def _fresh(place: Path, project: Project) -> bool:
    """Whether the demo at ``place`` was built from the data that this version ships, by this version."""
    manifest = store.read_manifest(place)
    if manifest.dragoman != store.__version__:
        return False
    files = {name: sha for source in manifest.sources for name, sha in source.files.items()}
    return all(
        (project.base / name).is_file() and store.digest_file(project.base / name) == sha for name, sha in files.items()
    )


def _turn(turn: Turn | str) -> Turn:
    return Turn(turn) if isinstance(turn, str) else turn
