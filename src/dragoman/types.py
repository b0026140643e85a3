"""Every value that flows through the pipeline: frozen, comparable, encoded by msgspec.

Spans are ``[start, end)`` in code points of the text *as given* (before any folding). ``message`` is −1 for the turn
itself, else the place of the message in ``history``. Names follow the fields of the JSON that ``ask --json`` prints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple

import msgspec

from dragoman.value import PERSONAL, shown
from dragoman.value import Value as Value

Match = Literal["exact", "variant", "fuzzy"]
Kind = Literal["drug", "concept", "entity"]
MentionStatus = Literal["exact", "variant", "fuzzy", "ambiguous", "unknown", "class", "suppressed"]
Subject = Literal["human", "unknown", "veterinary"]
ContextAction = Literal["none", "continue", "new"]
ClarifyReason = Literal["drug_name", "weight", "age", "condition", "attribute", "not_understood"]
SystemError_ = Literal["understanding_provider_unavailable", "understanding_malformed_output", "understanding_refused"]
UnderstoodBy = Literal["model", "offline", "rules"]
ConditionRelation = Literal["indication", "adverse_effect", "contraindication", "unknown"]
Outcome = Literal["expanded", "already_present", "no_page", "ambiguous", "negated", "over_budget"]
StepOutcome = Literal["hit", "miss", "skipped", "error"]


class Span(NamedTuple):
    """``[start, end)`` in code points of one message's text."""

    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        """True where the two share at least one code point."""
        return self.start < other.end and other.start < self.end


# --- what comes in -------------------------------------------------------------------------------------------------


