"""Drugs that a turn names only to set them aside: ``not X but Y``, ``without X``, ``X-free``, ``I take no X``.

What lies inside such words is not asked about. Some are weaker: what they set aside is still asked about where the turn
asks about nothing else (*what may I take instead of X?*).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from dragoman.evidence.names import Drug, Role
from dragoman.folder import Language
from dragoman.text.phrases import Phrasebook, longest
from dragoman.text.tokens import Tokens
from dragoman.types import Span

FILE = "excluded.toml"
_OVERRULED: frozenset[Role] = frozenset({"asked", "current"})


class ExcludedWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``excluded.toml`` of a language; ``<drug>`` in a pattern is a drug's name. ``excluded``: not asked about;
    ``set_aside``: not, where another drug is; ``still_asked``: asked about, though the others hold."""

    excluded: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    still_asked: tuple[str, ...] = ()


_RULES = ("excluded", "set_aside", "still_asked")


@lru_cache(maxsize=32)
def _book(pack: Language) -> Phrasebook[str]:
    table = pack.table(FILE, ExcludedWords)
    entries = ((p, rule) for rule in _RULES for p in getattr(table, rule))
    return Phrasebook(entries, marks_matter=pack.marks_matter, where=str(pack.path / FILE))


def without_excluded(tokens: Tokens, named: Sequence[Drug], pack: Language) -> list[Drug]:
    """``named``, those that the turn sets aside as ``denied``."""
    slots = _slots(tokens, named)
    hits = longest(_book(pack).find(tokens, slots)) if slots else []
    inside = {
        rule: [tokens.span(h.first, h.last) for h in hits if h.value == rule] for rule in ("excluded", "set_aside")
    }
    found = [_denied(d, inside["excluded"]) for d in named]
    aside = [_denied(d, inside["set_aside"]) for d in found]
    return aside if any(d.role == "asked" for d in aside) else found


def _denied(drug: Drug, spans: Sequence[Span]) -> Drug:
    if drug.role in _OVERRULED and any(span.overlaps(drug.span) for span in spans):
        return drug._replace(role="denied")
    return drug


def _slots(tokens: Tokens, named: Sequence[Drug]) -> dict[int, list[tuple[str, int]]]:
    starts = {t.start: i for i, t in reversed(list(enumerate(tokens.tokens)))}
    ends = {t.end: i + 1 for i, t in enumerate(tokens.tokens)}
    return {
        starts[d.span.start]: [("<drug>", ends[d.span.end])]
        for d in named
        if d.span.start in starts and d.span.end in ends
    }
