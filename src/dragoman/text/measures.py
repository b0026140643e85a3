"""Body weight and age as people write them, by the units of each language pack (``units.toml``).

A number with a unit is a weight only where it is a body's: not the dose (``mg/kg``), a change (``lost 5 kg``), a bound
(``over 40 kg``) or a range. Units are told apart: a Dutch *pond* is 500 g, a pound 0.453 592 37 kg. Where the text says
the same in several units, the metric one counts; where it says several weights, today's does, or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.text.context import assertions
from dragoman.text.numbers import grouped, numeric, value
from dragoman.text.phrases import Hit, Phrasebook, breaks, longest
from dragoman.text.tokens import Tokens
from dragoman.types import Span


class WeightUnit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A unit of weight: its names, and kilograms in one. ``body``: only beside a word that says it is a body's."""

    words: tuple[str, ...]
    kg: float
    body: bool = False


class WeightPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A smaller unit whose number may follow a weight (``3 kg 200 g``, ``9 lb 5 oz``): its names, kilograms in one."""

    words: tuple[str, ...]
    kg: float


class AgeUnit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an age in one unit is written, and days in one. ``person``: only behind a word for a person."""

    days: float
    patterns: tuple[str, ...]
    person: bool = False


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text and what must be read from it (absent: nothing)."""

    text: str
    weight: float | None = None
    age: str | None = None
    days: float | None = None


class Units(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``units.toml`` of a language.

    ``body`` are words that announce a body's weight (``weighs``: a figure without a unit as well, at the end
    or before ``weighs_then``), ``person`` words for
    a person whose age may follow. What stands in ``not_before`` right before the number, or in ``not_after`` right
    behind the unit, makes it no weight; ``age_not_before`` and ``age_not_after`` do the same for ages. ``half`` adds a
    half; ``now`` tells which of several weights is today's. ``between`` joins the two ends of a range. ``words`` are
    numbers.

    ``tenths``: a digit said behind the unit is what follows the point (``8 ký 5`` is 8.5), unless it counts what
    ``counted`` names (``10 kg 3 lần``). ``part`` are smaller units.
    """

    weight: tuple[WeightUnit, ...] = ()
    part: tuple[WeightPart, ...] = ()
    tenths: bool = False
    counted: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    age: tuple[AgeUnit, ...] = ()
    body: tuple[str, ...] = ()
    weighs: tuple[str, ...] = ()
    weighs_then: tuple[str, ...] = ()
    person: tuple[str, ...] = ()
    not_before: tuple[str, ...] = ()
    not_after: tuple[str, ...] = ()
    age_not_before: tuple[str, ...] = ()
    age_not_after: tuple[str, ...] = ()
    half: tuple[str, ...] = ()
    now: tuple[str, ...] = ()
    words: dict[str, float] = {}
    example: tuple[Example, ...] = ()


class Weight(NamedTuple):
    """A stated body weight in kilograms, as written; ``metric`` where no conversion between systems was needed."""

    kg: float
    span: Span
    metric: bool
    now: bool = False


class Age(NamedTuple):
    """A stated age, in days (of 365.25-day years), as written."""

    days: float
    span: Span
    text: str


class _Books(NamedTuple):
    units: Units
    weights: Phrasebook[WeightUnit]
    parts: Phrasebook[WeightPart]
    ages: Phrasebook[AgeUnit]
    around: Phrasebook[str]
    words: Phrasebook[float]


_AROUND = (
    "body", "person", "not_before", "not_after", "age_not_before", "age_not_after", "half", "now", "counted", "between",
)  # fmt: skip
_TODAY = 10  # tokens between a word for today and the number
_NEAR = 4  # tokens between a word that announces a weight or an age, and the number


