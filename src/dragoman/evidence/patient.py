"""What a turn says of the patient: allergies, reactions, medicines, conditions, organ function, pregnancy, labs.

The words are each pack's ``patient.toml``; whom and when they speak of comes from ``text.context``: what is denied, in
doubt, past or a relative's is no fact of the patient's. A relative is the patient where the person asks for them and
not for themselves ("may my daughter take ...").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from dragoman.evidence.allergens import unlisted
from dragoman.evidence.figures import figure
from dragoman.evidence.names import Condition, Drug, Role
from dragoman.evidence.persons import Whose
from dragoman.folder import Language
from dragoman.text.context import Assertion, assertions, reached
from dragoman.text.context_cues import Cues, Reaches, compile_reaches
from dragoman.text.numbers import numeric
from dragoman.text.phrases import Phrasebook, breaks, longest
from dragoman.text.tokens import Tokens, fold_key
from dragoman.types import ContextEntry, Lab, Mention, OrganFunction, Span

Pregnancy = Literal["pregnant", "lactating", "no"]
Status = Literal["impaired", "normal", "unknown"]


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words for states of the patient; ``not_*`` and ``*_normal`` take precedence where they overlap."""

    pregnant: tuple[str, ...] = ()
    not_pregnant: tuple[str, ...] = ()
    lactating: tuple[str, ...] = ()
    not_lactating: tuple[str, ...] = ()
    renal: tuple[str, ...] = ()
    renal_normal: tuple[str, ...] = ()
    hepatic: tuple[str, ...] = ()
    hepatic_normal: tuple[str, ...] = ()


class Measure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an organ's function is measured. ``impaired_below`` in the measure's usual unit; ``grades`` by letter."""

    organ: Literal["renal", "hepatic"]
    name: str
    words: tuple[str, ...]
    impaired_below: float | None = None
    grades: dict[str, Status] = {}


class LabWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A laboratory value and the words for it. ``not_units``: a figure in one of these is none (glucose 5%)."""

    name: str
    words: tuple[str, ...]
    not_units: tuple[str, ...] = ()


class PatientWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``patient.toml`` of a language."""

    allergy: Cues = Cues()
    reaction: Cues = Cues()
    current: Cues = Cues()
    stopped: Cues = Cues()
    indication: Cues = Cues()
    comorbid: Cues = Cues()
    facts: Facts = Facts()
    gives: tuple[str, ...] = ()
    allergen: tuple[str, ...] = ()
    generic: tuple[str, ...] = ()
    measure: tuple[Measure, ...] = ()
    lab: tuple[LabWords, ...] = ()


class Patient(NamedTuple):
    """What is known of the patient, each with its words; ``indications`` are spans of what a drug is meant for,
    ``others`` is how many statements were left out for they are about another person than who takes the drug,
    ``mother`` where it says that the patient is pregnant or feeds a child."""

    comorbidities: tuple[ContextEntry, ...] = ()
    allergies: tuple[ContextEntry, ...] = ()
    adverse_reactions: tuple[ContextEntry, ...] = ()
    current_medications: tuple[ContextEntry, ...] = ()
    renal: OrganFunction | None = None
    hepatic: OrganFunction | None = None
    pregnancy: Pregnancy | None = None
    labs: tuple[Lab, ...] = ()
    indications: tuple[Span, ...] = ()
    others: int = 0
    mother: tuple[Span, ...] = ()


_ENDS = frozenset({"stop", "resume"})
_ROLES: tuple[tuple[str, Role], ...] = (
    ("allergy", "allergy"),
    ("reaction", "reaction"),
    ("stopped", "past"),
    ("current", "current"),
)
_FACTS = (
    "pregnant", "not_pregnant", "lactating", "not_lactating", "renal", "renal_normal", "hepatic", "hepatic_normal",
)  # fmt: skip


class _Books(NamedTuple):
    words: PatientWords
    roles: Reaches
    of: Reaches
    facts: Phrasebook[str]
    gives: Phrasebook[None]
    allergens: Phrasebook[None]
    measures: Phrasebook[Measure]
    labs: Phrasebook[LabWords]


@lru_cache(maxsize=32)
def _books(pack: Language) -> _Books:
    words = pack.table("patient.toml", PatientWords)
    where = str(pack.path / "patient.toml")
    marks = pack.marks_matter
    roles = {name: getattr(words, name) for name, _ in _ROLES}
    of = {"indication": words.indication, "comorbid": words.comorbid}
    return _Books(
        words,
        compile_reaches(roles, dict.fromkeys(roles, _ENDS), pack, "patient.toml"),
        compile_reaches(of, dict.fromkeys(of, frozenset({"stop"})), pack, "patient.toml", lists=True),
        Phrasebook(((p, f) for f in _FACTS for p in getattr(words.facts, f)), marks_matter=marks, where=where),
        Phrasebook(((p, None) for p in words.gives), marks_matter=marks, where=where),
        Phrasebook(((p, None) for p in words.allergen), marks_matter=marks, where=where),
        Phrasebook(((p, m) for m in words.measure for p in m.words), marks_matter=marks, where=where),
        Phrasebook(((p, lab) for lab in words.lab for p in lab.words), marks_matter=marks, where=where),
    )


def generic(pack: Language) -> frozenset[str]:
    """Folded words that stand for any condition, and so for none."""
    return frozenset(fold_key(w) for w in _books(pack).words.generic)


def giver(tokens: Tokens, pack: Language) -> bool:
    """Whether the person speaks of giving a medicine to somebody: then that somebody is the patient."""
    return bool(_books(pack).gives.find(tokens))


def roles(tokens: Tokens, pack: Language, named: Sequence[Drug], *, relatives: bool) -> list[Drug]:
    """``named`` with their roles: asked about, or only an allergy, a reaction, a current medicine of the patient's.

    ``relatives``: what a relative takes or does not tolerate is the patient's own.
    """
    spans = [d.span for d in named]
    said = assertions(tokens, spans, pack)
    cues = reached(tokens, spans, _books(pack).roles)
    return [d._replace(role=_role(c, a, relatives)) for d, c, a in zip(named, cues, said, strict=True)]


def _role(cues: dict[str, str], said: Assertion, relatives: bool) -> Role:
    family, role = next(((f, r) for f, r in _ROLES if f in cues), (None, None))
    if family is None or role is None:
        return "asked"
    if said.negated and said.negated.lower() not in cues[family].lower():  # "does not tolerate" denies nothing
        return "denied"
    if said.family and not relatives:
        return "relative"
    if said.past and role == "current":
        return "past"
    return role


def patient(
    tokens: Tokens,
    typed: Tokens,
    pack: Language,
    named: Sequence[Drug],
    classes: Sequence[Mention],
    conditions: Sequence[Condition],
    *,
    relatives: bool,
    bound: Callable[[Span], bool],
) -> Patient:
    """The patient's context as the turn states it. ``named`` have their roles (see ``roles``); figures are read in the
    tokens as ``typed``, where no letter has been spelled out. ``bound``: whether what stands at a span may be of who
    takes the drug (see ``evidence.persons``); the rest is counted in ``others``."""
    books = _books(pack)
    whose = Whose(bound)
    bound = whose.bound
    entries: dict[str, list[ContextEntry]] = {"allergy": [], "reaction": [], "current": []}
    for drug in named:
        if drug.role in entries:
            entries[drug.role].append(ContextEntry(text=drug.text, drug_id=drug.sure, span=drug.span))
    spans = [m.span for m in classes]
    of_class = zip(
        classes, reached(tokens, spans, books.roles), assertions(tokens, spans, pack), strict=True
    )  # what is only a class can be an allergy or a medicine all the same
    for mention, cues, said in of_class:
        role = _role(cues, said, relatives)
        if role in entries and bound(mention.span):
            entries[role].append(ContextEntry(text=mention.text, span=mention.span))
    held = [*(d.span for d in named), *spans]
    unknown = unlisted(tokens, pack, books.allergens, books.roles, held, [c.span for c in conditions])
    entries["allergy"] += [
        entry
        for entry, cues, said in unknown
        if _role(cues, said, relatives) == "allergy" and (entry.span is None or bound(entry.span))
    ]
    families = reached(tokens, [c.span for c in conditions], books.of)
    indicated = tuple(c.span for c, f in zip(conditions, families, strict=True) if "indication" in f)
    comorbidities = tuple(
        ContextEntry(text=c.text, span=c.span)
        for c, f in zip(conditions, families, strict=True)
        if "comorbid" in f and "indication" not in f and not c.symptom and _present(c.said, relatives) and bound(c.span)
    )
    states = _states(tokens, pack, books, relatives, bound)
    organs, labs = _measured(typed, books, bound)
    return Patient(
        comorbidities=comorbidities,
        allergies=tuple(entries["allergy"]),
        adverse_reactions=tuple(entries["reaction"]),
        current_medications=tuple(entries["current"]),
        renal=organs.get("renal") or states.renal,
        hepatic=organs.get("hepatic") or states.hepatic,
        pregnancy=states.pregnancy,
        labs=labs,
        indications=indicated,
        others=whose.others + sum(d.role == "relative" for d in named),
        mother=states.mother,
    )


def _present(said: Assertion, relatives: bool) -> bool:
    return not (said.negated or said.past or said.uncertain or (said.family and not relatives))


class _States(NamedTuple):
    renal: OrganFunction | None
    hepatic: OrganFunction | None
    pregnancy: Pregnancy | None
    mother: tuple[Span, ...]


def _states(tokens: Tokens, pack: Language, books: _Books, relatives: bool, bound: Callable[[Span], bool]) -> _States:
    """Pregnancy and organ function as stated in words; a denial states the opposite."""
    hits = books.facts.find(tokens)
    hits = [h for h in longest(hits) if not h.value.startswith("not_")]
    spans = [tokens.span(h.first, h.last) for h in hits]
    organs: dict[str, OrganFunction] = {}
    pregnancy: Pregnancy | None = None
    mother: list[Span] = []
    for hit, span, said in zip(hits, spans, assertions(tokens, spans, pack), strict=True):
        if said.uncertain or said.past or (said.family and not relatives) or not bound(span):
            continue
        name = hit.value.removesuffix("_normal")
        if name in {"renal", "hepatic"}:
            normal = hit.value.endswith("_normal") != bool(said.negated)
            status: Status = "normal" if normal else "impaired"
            if name not in organs or status == "impaired":
                organs[name] = OrganFunction(status=status, text=tokens.surface(hit.first, hit.last))
        elif said.negated:
            pregnancy = pregnancy or "no"
        else:
            mother.append(span)
            if pregnancy != "pregnant":
                pregnancy = "pregnant" if name == "pregnant" else "lactating"
    return _States(organs.get("renal"), organs.get("hepatic"), pregnancy, tuple(mother))


def _measured(
    tokens: Tokens, books: _Books, bound: Callable[[Span], bool]
) -> tuple[dict[str, OrganFunction], tuple[Lab, ...]]:
    """Organ function and laboratory values that the text gives in figures or grades."""
    items = numeric(tokens)
    separators = breaks(items)
    organs: dict[str, OrganFunction] = {}
    for hit in longest(books.measures.find(items, None, separators)):
        if not bound(items.span(hit.first, hit.last)):
            continue
        measure = hit.value
        grade = items.keys[hit.last] if hit.last < len(items) and not separators[hit.last - 1].strip(",-:") else ""
        given = figure(items, hit.last, separators)
        if grade in measure.grades:
            text = items.text[items.tokens[hit.first].start : items.tokens[hit.last].end]
            organs[measure.organ] = OrganFunction(status=measure.grades[grade], measure=measure.name, text=text)
        elif given:
            number, unit, end = given
            status: Status = "unknown"
            if measure.impaired_below is not None:
                status = "impaired" if number < measure.impaired_below else "normal"
            text = items.text[items.tokens[hit.first].start : end]
            organ = OrganFunction(status=status, value=number, unit=unit, measure=measure.name, text=text)
            if measure.organ not in organs or organs[measure.organ].status == "unknown":
                organs[measure.organ] = organ
    labs = []
    for lab in longest(books.labs.find(items, None, separators)):
        given = figure(items, lab.last, separators)
        if given and given[1] not in lab.value.not_units and bound(items.span(lab.first, lab.last)):
            number, unit, end = given
            text = items.text[items.tokens[lab.first].start : end]
            labs.append(Lab(name=lab.value.name, value=number, unit=unit, text=text))
    return organs, tuple(labs)