class Message(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An earlier message of the conversation. Only ``role == "user"`` is the person's own."""

    role: str
    text: str


class PendingItem(Value, frozen=True, kw_only=True):
    """What a question back is about; a next turn that equals ``quick_reply``, or a bare yes, confirms ``id``."""

    kind: str
    id: str
    text: str
    message: int = -1
    span: Span = Span(0, 0)
    quick_reply: str = ""


class Condition(Value, frozen=True, kw_only=True):
    """The condition asked about. ``ambiguous`` when its words name several concepts."""

    personal: ClassVar[frozenset[str]] = PERSONAL | {"name"}  # the person's word where no vocabulary has one

    name: str
    subtype: str | None = None
    ambiguous: bool = False
    concept_ids: tuple[str, ...] = ()


class ContextEntry(Value, frozen=True, kw_only=True):
    """A fact of the patient's: the words that state it and, for a drug, the catalogue's id."""

    text: str
    drug_id: str | None = None
    message: int = -1
    span: Span | None = None


class OrganFunction(Value, frozen=True, kw_only=True):
    """Renal or hepatic function: ``value`` in ``unit`` as measured by ``measure`` (eGFR, creatinine, Child-Pugh)."""

    status: Literal["impaired", "normal", "unknown"] = "unknown"
    value: float | None = None
    unit: str | None = None
    measure: str | None = None
    text: str = ""


class Lab(Value, frozen=True, kw_only=True):
    """One laboratory value as stated."""

    name: str
    value: float | None = None
    unit: str | None = None
    text: str = ""


class PatientContext(Value, frozen=True, kw_only=True):
    """What the turn says of the patient, apart from what is asked."""

    comorbidities: tuple[ContextEntry, ...] = ()
    allergies: tuple[ContextEntry, ...] = ()
    adverse_reactions: tuple[ContextEntry, ...] = ()
    current_medications: tuple[ContextEntry, ...] = ()
    renal: OrganFunction | None = None
    hepatic: OrganFunction | None = None
    pregnancy: Literal["pregnant", "lactating", "no"] | None = None
    labs: tuple[Lab, ...] = ()


class Entities(Value, frozen=True, kw_only=True):
    """What a hospital's question names, in the person's words or the taxonomy's names."""

    conditions: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()
    doctors: tuple[str, ...] = ()
    procedures: tuple[str, ...] = ()
    list_request: bool = False


class QueryFrame(Value, frozen=True, kw_only=True, dict=True):
    """What is being asked: intent only, never an answer. Every field has passed ``steps.validate``.

    ``drugs`` holds catalogue ids that a user message names (the answer's ``candidates`` say where);
    ``weight_kg`` is in kilograms, in (0, 500]; ``age_text`` is as stated.
    """

    turn_type: str = "out_of_scope"
    drugs: tuple[str, ...] = ()
    unknown_drugs: tuple[str, ...] = ()
    attribute: str | None = None
    population: str | None = None
    weight_kg: float | None = None
    age_text: str | None = None
    indication: str | None = None
    condition: Condition | None = None
    condition_relation: ConditionRelation | None = None
    patient_context: PatientContext = PatientContext()
    context_action: ContextAction = "none"
    route: str | None = None
    section_overview: bool = False
    standalone_query: str | None = None
    depends_on_previous_turn: bool = False
    needs_clarify: bool = False
    clarify_reason: ClarifyReason | None = None
    quick_replies: tuple[str, ...] = ()
    pending: tuple[PendingItem, ...] = ()
    entities: Entities = Entities()
    reformulated_query: str | None = None
    understood_by: UnderstoodBy = "rules"
    system_error: SystemError_ | None = None

    @property
    def raw(self) -> Mapping[str, Any] | None:
        """The model's JSON as it came, unchecked; ``None`` where no model was heard, or what it said was no JSON.

        For debugging, in Python alone: no JSON, ``==``, ``repr``, pickle or copy of the frame has it.
        """
        found: Mapping[str, Any] | None = self.__dict__.get("raw")
        return found

    def with_raw(self, raw: Mapping[str, Any] | None) -> QueryFrame:
        """The same frame, with what the model said."""
        frame = msgspec.structs.replace(self)
        frame.__dict__["raw"] = raw
        return frame


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One message to read, with what came before it.

    ``prior_frame`` comes from the caller and is untrusted: any mapping; it is validated like a model's reply.
    ``subject_scope`` is the caller's claim; it may narrow the subject, never widen it.
    """

    text: str
    language: str | None = None
    history: tuple[Message, ...] = ()
    prior_frame: dict[str, Any] | None = None
    subject_scope: str | None = None

    def __repr__(self) -> str:
        return f"Turn({', '.join(f'{name}={held!r}' for name, held in shown(self, PERSONAL))})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return list(shown(self, PERSONAL))

    def message(self, index: int) -> str:
        """The text that ``index`` (−1: this turn) speaks of."""
        return self.text if index == -1 else self.history[index].text

    def user_messages(self) -> list[tuple[int, str]]:
        """``(message, text)`` of all that the person wrote, this turn first, then from the latest back."""
        earlier = [(i, m.text) for i, m in enumerate(self.history) if m.role == "user"]
        return [(-1, self.text), *reversed(earlier)]


# --- what is found -------------------------------------------------------------------------------------------------


class Candidate(Value, frozen=True, kw_only=True):
    """A span of a message tied to one id of the catalogue, a terminology or the taxonomy.

    ``match``: ``exact`` equal after folding, ``variant`` equal under a spelling rule, ``fuzzy`` near.
    ``why`` names the rule for anything but ``exact``. ``score`` is 1.0 for exact, lower for less.
    """

    message: int = -1
    span: Span
    text: str
    kind: Kind
    source: str
    id: str
    name: str
    semantic_type: str | None = None
    match: Match
    score: float = 1.0
    why: str | None = None


class Mention(Value, frozen=True, kw_only=True):
    """A stretch of text that was taken for a drug or condition, and what became of it."""

    message: int = -1
    span: Span
    text: str
    status: MentionStatus
    candidate_ids: tuple[str, ...] = ()
    confusable_with: tuple[str, ...] = ()
    reason: str | None = None
    kind: Kind = "concept"


class Scope(Value, frozen=True, kw_only=True):
    """Whom the turn is about. ``reason`` names the rule and the pack's entry that decided, if one did."""

    subject: Subject = "human"
    claimed: Subject | None = None
    reason: str | None = None


# --- what goes out -------------------------------------------------------------------------------------------------


class Expansion(Value, frozen=True, kw_only=True):
    """One appended term: which layer added it, for which span, over which link."""

    term: str
    layer: str
    span: Span
    entity_id: str | None = None
    concept_id: str | None = None
    via: str
    score: float = 1.0
    why: str | None = None


class WeightedTerm(Value, frozen=True, kw_only=True):
    """A term of the sparse query with its weight (the person's own words: 1.0)."""

    term: str
    weight: float


class Queries(Value, frozen=True, kw_only=True):
    """The query for each kind of retriever. ``verbatim`` is always the person's text, unchanged."""

    verbatim: str
    standalone: str | None = None
    condensed: str | None = None
    dense: str
    sparse: tuple[WeightedTerm, ...] = ()


class ConceptOutcome(Value, frozen=True, kw_only=True):
    """What became of one recognised concept: "known, no page" and "nothing found" are different answers."""

    span: Span
    concept_id: str
    outcome: Outcome


class Roster(Value, frozen=True, kw_only=True):
    """A request for a list of doctors: of which departments, and which words said so."""

    department_ids: tuple[str, ...] = ()
    signal: str


class Enrichment(Value, frozen=True, kw_only=True):
    """The person's text with the corpus's own words appended, and why each."""

    original: str
    text: str
    expansions: tuple[Expansion, ...] = ()
    queries: Queries
    concept_outcomes: tuple[ConceptOutcome, ...] = ()
    roster: Roster | None = None


class TraceRow(Value, frozen=True, kw_only=True):
    """What one step did: ``us`` microseconds, ``count`` results; ``note`` never holds the person's text."""

    step: str
    outcome: StepOutcome
    count: int = 0
    us: int = 0
    note: str | None = None


class SourceVersion(Value, frozen=True, kw_only=True):
    """One source that the index was compiled from."""

    name: str
    version: str | None = None


class IndexInfo(Value, frozen=True, kw_only=True):
    """Which index answered."""

    id: str
    sources: tuple[SourceVersion, ...] = ()


class TurnEcho(Value, frozen=True, kw_only=True):
    """The turn as it was read: its text and the language it was read in."""

    text: str
    language: str


class Answer(Value, frozen=True, kw_only=True):
    """All that ``ask`` knows of one turn."""

    turn: TurnEcho
    scope: Scope
    mentions: tuple[Mention, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    frame: QueryFrame
    enrichment: Enrichment
    index: IndexInfo
    trace: tuple[TraceRow, ...] = ()
