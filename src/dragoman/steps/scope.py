"""The subject scope: is the turn about a person or an animal? Before anyone interprets it, from its words alone.

The corpora that dragoman stands before cover people. Whether a question is about an animal is therefore a question of
*what the corpus covers*, and this module answers nothing more. It must never be extended into judging what a
professional, or anyone, may ask about a person.

Rules, in this order; each names itself and the pack's entry in ``reason``:

* ``claim``: the caller may narrow (human < unknown < veterinary), never widen; what is no known claim is no claim;
* ``certain``: words that speak of animals' medicine alone (``scope.toml`` of a pack), but for ``exempt`` ones (whose
  calling it is);
* ``patient``: an animal that is treated, dosed or ill, or that stands right beside the name of a drug (``meloxicam
  kat``). Not one that bites, is eaten, or is allergy's cause: such
  entries (``exempt``) are taken away first, and some words (``exempt_text``) exempt the whole message;
* ``history``: a turn that goes on inherits the animal of an earlier message of the person's, until one speaks of a
  person or begins something new.

Vietnamese is the measure for marks: its animals are other words without them, so a text typed without marks is read
with ``bare_patient`` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.text.detect import plausible
from dragoman.text.numbers import numeric
from dragoman.text.phrases import Hit, Phrasebook, Slots, breaks, typed_bare
from dragoman.text.tokens import Tokens
from dragoman.types import Mention, Scope, Span, Subject, Turn

_ORDER: dict[Subject, int] = {"human": 0, "unknown": 1, "veterinary": 2}
_ANIMAL = "<animal>"
_NAME = "<name>"
_DRUG = "<drug>"


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text and whether it is about an animal."""

    text: str
    veterinary: bool


class ScopeWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``scope.toml`` of a language; ``<animal>`` in a pattern stands for one of ``species``, ``<name>`` for one that
    is written like a name: with a capital, inside a sentence that has no others beside it; ``<drug>`` for a drug."""

    species: tuple[str, ...] = ()
    certain: tuple[str, ...] = ()
    patient: tuple[str, ...] = ()
    exempt: tuple[str, ...] = ()
    exempt_text: tuple[str, ...] = ()
    human: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    bare_patient: tuple[str, ...] = ()
    bare_exempt: tuple[str, ...] = ()
    example: tuple[Example, ...] = ()


_FOR = ("certain", "patient")  # rules that make a text veterinary
_AGAINST = ("exempt", "exempt_text")  # and that take what they found away
_ENDS = ("human", "new")  # and after which an earlier animal counts no more


class _Rules(NamedTuple):
    """The rules for one way of typing: nearly all texts need those of ``decide`` alone."""

    decide: Phrasebook[str]
    against: Phrasebook[str]
    ends: Phrasebook[str]


_Way = tuple[_Rules, Slots | None]  # how a text is read: with these rules, and these words marked


class _Books(NamedTuple):
    species: Phrasebook[None]
    marked: _Rules
    bare: _Rules


@lru_cache(maxsize=32)
def _books(pack: Language) -> _Books:
    words = pack.table("scope.toml", ScopeWords)
    where = str(pack.path / "scope.toml")
    entries = {rule: getattr(words, rule) for rule in (*_FOR, *_AGAINST, *_ENDS)}
    bare = entries | {"certain": (), "patient": words.bare_patient, "exempt": words.bare_exempt}

    def rules(of: dict[str, tuple[str, ...]], marks_matter: bool) -> _Rules:
        return _Rules(
            *(
                Phrasebook([(p, rule) for rule in kinds for p in of[rule]], marks_matter=marks_matter, where=where)
                for kinds in (_FOR, _AGAINST, _ENDS)
            )
        )

    return _Books(
        Phrasebook(((s, None) for s in words.species), marks_matter=pack.marks_matter, where=where),
        rules(entries, pack.marks_matter),
        rules(bare, False),
    )


class _Said(NamedTuple):
    """What one message says: the rule that makes it veterinary, or that it speaks of a person or begins anew."""

    veterinary: str | None = None
    ends: bool = False


def subject_scope(
    turn: Turn,
    messages: Sequence[tuple[int, Tokens]],
    languages: Iterable[Language],
    drugs: Mapping[int, Sequence[Span]] | None = None,
) -> Scope:
    """The more conservative of the caller's claim and the text; ``messages`` are the person's, this turn first, and
    ``drugs`` where each of them surely names drugs, in the catalogue or not.

    ``veterinary`` means: no model call, no enrichment, ``out_of_scope``. ``unknown`` comes from a claim alone. Pure,
    and never raises, whatever the text.
    """
    packs = tuple(languages)
    claimed = _claim(turn.subject_scope)
    reason = _text(messages, packs, drugs or {})
    text: Subject = "veterinary" if reason else "human"
    if claimed is not None and _ORDER[claimed] > _ORDER[text]:
        return Scope(subject=claimed, claimed=claimed, reason="claim")
    return Scope(subject=text, claimed=claimed, reason=reason)


def drug_spans(mentions: Iterable[Mention]) -> tuple[Span, ...]:
    """Where ``mentions`` name drugs, in the catalogue or not; a class or a word that was turned down is none."""
    return tuple(m.span for m in mentions if m.kind == "drug" and m.status not in {"suppressed", "class"})


def _claim(claim: str | None) -> Subject | None:
    return next((s for s in _ORDER if claim is not None and claim.strip().lower() == s), None)


def _text(
    messages: Sequence[tuple[int, Tokens]], packs: tuple[Language, ...], drugs: Mapping[int, Sequence[Span]]
) -> str | None:
    """The rule by which this turn or, where it goes on, an earlier message is about an animal."""
    for position, (message, tokens) in enumerate(messages):
        said = _said(tokens, packs, drugs.get(message, ()), last=position + 1 == len(messages))
        if said.veterinary:
            return f"history: {said.veterinary}" if position else said.veterinary
        if said.ends:
            return None
    return None


def _said(tokens: Tokens, packs: tuple[Language, ...], drugs: Sequence[Span], *, last: bool) -> _Said:
    """What a message says; whether anything of an earlier one counts is not asked of the ``last``."""
    tokens = numeric(tokens)
    named = _of_drugs(tokens, drugs)
    separators = breaks(tokens)
    ends = False
    bare = typed_bare(tokens)
    for pack in plausible(tokens, packs):
        books = _books(pack)
        slots: dict[int, list[tuple[str, int]]] = {first: [(_DRUG, last)] for first, last in named}
        for animal in books.species.find(tokens, None, separators, folds=False):
            slots.setdefault(animal.first, []).append((_ANIMAL, animal.last))
            if _like_a_name(tokens, separators, animal.first, animal.last):
                slots[animal.first].append((_NAME, animal.last))

        ways: list[_Way] = [(books.marked, slots)]
        if bare and pack.marks_matter:
            ways.append((books.bare, None))
        deciding = _hits("decide", ways, tokens, separators)
        rule = _rule(deciding, _hits("against", ways, tokens, separators)) if deciding else None
        if rule:
            return _Said(f"{rule.value}: {pack.code}/scope.toml: {_short(rule.pattern)}")
        ends = ends or (not last and bool(_hits("ends", ways, tokens, separators)))
    return _Said(None, ends)


def _of_drugs(tokens: Tokens, drugs: Sequence[Span]) -> list[tuple[int, int]]:
    """The drugs' tokens, ``[first, last)``."""
    found = []
    for span in drugs:
        inside = [i for i, t in enumerate(tokens.tokens) if span.start <= t.start and t.end <= span.end]
        if inside:
            found.append((inside[0], inside[-1] + 1))
    return found


def _hits(
    kind: Literal["decide", "against", "ends"], ways: Sequence[_Way], tokens: Tokens, separators: Sequence[str]
) -> list[Hit[str]]:
    """What the rules of a kind find in each of the ways that the text may be read."""
    return [hit for rules, slots in ways for hit in getattr(rules, kind).find(tokens, slots, separators, folds=False)]


def _like_a_name(tokens: Tokens, separators: Sequence[str], first: int, last: int) -> bool:
    """Whether a child may be called so at home: ``bé Thỏ``, not ``Thỏ``, ``con thỏ`` or ``Con Thỏ Nhà``."""
    begins = first == 0 or separators[first - 1] == "."
    following = tokens.surface(last, last + 1) if last < len(tokens) else ""
    return not begins and tokens.surface(first, first + 1).istitle() and not following[:1].isupper()


def _rule(deciding: Sequence[Hit[str]], against: Sequence[Hit[str]]) -> Hit[str] | None:
    """The hit that makes the message veterinary, if one does."""
    exempt = [h for h in against if h.value == "exempt"]
    certain = next((h for h in deciding if h.value == "certain" and not _met(h, exempt)), None)
    if certain or any(h.value == "exempt_text" for h in against):
        return certain
    return next((h for h in deciding if h.value == "patient" and not _met(h, exempt)), None)


def _met(hit: Hit[str], others: Sequence[Hit[str]]) -> bool:
    return any(other.first < hit.last and hit.first < other.last for other in others)


def _short(pattern: str, most: int = 80) -> str:
    """The entry as the pack has it, cut where it is a long list."""
    return pattern if len(pattern) <= most else f"{pattern[: most - 1]}…"