@lru_cache(maxsize=32)
def _books(pack: Language) -> _Books:
    units = pack.table("units.toml", Units)
    where = str(pack.path / "units.toml")

    around: Phrasebook[str] = Phrasebook(
        ((p, rule) for rule in _AROUND for p in getattr(units, rule)), marks_matter=pack.marks_matter, where=where
    )
    return _Books(
        units,
        Phrasebook(
            ((word, unit) for unit in units.weight for word in unit.words), marks_matter=pack.marks_matter, where=where
        ),
        Phrasebook(
            ((word, part) for part in units.part for word in part.words), marks_matter=pack.marks_matter, where=where
        ),
        Phrasebook(
            ((p, unit) for unit in units.age for p in unit.patterns), marks_matter=pack.marks_matter, where=where
        ),
        around,
        Phrasebook(units.words.items(), marks_matter=pack.marks_matter, where=where),
    )


def weights(tokens: Tokens, pack: Language) -> list[Weight]:
    """Every body weight that the text states, by place; denied ones (``not 12 kg``) are left out."""
    books = _books(pack)
    items = numeric(tokens, books.words)
    separators = breaks(items)
    around = books.around.find(items, None, separators)
    parts = longest(books.parts.find(items, None, separators))
    found: list[Weight] = []
    taken = 0  # tokens up to here belong to a weight already
    for hit in longest(books.weights.find(items, None, separators)):
        at = hit.first - 1
        number = value(items.tokens[at]) if at >= taken and separators[at] in {"", "-"} else None
        if (
            number is None
            or _divided(items, at, hit)
            or _ranged(items, at, around)
            or _bounded(at, hit.last, around, "not_before", "not_after")
        ):
            continue
        body = any(h.value == "body" and h.last <= at and at - h.last <= _NEAR for h in around)
        if hit.value.body and not body:
            continue
        number = grouped(items, items.tokens[at]) or number if hit.value.kg < 0.1 else number
        last = hit.last
        kg = number * hit.value.kg
        tail = _part(items, separators, hit, parts) or _tail(items, separators, hit, around, books.units)
        if tail is not None:
            kg, last = kg + tail[0], tail[1]
        kg = round(kg, 3)
        taken = last
        span = Span(items.tokens[at].start, items.tokens[last - 1].end)
        today = any(
            h.value == "now" and h.last <= at and at - h.last <= _TODAY and "." not in separators[h.last - 1 : at]
            for h in around
        )
        found.append(Weight(kg, span, hit.value.kg in {1.0, 0.5, 0.001}, today))
    said = assertions(tokens, [w.span for w in found], pack)
    return [w for w, a in zip(found, said, strict=True) if not a.negated]


def weight(tokens: Tokens, pack: Language) -> Weight | None:
    """The one body weight of the text: the metric one where it is given twice; ``None`` where several differ."""
    return one(weights(tokens, pack))


def one(found: Sequence[Weight]) -> Weight | None:
    """As ``weight``, of weights that are found already."""
    if len({w.kg for w in found}) > 1:
        found = [w for w in found if w.now] or found
    metric = [w for w in found if w.metric] or found
    return metric[-1] if metric and len({w.kg for w in metric}) == 1 else None


def ages(tokens: Tokens, pack: Language) -> list[Age]:
    """Every age of a person that the text states, by place; durations and times ago are none."""
    books = _books(pack)
    items = numeric(tokens, books.words)
    separators = breaks(items)
    around = books.around.find(items, None, separators)
    found: list[Age] = []
    for hit in longest(books.ages.find(items, None, separators)):
        first = next((i for i in range(hit.first, hit.last) if value(items.tokens[i]) is not None), hit.first)
        if _bounded(hit.first, hit.last, around, "age_not_before", "age_not_after") or _ranged(items, first, around):
            continue
        if hit.value.person and not any(
            h.value == "person"
            and h.last <= hit.first
            and hit.first - h.last <= _NEAR
            # "the child has taken it for 6 months": what lies between tells of a duration.
            and not any(o.value == "age_not_before" and h.last <= o.first and o.last <= hit.first for o in around)
            for h in around
        ):
            continue
        number = next((n for t in items.tokens[hit.first : hit.last] if (n := value(t)) is not None), None)
        if number is None:
            continue
        halved = next((h for h in around if h.value == "half" and h.first == hit.last), None)
        last = halved.last if halved else hit.last
        span = Span(items.tokens[first].start, items.tokens[last - 1].end)
        text = items.text[span.start : span.end]
        found.append(Age((number + (0.5 if halved else 0)) * hit.value.days, span, text))
    return found


