"""All of a turn's evidence in one value, and the facts that a profile's cues and defaults ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.evidence import cues
from dragoman.evidence.excluded import taken_back, without_excluded
from dragoman.evidence.names import Condition, Drug, Entity, classes, conditions, drugs, entities
from dragoman.evidence.patient import Patient, generic, giver, patient, roles
from dragoman.evidence.persons import bound_to_taker
from dragoman.folder import Language, Profile
from dragoman.profile import ProfileFile, read
from dragoman.reading import Reading
from dragoman.text.context import speaks_of_self
from dragoman.text.detect import plausible
from dragoman.text.measures import Age, Weight, ages, one, weights
from dragoman.text.phrases import breaks, slots_of
from dragoman.text.shorthand import spelled_out
from dragoman.text.signals import Signals, signals
from dragoman.text.talk import Talk, small_in, talk
from dragoman.text.tokens import Tokens
from dragoman.text.unitless import unitless
from dragoman.types import Mention, Span

SHORT = 6  # words of a turn that may be no more than an answer or a fragment
COURTESY = 3  # words that are thanks whatever language the other words of the turn look like
STORY = 50  # words of a turn that tells so much that a stray word in it asks nothing


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the turn's words show. ``tokens`` are spelled out (see ``text.shorthand``); spans are the given text's."""

    reading: Reading
    profile: ProfileFile
    pack: Language
    tokens: Tokens
    talk: Talk
    signals: Signals
    drugs: tuple[Drug, ...]
    classes: tuple[Mention, ...]
    conditions: tuple[Condition, ...]
    entities: tuple[Entity, ...]
    patient: Patient
    weight: Weight | None
    weights: tuple[Weight, ...]
    unitless: float | None
    ages: tuple[Age, ...]
    population: str | None
    routes: tuple[str, ...]
    found: tuple[cues.Found, ...]
    facts: frozenset[str]

    @property
    def asked(self) -> tuple[Drug, ...]:
        """The drugs that the turn asks about: those that are not only the patient's context, where it has any."""
        for role in ("asked", "current", "reaction"):
            found = tuple(d for d in self.drugs if d.role == role)
            if found:
                return found
        return ()


_ENTITIES = frozenset({"department", "doctor", "procedure"})


def gather(reading: Reading, profile: Profile) -> Evidence:
    """Read the turn's words. Pure; never raises, whatever the text."""
    table = read(profile)
    pack = reading.pack
    tokens = spelled_out(reading.tokens, pack)
    separators = breaks(tokens)
    self_told = speaks_of_self(tokens, pack)
    relatives = table.patients_may_be_relatives and (not self_told or giver(tokens, pack))
    drugs_named = roles(tokens, pack, drugs(reading.candidates, reading.mentions), relatives=relatives)
    sick = tuple(conditions(reading, tokens, pack, generic(pack)))
    drugs_named = without_excluded(tokens, drugs_named, sick, pack, relatives=relatives)
    takers = [d.span for d in drugs_named if d.role == "asked"] if table.patients_may_be_relatives else []
    bound = bound_to_taker(tokens, pack, takers)
    named = tuple(d if d.role == "asked" or bound(d.span) else d._replace(role="relative") for d in drugs_named)
    of_class = tuple(classes(reading.mentions))
    things = tuple(entities(reading, tokens, pack, _ENTITIES))
    slots = _slots(tokens, named, of_class, sick, things)
    packs = [pack, *(p for p in plausible(tokens, reading.languages) if p is not pack)]
    found = tuple(cues.find(tokens, slots, separators, profile, packs))
    case = patient(tokens, reading.tokens, pack, named, of_class, sick, relatives=relatives, bound=bound)
    stated = tuple(w for w in weights(reading.tokens, pack) if bound(w.span))
    stated = taken_back(tokens, stated, pack)
    aged = taken_back(tokens, tuple(a for a in ages(reading.tokens, pack) if bound(a.span)), pack)
    bare = unitless(reading.tokens, pack) if not stated else None
    people = _population(table, found, aged, case)
    ways = tuple(f.cue.set.route or "" for f in cues.choose(found, cues.route, frozenset()))
    speech, signs = _speech(reading, tokens, pack, packs), signals(tokens, packs)
    told = {f.cue.set.fact for f in found if f.cue.set.fact}
    told |= {"weight_open"} if bare else set()
    facts = frozenset(told) | _facts(
        reading, table, tokens, speech, signs, named, of_class, sick, things, case, stated, aged, people
    )
    return Evidence(
        reading=reading,
        profile=table,
        pack=pack,
        tokens=tokens,
        talk=speech,
        signals=signs,
        drugs=named,
        classes=of_class,
        conditions=sick,
        entities=things,
        patient=case,
        weight=one(stated),
        weights=stated,
        unitless=bare,
        ages=aged,
        population=people,
        routes=ways,
        found=found,
        facts=facts,
    )


def _speech(reading: Reading, tokens: Tokens, pack: Language, packs: Sequence[Language]) -> Talk:
    """What the turn does in the conversation. A greeting or a yes is understood in any language it may be in, and two
    words of thanks in all of the project's: "merci he" is as good English as it is French."""
    told = talk(tokens, pack)
    if told.small or told.yes or told.no:
        return told
    others = [p for p in packs if p is not pack]
    found = next((t for t in (talk(reading.tokens, p) for p in others) if t.small or t.yes or t.no), None)
    if found is None and len(tokens) <= COURTESY:
        rest = (talk(reading.tokens, p) for p in reading.languages if p is not pack and p not in others)
        found = next((t for t in rest if t.small), None)
    if found is None and len(reading.languages) > 1 and small_in(reading.tokens, reading.languages):
        return told._replace(small=True)
    return found or told


