"""A profile's tables: what a deployment asks of a frame, and the cues by which it is asked.

``profile.toml`` holds what no language changes: the closed lists of keys, the bands from age to population, and the
order in which what was seen decides the turn type and the question back. ``vocabulary.toml`` gives every key its label
and gloss per language; ``cues.<language>.toml`` the words. A new language for a profile is one more such file, and
``vocabulary.<language>.toml`` for its labels and glosses: no file that is there has to change.

``needs`` (of cues, defaults and questions back) are names of facts, ``!`` before one that must not hold:

* ``drug`` a drug is named, in the catalogue or not; ``drugs2`` two are; ``asked`` one that is not merely context;
  ``known`` one that the catalogue has; ``class`` a class of drugs; ``taken`` one that the patient takes;
* ``condition`` a condition or symptom, not denied; ``symptom``, ``disease`` which of the two;
* ``department``, ``doctor``, ``procedure`` an entity or concept of that type;
* ``weight``, ``weight_open`` (a figure without its unit), ``age``, ``population`` and ``population:<key>``,
  ``pregnant``, ``lactating``;
* ``attribute`` and ``attribute:<key>``, ``turn`` and ``turn:<key>``, ``relation``: what cues have settled by then;
* ``prior``, ``prior:<turn type>``, ``prior_drug``, ``prior_clarify``: the turn before; ``goes_on``, ``refers``,
  ``anew``, ``small``, ``bare`` (nothing but names), ``short`` (at most six words), ``story`` (more than fifty),
  ``list``, ``routing``; and any ``fact`` that a cue sets.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from dragoman.errors import ConfigError
from dragoman.folder import Language, Profile
from dragoman.text.phrases import Phrasebook


class Band(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ages, in days from ``from_days`` up to, not including, ``below_days``, that make a population."""

    population: str
    from_days: float = 0.0
    below_days: float = 1e9


class Sets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Frame fields that a cue or default sets; absent ones are left as they are.

    ``fact`` is a fact for the needs of others.
    """

    turn_type: str | None = None
    attribute: str | None = None
    population: str | None = None
    route: str | None = None
    condition_relation: str | None = None
    section_overview: bool = False
    list_request: bool = False
    subtype: bool = False
    fact: str | None = None


Strength = Literal["guess", "told", "firm"]


class Default(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What follows where all of ``needs`` hold and no cue has said otherwise; the first that fits counts.

    ``strength``: trained heads answer instead of a ``guess`` (for a turn that names something and shows no more) where
    they are sure, against what is ``told`` where they are very sure, and never against what is ``firm``.
    """

    needs: tuple[str, ...]
    set: Sets
    strength: Strength = "told"


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When to ask back, and why (a ``clarify_reason``); the first that fits counts."""

    needs: tuple[str, ...]
    reason: str


class ProfileFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """``profile.toml``.

    ``fallback`` is the turn type of what is no question for this corpus, ``fallback_with_candidates`` where something
    of the catalogue was resolved, ``smalltalk`` the one of greetings. ``alone`` turn types inherit nothing and have no
    drugs; ``without_drugs`` ask for a drug, and inherit none; ``condition_types`` ask about a condition; a follow-up
    may take on one of ``follow_types``; the attribute is inherited by ``keeps_attribute`` alone (empty: by all).
    What is asked in the types of ``together`` is asked of the medicines that the patient takes as well.
    ``populations`` are in order of precedence. ``relations`` tells how a condition is related by the attribute (or turn
    type) that is asked; without it the frame has no relation. ``pregnant``, ``lactating``, ``renal``, ``hepatic`` are
    the populations of these states. ``entities`` says whether the frame has the organisation's entities.
    ``patients_may_be_relatives``: who asks for a relative, and not for themselves, speaks of the patient (whom a
    medicine is for); else a relative's condition never enters the patient's context. ``replies`` are quick replies by
    clarify reason that hold in any language. ``heads_may_turn_away``: without a model, trained heads alone may tell a
    type of ``alone``; false where a complaint that nobody knows is still the organisation's matter.
    """

    fallback: str
    fallback_with_candidates: str
    smalltalk: str
    turn_types: tuple[str, ...]
    attributes: tuple[str, ...] = ()
    populations: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    without_drugs: tuple[str, ...] = ()
    condition_types: tuple[str, ...] = ()
    follow_types: tuple[str, ...] = ()
    keeps_attribute: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    relations: dict[str, str] = {}
    pregnant: str | None = None
    lactating: str | None = None
    renal: str | None = None
    hepatic: str | None = None
    entities: bool = False
    patients_may_be_relatives: bool = False
    heads_may_turn_away: bool = False
    band: tuple[Band, ...] = ()
    default: tuple[Default, ...] = ()
    question: tuple[Question, ...] = ()
    replies: dict[str, tuple[str, ...]] = {}

    def closed(self) -> dict[str, tuple[str, ...]]:
        """The closed lists by the frame's field."""
        return {
            "turn_type": self.turn_types,
            "attribute": self.attributes,
            "population": self.populations,
            "route": self.routes,
        }


