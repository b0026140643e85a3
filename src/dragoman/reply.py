"""What an understanding says of a turn, before it is bounded and validated: a model's, the offline head's, the rules'.

Nothing in a ``Reply`` can be relied on: it may name drugs that nobody wrote. ``steps.frame`` makes a frame of it. The
types are right all the same; what a model sent in a wrong type is left out, and ``dropped`` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from dragoman.types import SystemError_, Value

Organ = Literal["renal", "hepatic"]


class ReplyDrug(Value, frozen=True, kw_only=True):
    """A drug that the reply names: an id (bounded later), and the person's words that name it, if it says so."""

    id: str
    text: str | None = None


class ReplyCondition(Value, frozen=True, kw_only=True):
    """The condition asked about, as the reply calls it."""

    name: str
    subtype: str | None = None
    ambiguous: bool = False
    concept_ids: tuple[str, ...] = ()


class ReplyEntry(Value, frozen=True, kw_only=True):
    """An entry of a list of the patient's context: words, or a drug's id, or both."""

    text: str
    drug_id: str | None = None


class ReplyOrgan(Value, frozen=True, kw_only=True):
    """Renal or hepatic function as the reply states it."""

    status: str = "unknown"
    value: float | None = None
    unit: str | None = None
    measure: str | None = None
    text: str = ""


class ReplyLab(Value, frozen=True, kw_only=True):
    """A laboratory value as the reply states it."""

    name: str
    value: float | None = None
    unit: str | None = None
    text: str = ""


class ReplyContext(Value, frozen=True, kw_only=True):
    """The patient's context as the reply states it."""

    comorbidities: tuple[ReplyEntry, ...] = ()
    allergies: tuple[ReplyEntry, ...] = ()
    adverse_reactions: tuple[ReplyEntry, ...] = ()
    current_medications: tuple[ReplyEntry, ...] = ()
    renal: ReplyOrgan | None = None
    hepatic: ReplyOrgan | None = None
    pregnancy: str | None = None
    labs: tuple[ReplyLab, ...] = ()


class ReplyEntities(Value, frozen=True, kw_only=True):
    """What a hospital's question names, as the reply states it."""

    conditions: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()
    doctors: tuple[str, ...] = ()
    procedures: tuple[str, ...] = ()
    list_request: bool = False


class ReplyPending(Value, frozen=True, kw_only=True):
    """What an earlier question back was about; only prior frames have it."""

    kind: str
    id: str
    text: str = ""
    quick_reply: str = ""


class CanonicalTerm(Value, frozen=True, kw_only=True):
    """A translation: the person's words and the common term for them. Checked by the enrichment before it is used."""

    term: str
    text: str | None = None


class Reply(Value, frozen=True, kw_only=True):
    """One understanding of one turn. Field for field a ``QueryFrame``; ``dropped`` names fields of a wrong type.

    ``evidence`` is what the rules gathered on the way, so that the frame need not gather it again.
    """

    turn_type: str | None = None
    drugs: tuple[ReplyDrug, ...] = ()
    unknown_drugs: tuple[str, ...] = ()
    attribute: str | None = None
    population: str | None = None
    weight_kg: float | None = None
    age_text: str | None = None
    indication: str | None = None
    condition: ReplyCondition | None = None
    condition_relation: str | None = None
    patient_context: ReplyContext = ReplyContext()
    context_action: str | None = None
    route: str | None = None
    section_overview: bool = False
    standalone_query: str | None = None
    depends_on_previous_turn: bool = False
    needs_clarify: bool = False
    clarify_reason: str | None = None
    quick_replies: tuple[str, ...] = ()
    pending: tuple[ReplyPending, ...] = ()
    entities: ReplyEntities = ReplyEntities()
    reformulated_query: str | None = None
    understood_by: str | None = None
    canonical_terms: tuple[CanonicalTerm, ...] = ()
    raw: Mapping[str, Any] | None = None
    dropped: tuple[str, ...] = ()
    evidence: object = None


class Fault(Value, frozen=True, kw_only=True):
    """No understanding came of it: the frame's ``system_error`` for it, and the provider's failure by name."""

    code: SystemError_
    kind: str
