"""Drugs that a turn names only to set them aside: ``not X but Y``, ``without X``, ``X-free``, ``I take no X``.

What lies inside such words is not asked about. Some are weaker: what they set aside is still asked about where the turn
asks about nothing else (*what may I take instead of X?*). So is a drug that a complaint came from (*I had angioedema
from X, may I take Y?*): it is the patient's adverse reaction where another drug is asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

import msgspec

from dragoman.evidence.names import Condition, Drug, Role
from dragoman.folder import Language
from dragoman.text.phrases import Phrasebook, longest, slots_of
from dragoman.text.tokens import Tokens
from dragoman.types import Span

FILE = "excluded.toml"
_OVERRULED: dict[Role, frozenset[Role]] = {"denied": frozenset({"asked", "current"}), "reaction": frozenset({"asked"})}


class _Placed(Protocol):
    @property
    def span(self) -> Span: ...


T = TypeVar("T", bound=_Placed)


class ExcludedWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``excluded.toml`` of a language; ``<drug>`` in a pattern is a drug's name, ``<condition>`` that of a condition or
    symptom which the patient has or had. ``excluded``: not asked about; ``set_aside``: not, where another drug is;
    ``caused``: what such a condition came from, no more than that where another drug is asked about; ``still_asked``:
    asked about, though the others hold. ``figures``: the weight or age in it (``<figure>``) is taken back, where
    another stands."""

    excluded: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    caused: tuple[str, ...] = ()
    still_asked: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()


_RULES = ("excluded", "set_aside", "caused", "still_asked")
_FIGURES = ("figures",)
_WEAKER: tuple[tuple[str, Role], ...] = (("set_aside", "denied"), ("caused", "reaction"))


@lru_cache(maxsize=64)
def _book(pack: Language, rules: tuple[str, ...]) -> Phrasebook[str]:
    table = pack.table(FILE, ExcludedWords)
    entries = ((p, rule) for rule in rules for p in getattr(table, rule))
    return Phrasebook(entries, marks_matter=pack.marks_matter, where=str(pack.path / FILE))


def without_excluded(
    tokens: Tokens, named: Sequence[Drug], sick: Sequence[Condition], pack: Language, *, relatives: bool
) -> list[Drug]:
    """``named``, those that the turn sets aside as ``denied``, those that a condition came from as ``reaction``.

    ``sick`` are the turn's conditions; a relative's reaction is the patient's own where ``relatives`` holds.
    """
    stated = [c for c in sick if not c.said.negated and not c.said.uncertain and (relatives or not c.said.family)]
    spans = [*((d.span, ("<drug>",)) for d in named), *((c.span, ("<condition>",)) for c in stated)]
    slots = slots_of(tokens, spans) if named else {}
    hits = longest(_book(pack, _RULES).find(tokens, slots)) if slots else []
    if not hits:
        return list(named)
    inside = {rule: [tokens.span(h.first, h.last) for h in hits if h.value == rule] for rule in _RULES}
    found = [_with_role(d, inside["excluded"], "denied") for d in named]
    for rule, role in _WEAKER:
        aside = [_with_role(d, inside[rule], role) for d in found]
        found = aside if any(d.role == "asked" for d in aside) else found
    return found


def _with_role(drug: Drug, spans: Sequence[Span], role: Role) -> Drug:
    if drug.role in _OVERRULED[role] and any(span.overlaps(drug.span) for span in spans):
        return drug._replace(role=role)
    return drug


def taken_back(tokens: Tokens, stated: tuple[T, ...], pack: Language) -> tuple[T, ...]:
    """``stated`` weights or ages without those that the turn takes back for another (*15 kg, not 17 kg*)."""
    if len(stated) < 2:
        return stated
    slots = slots_of(tokens, ((s.span, ("<figure>",)) for s in stated))
    hits = longest(_book(pack, _FIGURES).find(tokens, slots)) if slots else []
    inside = [tokens.span(h.first, h.last) for h in hits]
    kept = tuple(s for s in stated if not any(span.overlaps(s.span) for span in inside))
    return kept or stated
