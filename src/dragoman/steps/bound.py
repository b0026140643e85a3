"""Keep what the person's words bear out: ids that were shown, with the span that named them.

A drug of a reply enters the frame only as a candidate of the turn or of an earlier message of the person's own. What
names anything else goes to ``unknown_drugs``, with the words that named it, and is never exchanged for a look-alike. A
fuzzy candidate needs a model that was shown it, or the person's confirmation. A prior frame is bounded the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from dragoman.evidence.gather import Evidence
from dragoman.evidence.statements import Statements
from dragoman.evidence.words import Place, key, place, places, written
from dragoman.protocols import Names
from dragoman.reply import Reply, ReplyDrug
from dragoman.types import (
    Candidate,
    Condition,
    Entities,
    PendingItem,
    QueryFrame,
    Span,
)

NEAR = 60.0  # how alike (0 to 100) a word of the turn must be to be what an unknown id was named by


class Named(NamedTuple):
    """A drug of the frame, and where the person named it."""

    id: str
    place: Place
    fuzzy: bool


class Bounded(NamedTuple):
    """What is left of a reply; ``notes`` say what was not borne out, without the person's words."""

    frame: QueryFrame
    named: tuple[Named, ...]
    undecided: tuple[Candidate, ...]
    notes: tuple[str, ...]


def bound(
    reply: Reply,
    evidence: Evidence,
    names: Names,
    *,
    fuzzy: bool,
    confirmed: frozenset[str] = frozenset(),
    prior: bool = False,
) -> Bounded:
    """Bound ``reply``. ``fuzzy``: its author was shown the fuzzy candidates; ``confirmed`` are ids that the person
    confirmed; ``prior``: it is an earlier frame, whose texts must all stand in what the person wrote."""
    work = _Work(evidence, names, fuzzy, confirmed, prior)
    said = Statements(evidence, work.shown, work.by_key, work.note)
    for item in dict.fromkeys(reply.drugs):  # a name said a hundred times stands in a hundred places, each time
        work.drug(item)
    for words in reply.unknown_drugs:
        work.unknown(words)
    if not prior:
        for drug in evidence.drugs:
            if drug.match is None:
                work.add_unknown(drug.text)
    named, undecided = work.decided()
    condition = work.condition(reply)
    frame = QueryFrame(
        turn_type=reply.turn_type or "",
        drugs=tuple(n.id for n in named),
        unknown_drugs=tuple(work.unknowns),
        attribute=reply.attribute,
        population=reply.population,
        weight_kg=said.weight(reply.weight_kg),
        age_text=said.text("age_text", reply.age_text),
        indication=said.text("indication", reply.indication) if prior else reply.indication,
        condition=condition,
        condition_relation=reply.condition_relation,  # type: ignore[arg-type]
        patient_context=said.context(reply.patient_context),
        context_action=reply.context_action or "none",  # type: ignore[arg-type]
        route=reply.route,
        section_overview=reply.section_overview,
        standalone_query=None if prior else reply.standalone_query,
        depends_on_previous_turn=reply.depends_on_previous_turn,
        needs_clarify=reply.needs_clarify,
        clarify_reason=reply.clarify_reason,  # type: ignore[arg-type]
        quick_replies=reply.quick_replies,
        pending=work.pending(reply),
        entities=work.entities(reply),
        reformulated_query=None if prior else reply.reformulated_query,
    )
    return Bounded(frame, tuple(named), tuple(undecided), tuple(work.notes))


