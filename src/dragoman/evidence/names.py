"""Drugs, conditions and the organisation's entities that a message names, with its words and what is said of each."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Literal, NamedTuple

from dragoman.folder import Language
from dragoman.index.term_values import ANOTHER
from dragoman.reading import Reading
from dragoman.text.context import Assertion, assertions
from dragoman.text.tokens import Tokens, fold_key
from dragoman.types import Candidate, Match, Mention, Span

Role = Literal["asked", "allergy", "reaction", "current", "denied", "past", "relative"]

CONDITIONS = frozenset({"condition", "symptom", "morphology"})
SYMPTOM = "symptom"


class Drug(NamedTuple):
    """A stretch of the turn that names a drug.

    ``ids`` are the catalogue's (several: the name is ambiguous; none: it is not in the catalogue). ``match`` is the
    strongest of its candidates, ``None`` for an unknown name.
    """

    span: Span
    text: str
    ids: tuple[str, ...]
    match: Match | None
    names: tuple[str, ...]
    role: Role = "asked"

    @property
    def sure(self) -> str | None:
        """The one id that the words name without a doubt."""
        return self.ids[0] if len(self.ids) == 1 and self.match in {"exact", "variant"} else None


class Condition(NamedTuple):
    """A stretch of the turn that names a condition or symptom; ``ids`` are concepts' (several: ambiguous)."""

    span: Span
    text: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    symptom: bool
    said: Assertion


class Entity(NamedTuple):
    """A stretch of the turn that names a department, a doctor, a procedure."""

    span: Span
    text: str
    type: str
    names: tuple[str, ...]
    said: Assertion


_STRENGTH: dict[Match | None, int] = {"exact": 3, "variant": 2, "fuzzy": 1, None: 0}


def drugs(candidates: Iterable[Candidate], mentions: Iterable[Mention], message: int = -1) -> list[Drug]:
    """The drugs that one message names, by place: candidates, then names that the catalogue lacks."""
    mine = sorted((c for c in candidates if c.kind == "drug" and c.message == message), key=lambda c: c.span)
    found: list[Drug] = []
    for span, group in groupby(mine, key=lambda c: c.span):
        of_span = list(group)
        best = max((c.match for c in of_span), key=lambda m: _STRENGTH[m])
        kept = [c for c in of_span if c.match == best or best == "fuzzy"]
        ids = tuple(dict.fromkeys(c.id for c in kept))
        names = tuple(dict.fromkeys(c.name for c in kept))
        found.append(Drug(span, kept[0].text, ids, best, names))
    for mention in mentions:
        unknown = mention.message == message and mention.status == "unknown" and mention.kind == "drug"
        if unknown and not any(d.span.overlaps(mention.span) for d in found):
            found.append(Drug(mention.span, mention.text, (), None, ()))
    return sorted(found, key=lambda d: d.span)


def classes(mentions: Iterable[Mention], message: int = -1) -> list[Mention]:
    """Names of drug classes in one message: neither drugs nor unknown."""
    return [m for m in mentions if m.message == message and m.status == "class"]


def conditions(reading: Reading, tokens: Tokens, pack: Language, generic: frozenset[str]) -> list[Condition]:
    """The conditions of the turn that are sure, with what is said of each, by place: never a fuzzy one, nor one that a
    word beside it makes another.

    ``generic`` are the folded words that name no condition in particular ("disease"), though vocabularies have them.
    """
    mine = sorted(
        (
            c
            for c in reading.of_turn()
            if c.kind in {"concept", "entity"}
            and c.semantic_type in CONDITIONS
            and c.match != "fuzzy"
            and not (c.why or "").endswith(ANOTHER)
            and fold_key(c.text) not in generic
        ),
        key=lambda c: (c.span, c.kind),
    )
    groups = [(span, list(group)) for span, group in groupby(mine, key=lambda c: c.span)]
    said = assertions(tokens, [span for span, _ in groups], pack)
    found = []
    for (span, group), assertion in zip(groups, said, strict=True):
        concepts = [c for c in group if c.kind == "concept"]
        named = concepts or group
        found.append(
            Condition(
                span,
                group[0].text,
                tuple(dict.fromkeys(c.id for c in concepts)),
                tuple(dict.fromkeys(c.name for c in named)),
                all(c.semantic_type == SYMPTOM for c in named),
                assertion,
            )
        )
    return found


def entities(reading: Reading, tokens: Tokens, pack: Language, types: frozenset[str]) -> list[Entity]:
    """The turn's entities (or concepts) of ``types`` that are sure, with what is said of each, by place."""
    mine = sorted(
        (
            c
            for c in reading.of_turn()
            if c.kind in {"concept", "entity"} and c.semantic_type in types and c.match != "fuzzy"
        ),
        key=lambda c: (c.span, c.kind != "entity"),
    )
    groups = [(span, list(group)) for span, group in groupby(mine, key=lambda c: c.span)]
    said = assertions(tokens, [span for span, _ in groups], pack)
    return [
        Entity(
            span,
            group[0].text,
            group[0].semantic_type or "",
            tuple(dict.fromkeys(c.name for c in group)),
            assertion,
        )
        for (span, group), assertion in zip(groups, said, strict=True)
    ]
