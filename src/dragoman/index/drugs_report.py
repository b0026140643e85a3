"""What an editor should know of the catalogue that was compiled: names that clash, and names that need evidence.

Two names of different drugs that the spelling rules make equal are *collisions*: they are reported, and while an index
is asked the rules between them are off for that pair (see ``index.drugs``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import msgspec

from dragoman.index.drugs_names import Names
from dragoman.index.drugs_store import NO_DRUG


class Collision(msgspec.Struct, frozen=True, kw_only=True):
    """Two names of different drugs that ``rules`` make equal (``b_id`` None: a name known elsewhere)."""

    a: str
    a_id: str
    b: str
    b_id: str | None
    rules: tuple[str, ...]


class DrugReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the build says of the catalogue.

    ``ambiguous``: aliases that name several drugs. ``guarded``: aliases that count only beside evidence (a dose, a
    form, capitals), because they are short or an ordinary word. ``same_substance``: known names left out because safe
    rules make them a catalogue name.
    """

    counts: dict[str, int] = {}
    collisions: tuple[Collision, ...] = ()
    ambiguous: dict[str, tuple[str, ...]] = {}
    guarded: tuple[str, ...] = ()
    same_substance: tuple[tuple[str, str], ...] = ()


def collisions(names: Names) -> Iterator[Collision]:
    """Each pair of drugs that names of theirs make one under the rules, and of a drug and a name known elsewhere."""
    for numbers in names.by_canonical.values():
        if len(numbers) < 2:
            continue
        told: set[tuple[int, int, str]] = set()
        for x, y in combinations((names.entries[n] for n in numbers), 2):
            a, b = names.alias_drug[x.alias], names.alias_drug[y.alias]
            if a == NO_DRUG:
                x, y, a, b = y, x, b, a
            if a in {b, NO_DRUG} or x.key == y.key:
                continue
            pair = (a, b, y.key if b == NO_DRUG else "")
            if pair in told:
                continue
            told.add(pair)
            yield Collision(
                a=names.aliases[x.alias].text,
                a_id=names.drugs[a].drug_id,
                b=names.aliases[y.alias].text,
                b_id=None if b == NO_DRUG else names.drugs[b].drug_id,
                rules=names.written.explain(x.key, y.key),
            )


def ambiguous(names: Names) -> dict[str, tuple[str, ...]]:
    """The names, folded, that several drugs bear as they are written, each with the drugs' ids."""
    drugs: dict[str, list[int]] = defaultdict(list)
    for entry in names.entries:
        if not entry.rule and names.alias_drug[entry.alias] not in drugs[entry.key]:
            drugs[entry.key].append(names.alias_drug[entry.alias])
    return {
        key: tuple(names.drugs[n].drug_id for n in numbers if n != NO_DRUG)
        for key, numbers in sorted(drugs.items())
        if sum(n != NO_DRUG for n in numbers) > 1
    }
