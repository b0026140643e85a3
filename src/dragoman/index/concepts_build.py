"""What concepts are: of which kind, the same as which others, and under which name they are shown."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dragoman.index.arrays import Writer
from dragoman.index.term_values import EPONYM, FSN, LAY, NAME, PREFERRED, SYNONYM
from dragoman.index.terms_read import Concepts, Term
from dragoman.text.abbreviations import is_abbreviation
from dragoman.text.tokens import fold_key

_MANY = 5  # concepts under one code of a third system: more say nothing about each other
_RANK = {LAY: 0, PREFERRED: 1, SYNONYM: 2, FSN: 3, NAME: 4, EPONYM: 5}


def semantic_types(
    read: Concepts, terms: Sequence[Term], types: Mapping[str, str], dead: Sequence[bool]
) -> dict[int, str]:
    """Semantic types: the source's own or a fully specified name's tag, else that of the nearest ancestor that the
    packs know by name. ``types``: folded tag or name → semantic type."""
    named: dict[int, str] = {}
    beginnings = {name[:2] for name in types}
    longest = 2 * max(map(len, types), default=0)
    for term in terms:
        text = term.text
        if term.type == SYNONYM or len(text) > longest or (text.isascii() and text[:2].lower() not in beginnings):
            continue
        type_ = types.get(fold_key(text))
        if type_ is not None:
            named.setdefault(term.owner, type_)
    found = read.relations.nearest(named, len(read.keys))
    folded = {tag: types.get(fold_key(tag), tag) for tag in set(read.tags) if tag is not None}
    found |= {number: folded[tag] for number, tag in enumerate(read.tags) if tag is not None}
    return {number: type_ for number, type_ in found.items() if not dead[number]}


def same(
    read: Concepts, terms: Sequence[Term], dead: Sequence[bool]
) -> tuple[dict[int, set[int]], dict[int, list[int]]]:
    """Concepts of different sources that maps make one, and those of one source that carry each other's name."""
    return _mapped(read, dead), _duplicates(read, terms)


def _mapped(read: Concepts, dead: Sequence[bool]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}

    def link(one: int, other: int) -> None:
        if one != other and not dead[one] and not dead[other]:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)

    codes: dict[tuple[str, str], list[int]] = {}
    names = {name: at for at, name in enumerate(read.sources)}
    for concept, system, target in read.maps:
        if system in names:
            other = read.numbers[names[system]].get(target)
            if other is not None:
                link(concept, other)
        codes.setdefault((system, target), []).append(concept)
    for concepts in codes.values():
        if 1 < len(set(concepts)) <= _MANY:
            for i, one in enumerate(concepts):
                for other in concepts[i + 1 :]:
                    if read.keys[one][0] != read.keys[other][0]:
                        link(one, other)
    return found


def _duplicates(read: Concepts, terms: Sequence[Term]) -> dict[int, list[int]]:
    preferred: dict[tuple[int, str, str], list[int]] = {}
    for term in terms:
        if term.type == PREFERRED:
            key = (read.keys[term.owner][0], term.language, term.text.casefold())
            preferred.setdefault(key, []).append(term.owner)
    found: dict[int, list[int]] = {}
    for term in terms:
        if term.type != SYNONYM or len(term.text) < 4 or is_abbreviation(term.text):
            continue
        key = (read.keys[term.owner][0], term.language, term.text.casefold())
        for other in preferred.get(key, ()):
            if other != term.owner and other not in found.setdefault(term.owner, []):
                found[term.owner].append(other)
    return found


def canonical(duplicates: Mapping[int, list[int]], semantic: Mapping[int, str]) -> dict[int, int]:
    """Of a concept that carries the name of exactly one other, of the same kind, as a synonym: that other.

    Two that carry each other's name are both the one that comes first.
    """
    found: dict[int, int] = {}
    for concept, others in duplicates.items():
        alike = [o for o in others if semantic.get(o) == semantic.get(concept)]
        if len(others) == 1 and alike and not (concept in duplicates.get(alike[0], ()) and concept < alike[0]):
            found[concept] = alike[0]
    return found


def names_of(terms: Sequence[Term], count: int, corpus: str) -> Iterator[str]:
    """Of each concept the name to show: in the corpus language the lay term, then the preferred, then a synonym; else
    a preferred one of any language. Among equals the first in order of text, whatever the order of the rows."""
    best: list[tuple[int, Term] | None] = [None] * count
    foreign = len(_RANK)
    for term in terms:
        rank = _RANK[term.type] if term.language == corpus else _RANK[term.type] + foreign
        held = best[term.owner]
        if held is None or rank < held[0] or (rank == held[0] and _order(term) < _order(held[1])):
            best[term.owner] = rank, term
    return ("" if held is None else held[1].text for held in best)


def write_names(writer: Writer, names: Iterable[str], terms: Sequence[Term]) -> None:
    """Write under which name each concept is shown, for ``concept_names``: as the number of the one of ``terms``, as
    they are written, that it is, since nearly every name is one."""
    shown = list(names)
    place = array("I", bytes(4 * len(shown)))  # 1 + the number of a term
    for number, term in enumerate(terms, 1):
        if not place[term.owner] and shown[term.owner] == term.text:
            place[term.owner] = number
    others: list[str] = []
    for concept, name in enumerate(shown):
        if not place[concept] and name:
            others.append(name)
            place[concept] = len(terms) + len(others)
    writer.ints("terms.concept.name", place)
    writer.strings("terms.concept.name.other", others)


def _order(term: Term) -> tuple[bool, str]:
    return is_abbreviation(term.text), term.text