class _Work:
    """The candidates that may be named, and what has been found of a reply so far."""

    def __init__(self, evidence: Evidence, names: Names, fuzzy: bool, confirmed: frozenset[str], prior: bool) -> None:
        reading = evidence.reading
        self.evidence = evidence
        self.names = names
        self.messages = reading.messages
        self.prior = prior
        self.fuzzy = fuzzy
        self.confirmed = confirmed
        self.shown: dict[str, list[Candidate]] = {}
        for candidate in reading.candidates:
            if candidate.kind == "drug":
                self.shown.setdefault(candidate.id, []).append(candidate)
        self.concepts = {c.id for c in reading.candidates if c.kind != "drug"}
        self.by_key: dict[str, str] = {}
        for drug_id, candidates in self.shown.items():
            for name in (drug_id, candidates[0].name):
                self.by_key.setdefault(key(name), drug_id)
        self.found: dict[str, Candidate] = {}
        self.unknowns: list[str] = []
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    # --- drugs ---

    def drug(self, item: ReplyDrug) -> None:
        drug_id = item.id if item.id in self.shown else self.by_key.get(key(item.id))
        # The words may also stand inside a longer name ("X" in "X Plus"): any place that names the drug will do.
        stated = list(places(item.text, self.messages)) if item.text else []
        if drug_id is None:
            self.note("a drug that was not shown")
            self.add_unknown(self._words(item, stated[0] if stated else None))
            return
        candidates = self.shown[drug_id]
        if stated:
            candidates = [
                c for c in candidates if any(c.message == p.message and c.span.overlaps(p.span) for p in stated)
            ]
        if not candidates:
            # The model reads the drug into words that do not name it.
            self.note("a drug in words that do not name it")
            self.add_unknown(stated[0].text)
            return
        self.take(drug_id, candidates)

    def take(self, drug_id: str, candidates: Sequence[Candidate]) -> None:
        sure = [c for c in candidates if c.match != "fuzzy"]
        if sure:
            self.found.setdefault(drug_id, sure[0])
        elif self.fuzzy or drug_id in self.confirmed:
            self.found.setdefault(drug_id, candidates[0])
        else:
            self.note("a fuzzy drug that nobody confirmed")

    def unknown(self, words: str) -> None:
        """A name that the reply takes to be no drug of the catalogue's: unless the catalogue has it all the same."""
        known = self.by_key.get(key(words))
        stated = place(words, self.messages)
        if known is None and stated is not None:
            known = next(
                (
                    d
                    for d, cs in self.shown.items()
                    if any(c.message == stated.message and c.match != "fuzzy" and c.span == stated.span for c in cs)
                ),
                None,
            )
        if known is not None and any(c.match != "fuzzy" for c in self.shown[known]):
            self.note("a drug called unknown that the catalogue has")
            if any(c.message == -1 for c in self.shown[known]):
                self.take(known, self.shown[known])
            return
        if stated is None:
            self.note("an unknown drug that nobody named")
            return
        self.add_unknown(stated.text)

    def add_unknown(self, words: str | None) -> None:
        if words and all(key(words) != key(known) for known in self.unknowns):
            self.unknowns.append(words)

    def _words(self, item: ReplyDrug, stated: Place | None) -> str | None:
        """The words that named a drug which was not shown, as typed where the person typed them."""
        if stated is not None:
            return stated.text
        typed = place(item.id, self.messages)
        if typed is not None:
            return typed.text
        alike = self._alike(item)
        if alike is not None:
            return alike
        if self.names.drug_name(item.id) is None and not self.prior:
            return item.text or item.id.replace("_", " ")
        return None

    def _alike(self, item: ReplyDrug) -> str | None:
        """The one word of the turn that nothing holds and that looks like the id: what the reply must have meant."""
        targets = [key(n) for n in (item.id, self.names.drug_name(item.id) or "", item.text or "") if n]
        covered = [c.span for c in self.evidence.reading.of_turn()]
        best: tuple[float, str] | None = None
        tokens = self.evidence.reading.tokens
        for i, token in enumerate(tokens.tokens):
            span = Span(token.start, token.end)
            if len(token.key) < 5 or any(span.overlaps(c) for c in covered):
                continue
            score = max((fuzz.ratio(token.key, t) for t in targets), default=0.0)
            if score >= NEAR and (best is None or score > best[0]):
                best = (score, tokens.surface(i, i + 1))
        return best[1] if best else None

    def _drop_set_aside(self) -> None:
        """Take away what the turn names only to set it aside (*not X but Y*), where the reply has another drug, too."""
        denied = [d.span for d in self.evidence.drugs if d.role == "denied"]
        aside = {
            drug_id
            for drug_id in self.found
            if all(c.message == -1 and any(c.span.overlaps(s) for s in denied) for c in self.shown[drug_id])
        }
        if aside and len(aside) < len(self.found):
            self.note("a drug that the person set aside")
            for drug_id in aside:
                del self.found[drug_id]

    # --- conditions and the organisation's entities ---

    def condition(self, reply: Reply) -> Condition | None:
        """The condition, with the concepts that were shown. One of a prior frame has a name that the person wrote, or a
        concept that the person's words named (its preferred term need not be theirs), and then that concept's name."""
        given = reply.condition
        if given is None:
            return None
        ids = tuple(c for c in given.concept_ids if c in self.concepts)
        name: str | None = given.name
        if self.prior and not written(given.name, self.messages):
            name = self.names.concept_name(ids[0]) if ids else None
        if name is None:
            self.note("a condition that nobody named")
            return None
        return Condition(name=name, subtype=given.subtype, ambiguous=given.ambiguous, concept_ids=ids)

    def entities(self, reply: Reply) -> Entities:
        """The organisation's entities; of a prior frame those that stand in what the person wrote."""
        given = reply.entities

        def kept(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(n for n in names if not self.prior or place(n, self.messages) is not None)

        return Entities(
            conditions=kept(given.conditions),
            departments=kept(given.departments),
            doctors=kept(given.doctors),
            procedures=kept(given.procedures),
            list_request=given.list_request,
        )

    def decided(self) -> tuple[list[Named], list[Candidate]]:
        """The drugs, and the candidates of words for which the reply took several: those are a question."""
        self._drop_set_aside()
        by_place: dict[tuple[int, Span], list[str]] = {}
        for drug_id, candidate in self.found.items():
            by_place.setdefault((candidate.message, candidate.span), []).append(drug_id)
        named: list[Named] = []
        undecided: list[Candidate] = []
        for drug_id, candidate in self.found.items():
            if len(by_place[candidate.message, candidate.span]) > 1:
                self.note("two drugs in the same words")
                undecided.append(candidate)
            else:
                where = Place(candidate.message, candidate.span, candidate.text)
                named.append(Named(drug_id, where, candidate.match == "fuzzy"))
        return named, undecided

    def pending(self, reply: Reply) -> tuple[PendingItem, ...]:
        """What a prior frame left open, as far as it is of this conversation."""
        if not self.prior:
            return ()
        found = []
        for item in reply.pending:
            drug_id = self.by_key.get(key(item.id)) if item.kind == "drug" else item.id
            candidate = self.shown[drug_id][0] if item.kind == "drug" and drug_id in self.shown else None
            if item.kind == "drug" and candidate is None:
                self.note("a pending drug that nobody named")
                continue
            if item.kind == "condition" and item.id not in self.concepts:
                self.note("a pending condition that nobody named")
                continue
            found.append(
                PendingItem(
                    kind=item.kind,
                    id=drug_id or item.id,
                    text=candidate.text if candidate else item.text,
                    message=candidate.message if candidate else -1,
                    span=candidate.span if candidate else Span(0, 0),
                    quick_reply=item.quick_reply,
                )
            )
        return tuple(found)
