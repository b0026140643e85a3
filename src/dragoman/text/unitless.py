"""A weight without its unit (``bé nặng 12``): nearly always kilograms, but a dose is no matter for a guess."""

from __future__ import annotations

from functools import lru_cache

from dragoman.folder import Language
from dragoman.text.measures import Units
from dragoman.text.numbers import numeric, value
from dragoman.text.phrases import Phrasebook, breaks
from dragoman.text.tokens import Tokens

MOST = 200.0  # kilograms that a person may weigh, where the text does not say what they are


@lru_cache(maxsize=32)
def _book(pack: Language) -> Phrasebook[bool]:
    units = pack.table("units.toml", Units)
    where = str(pack.path / "units.toml")
    words = [(p, True) for p in units.weighs] + [(p, False) for p in units.weighs_then]
    return Phrasebook(words, marks_matter=pack.marks_matter, where=where)


def unitless(tokens: Tokens, pack: Language) -> float | None:
    """The figure right behind a word that says what somebody weighs, with nothing behind it that it could count."""
    book = _book(pack)
    if not any(hit.value for hit in book.find(tokens)):
        return None
    items = numeric(tokens)
    separators = breaks(items)
    hits = book.find(items, None, separators)
    then = {hit.first for hit in hits if not hit.value}
    for hit in hits:
        if not hit.value:
            continue
        at = hit.last
        number = value(items.tokens[at]) if at < len(items) and not separators[at - 1].strip(":-") else None
        if number is not None and 0 < number <= MOST and (separators[at] or at + 1 in then):
            return number
    return None
