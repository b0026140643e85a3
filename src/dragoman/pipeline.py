"""The pipeline, readable as the diagram::

    Turn → scope → fold, tokens → spans → candidates ─┬─ rules / offline heads ──────────────┐
                                                      └─ prepare() → model → reply → finish() ┤
         → parse → bound → cues → merge → validate → QueryFrame → enrichment layers → Answer(trace)

``prepare`` and ``finish`` are pure: the only input or output of an ``ask`` stands between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from dragoman.enrich import EnrichSettings, enrich
from dragoman.errors import DataError, LimitExceeded, ModelUnavailable
from dragoman.index.found import Found
from dragoman.project import Project
from dragoman.reading import Reading
from dragoman.steps.candidates import covered, settle
from dragoman.steps.frame import FrameResult, build_frame, confirms
from dragoman.steps.language_of import language_of
from dragoman.steps.parse import Fault, Reply, parse, parse_fault
from dragoman.steps.rules import understand
from dragoman.steps.scope import drug_spans, subject_scope
from dragoman.steps.texts import bound_texts
from dragoman.text.tokens import tokenize
from dragoman.types import Answer, Candidate, Mention, TraceRow, Turn, TurnEcho, UnderstoodBy
from dragoman.vocabularies import Vocabularies

if TYPE_CHECKING:
    from dragoman.offline.understand import Offline

Understood: TypeAlias = tuple[Reply | Fault, UnderstoodBy]
WORD_RULES = frozenset({"morphology", "spelling", "compounds"})  # without them terms are found as written alone


class Prepared(msgspec.Struct, frozen=True):
    """Everything of a turn that needs no model."""

    reading: Reading
    settings: EnrichSettings
    trace: tuple[TraceRow, ...]


def prepare(
    turn: Turn, project: Project, vocabularies: Vocabularies, without: frozenset[str], *, frame: bool = True
) -> Prepared:
    """Scope, tokens, candidates: the part of an answer that is the same whoever interprets the turn.

    ``frame`` false: nobody will ask for more than the enrichment. Names near to a drug's are questions and are never
    appended, so that without fuzzy terms they change nothing then, and are not looked for.
    """
    limits = project.file.limits
    sizes = [("the turn has {} characters", len(turn.text), limits.text)]
    if turn.history:
        sizes += [
            ("the history has {} messages", len(turn.history), limits.history),
            ("a message of the history has {} characters", max(len(m.text) for m in turn.history), limits.text),
        ]
    for what, size, limit in sizes:
        if size > limit:
            raise LimitExceeded(
                what.format(size), advice=f"the limit is {limit}; see [limits] in the project file", limit=limit
            )
    for text in (turn.text, *(m.text for m in turn.history)):
        try:
            text.encode()
        except UnicodeEncodeError:  # its own message would hold the text
            raise DataError("a text has half of a surrogate pair", advice="decode it as UTF-8 first") from None
    clock = _Clock()
    messages = tuple((message, tokenize(text)) for message, text in turn.user_messages())
    language = language_of(messages[0][1], project.languages, turn.language)
    clock.row("tokens", "hit", sum(len(tokens) for _, tokens in messages))
    named = {message: vocabularies.drugs.match(tokens, message) for message, tokens in messages}
    scope = subject_scope(
        turn, messages, project.languages, {m: drug_spans(found.mentions) for m, found in named.items()}
    )
    clock.row("scope", "hit" if scope.reason else "miss", 1, scope.reason)
    candidates: list[Candidate] = []
    mentions: list[Mention] = []
    switched_off = without | vocabularies.without | frozenset(project.file.enrich.without)
    as_written = switched_off >= WORD_RULES
    exact = "fuzzy" in switched_off
    for message, tokens in messages:
        found = settle(
            (
                named[message],
                vocabularies.terms.match(tokens, message, whole_words=as_written),
            )
        )
        if frame or not exact:
            held = covered(found)
            near = (
                vocabularies.drugs.near(tokens, message, held),
                Found() if exact else vocabularies.terms.near(tokens, message, held, found.candidates),
            )
            if any(f.candidates or f.mentions or f.doubts for f in near):
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
    understood: Understood | None = None,
) -> Answer:
    """Frame and enrichment of a prepared turn, from a model's raw ``reply``, a provider's ``fault``, or the rules.

    ``called`` are the trace rows of the call that brought either. ``understood`` is what ``understand_many`` made of
    the turn, where it was asked.
    """
    reading = prepared.reading
    clock = _Clock()
    parsed, by = understood or _interpret(reading, project, vocabularies, reply, fault, prepared.settings.without)
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
        frame=result.frame.with_raw(result.raw) if by == "model" else result.frame,
        enrichment=enriched.enrichment,
        index=vocabularies.info,
        trace=(*prepared.trace, *called, *before, *result.trace, *clock.rows[len(before) :], *enriched.trace),
    )


def understand_many(prepared: Sequence[Prepared], project: Project, vocabularies: Vocabularies) -> list[Understood]:
    """What ``finish`` understands of each turn without a model, the same to the letter; texts are embedded together."""
    offline = None
    if any("offline" not in p.settings.without for p in prepared):
        offline = _offline(project)
    heard = [
        i
        for i, p in enumerate(prepared)
        if offline is not None
        and "offline" not in p.settings.without
        and offline.speaks(p.reading.language)
        and needs_model(p.reading, project, vocabularies)
    ]
    told: dict[int, Reply] = {}
    if offline is not None:
        replies = offline.understand_many([prepared[i].reading for i in heard], project.profile, vocabularies)
        told = dict(zip(heard, replies, strict=True))
    return [
        (told[i], "offline") if i in told else (understand(p.reading, project.profile, vocabularies), "rules")
        for i, p in enumerate(prepared)
    ]


def _interpret(
    reading: Reading,
    project: Project,
    vocabularies: Vocabularies,
    reply: str | dict[str, Any] | None,
    fault: str | None,
    without: frozenset[str],
) -> Understood:
    if not needs_model(reading, project, vocabularies):  # whatever there is
        return understand(reading, project.profile, vocabularies), "rules"
    if fault is not None:
        failed = parse_fault(fault)
        if failed.code == ModelUnavailable.code and project.file.llm and project.file.llm.on_outage == "offline":
            return _without_model(reading, project, vocabularies, without)
        return failed, "model"
    if reply is not None:
        return parse(reply, limit=project.file.limits.reply), "model"
    return _without_model(reading, project, vocabularies, without)


def _without_model(
    reading: Reading, project: Project, vocabularies: Vocabularies, without: frozenset[str]
) -> tuple[Reply, UnderstoodBy]:
    """The offline heads where the extra, heads for the profile and the project allow it; else the rules alone."""
    offline = _offline(project) if "offline" not in without else None
    if offline is not None and offline.speaks(reading.language):
        return offline.understand(reading, project.profile, vocabularies), "offline"
    return understand(reading, project.profile, vocabularies), "rules"


def _offline(project: Project) -> Offline | None:
    """The heads of the project, where it has any and the extra is installed."""
    from dragoman.offline.understand import Missing, of_project  # brings the encoder in, with the first turn

    found = of_project(project)
    return None if isinstance(found, Missing) else found


def needs_model(reading: Reading, project: Project, vocabularies: Vocabularies) -> bool:
    """Whether a model is asked about this turn, where there is one: not about animals, nor about a yes."""
    return reading.scope.subject != "veterinary" and not confirms(reading, project.profile, vocabularies)


class _Clock:
    """Trace rows with the microseconds since the last one."""

    def __init__(self) -> None:
        self.rows: list[TraceRow] = []
        self._last = perf_counter_ns()

    def row(self, step: str, outcome: Any, count: int = 0, note: str | None = None) -> None:
        now = perf_counter_ns()
        self.rows.append(TraceRow(step=step, outcome=outcome, count=count, us=(now - self._last) // 1000, note=note))
        self._last = now