class Key(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A key of a closed list: a short label and a gloss, by language."""

    field: str
    key: str
    label: dict[str, str] = {}
    gloss: dict[str, str] = {}


class Vocabulary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``vocabulary.toml``."""

    key: tuple[Key, ...] = ()


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A key's label and gloss in one language."""

    label: str = ""
    gloss: str = ""


class VocabularyIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``vocabulary.<language>.toml``: what a language adds to ``vocabulary.toml`` without a change to it, by key."""

    turn_type: dict[str, Texts] = {}
    attribute: dict[str, Texts] = {}
    population: dict[str, Texts] = {}
    route: dict[str, Texts] = {}


class Cue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that settle something. ``post`` cues also correct a model's reply: knowledge-free, and narrow.

    Of cues for the same field that overlap, the longest counts; of several, the one with the highest ``rank``, then
    the first in the text. ``examples`` must, ``counter`` must not have the effect; tests run both.
    In them ``[x]`` is a drug, ``{x}`` a disease, ``{*x}`` a symptom, ``{!x}`` a procedure, ``{&x}`` a doctor.
    """

    name: str
    set: Sets
    patterns: tuple[str, ...]
    needs: tuple[str, ...] = ()
    post: bool = False
    rank: int = 0
    examples: tuple[str, ...] = ()
    counter: tuple[str, ...] = ()


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts of a profile in one language.

    ``standalone`` are templates of a follow-up's own question, by the fields that must be there; ``replies`` quick
    replies by clarify reason. ``ask_attributes`` are the keys offered where the attribute is asked back.
    """

    standalone: dict[str, str] = {}
    replies: dict[str, tuple[str, ...]] = {}
    ask_attributes: tuple[str, ...] = ()


class CueFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cues.<language>.toml``."""

    cue: tuple[Cue, ...] = ()
    words: Words = Words()


class Book(NamedTuple):
    """The cues of a profile in one language, compiled; values are places in ``file.cue``."""

    file: CueFile
    cues: Phrasebook[int]


def read(profile: Profile) -> ProfileFile:
    """``profile.toml``, checked: every key that a default or a question names is one of the lists."""
    return _read(profile)


@lru_cache(maxsize=16)
def _read(profile: Profile) -> ProfileFile:
    where = str(profile.path / "profile.toml")
    if not profile.has("profile.toml"):
        raise ConfigError("is missing", where=where, advice="every profile has one")
    table = profile.table("profile.toml", ProfileFile)
    for name in (table.fallback, table.fallback_with_candidates, table.smalltalk, *table.alone, *table.condition_types):
        if name not in table.turn_types:
            raise ConfigError(f"{name!r} is no turn type", where=where, advice="add it to turn_types")
    for default in table.default:
        _check(default.set, table, where)
    for band in table.band:
        if band.population not in table.populations:
            raise ConfigError(f"{band.population!r} is no population", where=where, advice="add it to populations")
    return table


def _check(sets: Sets, table: ProfileFile, where: str) -> None:
    for field, keys in table.closed().items():
        value = getattr(sets, field)
        if value is not None and value not in keys:
            raise ConfigError(f"{value!r} is no {field}", where=where, advice=f"use one of {', '.join(keys)}")


@lru_cache(maxsize=64)
def book(profile: Profile, pack: Language) -> Book:
    """The cues of ``profile`` in the language of ``pack``; empty where the profile does not have it."""
    name = f"cues.{pack.code}.toml"
    where = str(profile.path / name)
    file = profile.table(name, CueFile)
    table = read(profile)
    for cue in file.cue:
        _check(cue.set, table, where)
    entries = [(pattern, i) for i, cue in enumerate(file.cue) for pattern in cue.patterns]
    return Book(file, Phrasebook(entries, marks_matter=pack.marks_matter, where=where))


def _added(profile: Profile, code: str) -> dict[tuple[str, str], Texts]:
    """What ``vocabulary.<code>.toml`` says, by field and key; a key that the profile does not have is refused."""
    name = f"vocabulary.{code}.toml"
    table = profile.table(name, VocabularyIn)
    found = {}
    for field, keys in read(profile).closed().items():
        for key, texts in getattr(table, field).items():
            if key not in keys:
                raise ConfigError(
                    f"{key!r} is no {field}", where=str(profile.path / name), advice=f"use one of {', '.join(keys)}"
                )
            found[field, key] = texts
    return found


@lru_cache(maxsize=64)
def glosses(profile: Profile, code: str) -> dict[str, dict[str, str]]:
    """``{field: {key: gloss}}`` in the language ``code``, else in any that the profile has."""
    found: dict[str, dict[str, str]] = {field: {} for field in read(profile).closed()}
    added = _added(profile, code)
    for key in profile.table("vocabulary.toml", Vocabulary).key:
        texts = key.gloss or key.label
        more = added.get((key.field, key.key), Texts())
        own = more.gloss or more.label
        found.setdefault(key.field, {})[key.key] = own or texts.get(code) or next(iter(texts.values()), "")
    return found


@lru_cache(maxsize=64)
def labels(profile: Profile, code: str) -> dict[str, dict[str, str]]:
    """``{field: {key: label}}`` in the language ``code``, else in any that the profile has."""
    found: dict[str, dict[str, str]] = {}
    added = _added(profile, code)
    for key in profile.table("vocabulary.toml", Vocabulary).key:
        own = added.get((key.field, key.key), Texts()).label
        label = own or key.label.get(code) or next(iter(key.label.values()), "")
        if label:
            found.setdefault(key.field, {})[key.key] = label
    return found
