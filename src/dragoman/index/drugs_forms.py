"""The forms that an alias may be written in beyond its own: word order of acids and salts, parts of combinations, a
strength or a remark in parentheses left out. Made once, at build time; each form says which rule made it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from dragoman.text.spelling import JoinedAcid
from dragoman.text.tokens import fold_key

_PARENTHESES = re.compile(r"\s*\([^()]*\)")
_NUMBER = re.compile(r"^\d+([a-z]*)$")
_PARTS = 3


class Form(NamedTuple):
    """A folded key and the rule that made it, empty for the alias itself."""

    key: str
    rule: str


class Makers(NamedTuple):
    """What the forms need of the packs. All words are canonical or folded.

    ``acid``: the word for acid. ``cations``: canonical names of cations. ``units`` and ``connectors`` as in
    ``DrugWords``.
    """

    canonical: Callable[[Sequence[str]], list[str]]
    acid: str
    cations: frozenset[str]
    joined_acids: tuple[JoinedAcid, ...]
    units: frozenset[str]
    connectors: frozenset[str]


def forms(text: str, makers: Makers) -> Iterator[Form]:
    """Every form of the alias ``text``, itself first; duplicates may occur."""
    key = fold_key(text)
    yield Form(key, "")
    if "(" in text:
        yield from _nonempty(fold_key(_PARENTHESES.sub(" ", text)), "parentheses left out")
    tokens = key.split(" ")
    shorter = _without_strength(tokens, makers.units)
    if shorter is not None:
        yield Form(" ".join(shorter), "strength left out")
        tokens = shorter
    yield from _reordered(tokens, makers)
    if any(t in makers.connectors for t in tokens[1:-1]):
        yield from _combined(tokens, makers)


def combination(parts: Sequence[str]) -> Iterator[Form]:
    """Forms of a combination product from the names of its ingredients, in any order."""
    if 2 <= len(parts) <= _PARTS:
        for order in permutations(parts):
            yield Form(" ".join(order), "ingredients")


def _nonempty(key: str, rule: str) -> Iterator[Form]:
    if key:
        yield Form(key, rule)


def _without_strength(tokens: list[str], units: frozenset[str]) -> list[str] | None:
    """The tokens without a strength at their end (``5mg``, ``5 mg``); None where there is none or too little stays."""
    rest = tokens
    if len(rest) > 1 and (m := _NUMBER.match(rest[-1])) and m.group(1) in units:
        rest = rest[:-1]
    elif len(rest) > 2 and rest[-1] in units and rest[-2].isdigit():
        rest = rest[:-2]
    else:
        return None
    while len(rest) > 1 and rest[-1].isdigit():  # the whole part of a decimal number
        rest = rest[:-1]
    return rest if sum(len(t) for t in rest if t.isalpha()) >= 4 else None


def _reordered(tokens: list[str], makers: Makers) -> Iterator[Form]:
    if not 2 <= len(tokens) <= 4:
        return
    canonical = makers.canonical(tokens)
    acid = makers.acid
    if canonical.count(acid) == 1 and canonical[0] == acid:
        yield Form(" ".join([*tokens[1:], tokens[0]]), "word order of acids")
    elif canonical.count(acid) == 1 and canonical[-1] == acid:
        yield Form(" ".join([tokens[-1], *tokens[:-1]]), "word order of acids")
    if len(tokens) == 2 and acid in canonical:
        name = tokens[1] if canonical[0] == acid else tokens[0]
        for joined in makers.joined_acids:
            for ending in joined.strip:
                if name.endswith(ending) and len(name) > len(ending) + 2:
                    for other in joined.add:
                        yield Form(name[: -len(ending)] + other, joined.name)
    if len(tokens) == 2 and (canonical[0] in makers.cations) != (canonical[1] in makers.cations):
        yield Form(f"{tokens[1]} {tokens[0]}", "word order of salts")


def _combined(tokens: list[str], makers: Makers) -> Iterator[Form]:
    """``a và b``: without the connector, and with the parts in any order; each part with its own word orders."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token in makers.connectors and parts[-1]:
            parts.append([])
        else:
            parts[-1].append(token)
    if not all(parts) or len(parts) > _PARTS:
        return
    written = [[" ".join(p), *(f.key for f in _reordered(p, makers))] for p in parts]
    connector = next(t for t in tokens if t in makers.connectors)
    for order in permutations(range(len(parts))):
        for choice in _choices([written[i] for i in order]):
            yield Form(" ".join(choice), "combination")
            yield Form(f" {connector} ".join(choice), "combination")


def _choices(options: list[list[str]]) -> Iterator[list[str]]:
    if not options:
        yield []
        return
    for first in options[0]:
        for rest in _choices(options[1:]):
            yield [first, *rest]