def _divided(items: Tokens, at: int, hit: Hit[WeightUnit]) -> bool:
    """Whether the number or the unit belongs to a rate (``15 mg/kg``, ``5 kg/m²``)."""
    before = items.text[items.tokens[at - 1].end : items.tokens[at].start] if at else ""
    between = items.text[items.tokens[at].end : items.tokens[hit.first].start]
    after = items.text[items.tokens[hit.last - 1].end :][:2]
    signed = items.text[: items.tokens[at].start].endswith(("-", "−"))
    return "/" in between or after.lstrip().startswith("/") or before.endswith("/") or signed


def _ranged(items: Tokens, at: int, around: Sequence[Hit[str]]) -> bool:
    """Whether the number at ``at`` is an end of a range: ``10-12``, or the upper one of ``6 to 12``."""
    for lower in (at - 1, at):
        if 0 <= lower < len(items) - 1 and all(value(t) is not None for t in items.tokens[lower : lower + 2]):
            between = items.text[items.tokens[lower].end : items.tokens[lower + 1].start]
            if between.strip() in {"-", "–", "—"}:
                return True
    return any(
        h.value == "between" and h.last == at and h.first and value(items.tokens[h.first - 1]) is not None
        for h in around
    )  # fmt: skip


def _bounded(first: int, last: int, around: Sequence[Hit[str]], before: str, after: str) -> bool:
    return any(
        (h.value == before and h.last == first) or (h.value == after and h.first == last)
        for h in around
    )  # fmt: skip


def _part(
    items: Tokens, separators: Sequence[str], hit: Hit[WeightUnit], parts: Sequence[Hit[WeightPart]]
) -> tuple[float, int] | None:
    """The kilograms of a smaller unit right behind, and where it ends: ``3 kg 200 g``."""
    part = next((p for p in parts if p.first == hit.last + 1), None)
    if part is None or separators[hit.last - 1] or separators[hit.last] or part.value.kg >= hit.value.kg:
        return None
    number = value(items.tokens[hit.last])
    return None if number is None else (number * part.value.kg, part.last)


def _tail(
    items: Tokens, separators: Sequence[str], hit: Hit[WeightUnit], around: Sequence[Hit[str]], units: Units
) -> tuple[float, int] | None:
    """What follows the unit and belongs to the number, in kilograms: ``9kg5`` (what follows the point), or a half."""
    halved = next((h for h in around if h.value == "half" and h.first == hit.last), None)
    if halved and not separators[hit.last - 1]:
        return 0.5 * hit.value.kg, halved.last
    if hit.last >= len(items):
        return None
    last, following = items.tokens[hit.last - 1], items.tokens[hit.last]
    if not following.key.isdigit() or len(following.key) > 3:
        return None
    if following.start != last.end and (separators[hit.last - 1] or not _said(items, separators, hit, around, units)):
        return None
    return float(f"0.{following.key}") * hit.value.kg, hit.last + 1


def _said(
    items: Tokens, separators: Sequence[str], hit: Hit[WeightUnit], around: Sequence[Hit[str]], units: Units
) -> bool:
    """Whether the number that stands behind the unit is said as its tenths: ``4 kg 6``, but not ``10 kg 3 lần``."""
    at = hit.last
    if not units.tenths or separators[at]:
        return units.tenths
    if len(items.tokens[at].key) > 1 or at + 1 >= len(items):
        return False
    between = items.text[items.tokens[at].end : items.tokens[at + 1].start]
    counts = any(h.value == "counted" and h.first == at + 1 for h in around)
    return between.isspace() and not items.tokens[at + 1].key[0].isdigit() and not counts