def _slots(
    tokens: Tokens,
    named: Sequence[Drug],
    of_class: Sequence[Mention],
    sick: Sequence[Condition],
    things: Sequence[Entity],
) -> dict[int, list[tuple[str, int]]]:
    """The named spans as slots of patterns, by the tokens that they cover."""
    spans: list[tuple[Span, tuple[str, ...]]] = [(d.span, ("<drug>",)) for d in named]
    spans += [(m.span, ("<class>",)) for m in of_class]
    spans += [(c.span, ("<condition>", "<symptom>" if c.symptom else "<disease>")) for c in sick]
    spans += [(e.span, (f"<{e.type}>",)) for e in things]
    return slots_of(tokens, spans)


def _population(table: ProfileFile, found: Sequence[cues.Found], aged: Sequence[Age], case: Patient) -> str | None:
    """The population by precedence: a stated age decides among the populations that are ages. The child whom a mother
    feeds is not the patient."""
    of_age = {band.population for band in table.band}
    named = {
        f.cue.set.population
        for f in found
        if cues.population(f.cue)
        and not f.denied
        and not (
            f.cue.set.population in of_age and any(s.start <= f.span.start and f.span.end <= s.end for s in case.mother)
        )
    }
    if aged:
        days = min(a.days for a in aged)
        banded = {b.population for b in table.band if b.from_days <= days < b.below_days}
        named = {p for p in named if p not in of_age} | banded
    stated = {
        table.pregnant: case.pregnancy == "pregnant",
        table.lactating: case.pregnancy == "lactating",
        table.renal: case.renal is not None and case.renal.status == "impaired",
        table.hepatic: case.hepatic is not None and case.hepatic.status == "impaired",
    }
    named |= {key for key, holds in stated.items() if holds}
    return next((p for p in table.populations if p in named), None)


def _asked_back(reading: Reading, prior: Mapping[str, Any]) -> bool:
    """Whether the turn may answer a question: one of the frame before, or of messages that no frame tells of."""
    return (
        prior.get("needs_clarify") is True or bool(prior.get("pending")) or (not prior and bool(reading.turn.history))
    )


def _named_before(prior: Mapping[str, Any], kind: str) -> bool:
    """Whether the turn before named any of the organisation's entities of a kind."""
    things = prior.get("entities")
    return bool(isinstance(things, Mapping) and things.get(kind))


def _facts(
    reading: Reading,
    table: ProfileFile,
    tokens: Tokens,
    speech: Talk,
    signs: Signals,
    named: Sequence[Drug],
    of_class: Sequence[Mention],
    sick: Sequence[Condition],
    things: Sequence[Entity],
    case: Patient,
    stated: Sequence[Weight],
    aged: Sequence[Age],
    people: str | None,
) -> frozenset[str]:
    """Everything that ``needs`` may ask of the words alone (see ``dragoman.profile``)."""
    prior = reading.turn.prior_frame if isinstance(reading.turn.prior_frame, Mapping) else {}
    present = [c for c in sick if not c.said.negated]
    asked = [d for d in named if d.role == "asked"]
    taken = [d for d in named if d.role in {"current", "reaction"}]
    covered = [d.span for d in named] + [c.span for c in sick] + [e.span for e in things] + [m.span for m in of_class]
    loose = [t for t in tokens.tokens if not any(s.start <= t.start and t.end <= s.end for s in covered)]
    things_of = {e.type for e in things if not e.said.negated}
    wanted: dict[str, Any] = {
        "drug": named,
        "drugs2": len({d.ids or d.text for d in named if d.role in {"asked", "current"}}) > 1,
        "asked": asked or (taken and not sick),
        "known": [d for d in named if d.sure],
        "taken": taken,
        "class": of_class,
        "condition": present,
        "symptom": present and all(c.symptom for c in present),
        "disease": [c for c in present if not c.symptom],
        "ambiguous_condition": [c for c in present if len(c.ids) > 1],
        "denied_condition": len(present) < len(sick),
        "weight": [w for w in stated if 0 < w.kg <= 500],
        "age": aged,
        "population": people,
        f"population:{people}": people,
        "pregnant": case.pregnancy == "pregnant",
        "lactating": case.pregnancy == "lactating",
        "prior": prior,
        f"prior:{prior.get('turn_type')}": prior,
        "prior_drug": prior.get("drugs"),
        "prior_condition": prior.get("condition") or _named_before(prior, "conditions"),
        "prior_procedure": _named_before(prior, "procedures"),
        "prior_clarify": prior.get("needs_clarify") is True,
        "goes_on": speech.goes_on,
        "refers": speech.refers,
        "anew": speech.anew,
        "meant": speech.meant,
        # A bare "yes, fine" that answers no question is a courtesy.
        "small": (speech.small or (speech.yes and not _asked_back(reading, prior))) and not named and not sick,
        "bare": (named or sick or things) and not loose,
        "short": len(tokens) <= SHORT,
        "story": len(tokens) > STORY,
        "list": signs.list,
        "routing": signs.routing,
        "complaint": signs.complaint,
        "doctors_asked": signs.doctors,
        **{name: name in things_of for name in _ENTITIES},
    }
    return frozenset(name for name, holds in wanted.items() if holds)
