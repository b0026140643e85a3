"""The pages nearest to a concept without one, for an editor to judge: wider than what enrichment would append."""

from __future__ import annotations

from collections.abc import Iterator

from dragoman.index.term_values import RELATED
from dragoman.index.terms import TermIndex
from dragoman.types import Value

UP, DOWN = 8, 3  # steps
MOST = 400  # concepts that are looked at in one direction
FAMILY = 60  # children of one parent; with more they have little in common


class Nearest(Value, frozen=True, kw_only=True):
    """A page, over which link it is near, and how many steps away."""

    entity_id: str
    name: str
    via: str
    steps: int


def nearest(terms: TermIndex, concept: int, most: int = 3) -> tuple[Nearest, ...]:
    """At most ``most`` pages or departments, the fewest steps first; nothing for a concept that has a page."""
    if not terms.has_taxonomy or terms.pages_of(concept):
        return ()
    found: dict[int, Nearest] = {}
    for via, steps, at in sorted(_around(terms, concept), key=lambda f: f[1]):
        for entity in terms.pages_of(at):
            if entity not in found and terms.is_department(entity) == (via == "finding_site"):
                found[entity] = Nearest(
                    entity_id=terms.entity_ids[entity], name=terms.entity_names[entity], via=via, steps=steps
                )
    return tuple(list(found.values())[:most])


def _around(terms: TermIndex, concept: int) -> Iterator[tuple[str, int, int]]:
    """``(via, steps, concept)``; of equal steps the closer kin first."""
    for steps, at in _climb(terms, [concept], ("is_a",), UP):
        yield "broader", steps, at
    seen, level = {concept}, [concept]
    for step in range(1, DOWN + 1):
        level = list(dict.fromkeys(c for p in level for c in terms.children[p] if c not in seen))[:MOST]
        seen.update(level)
        yield from (("narrower", step, at) for at in level)
    for kind in RELATED:
        yield from (("related", 2, at) for at in terms.related(concept, kind))
    for parent in terms.related(concept, "is_a"):
        if len(terms.children[parent]) <= FAMILY:
            yield from (("sibling", 2, at) for at in terms.children[parent] if at != concept)
    sites = list(terms.related(concept, "finding_site"))
    yield from (("finding_site", 1, at) for at in sites)
    for steps, at in _climb(terms, sites, ("is_a", "part_of"), UP):
        yield "finding_site", steps + 1, at


def _climb(terms: TermIndex, start: list[int], kinds: tuple[str, ...], most: int) -> Iterator[tuple[int, int]]:
    seen, level = set(start), list(start)
    for step in range(1, most + 1):
        level = list(dict.fromkeys(p for c in level for kind in kinds for p in terms.related(c, kind) if p not in seen))
        seen.update(level)
        yield from ((step, at) for at in level)
        if not level or len(seen) > MOST:
            return
