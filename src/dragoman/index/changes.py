"""What a new index has and lacks beside the current one: the gate against silent loss, and the catalogue's changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.index.drugs import DrugIndex
from dragoman.index.store import Manifest

# What must not get fewer unnoticed, as the manifest counts it, and how it is called to a person.
GUARDED = {
    "terms": "terms",
    "concepts": "concepts",
    "relations": "relations",
    "entities": "published entities",
    "entities_with_concepts": "published entities with concepts",
    "entity_relations": "published relations of entities",
    "drugs": "drugs",
    "drug aliases": "names of drugs",
}


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """A count, or a rate, that fell: ``what`` it counts, ``before`` and ``now``."""

    what: str
    before: float
    now: float

    @property
    def share(self) -> float:
        """The part of ``before`` that is gone (0 to 1)."""
        return 1 - self.now / self.before

    def __str__(self) -> str:
        return f"{self.what} fell from {_number(self.before)} to {_number(self.now)} ({-self.share:.0%})"


class CatalogueChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The catalogue beside that of the current index.

    ``added`` and ``removed`` drugs as ``(drug_id, name)``; ``renamed`` as ``(drug_id, old name, new name)``; names
    gained and lost by drugs that stay as ``(drug_id, name)``; ``confusable``: ``(drug_id, name)`` of drugs that are now
    easily taken for what is called ``name`` and were not before.
    """

    added: tuple[tuple[str, str], ...] = ()
    removed: tuple[tuple[str, str], ...] = ()
    renamed: tuple[tuple[str, str, str], ...] = ()
    names_added: tuple[tuple[str, str], ...] = ()
    names_removed: tuple[tuple[str, str], ...] = ()
    confusable: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return any(getattr(self, field) for field in self.__struct_fields__)


def losses(old: Manifest, new: Manifest, most: float) -> list[Loss]:
    """What fell by more than the share ``most`` (0 to 1): counts, and rates of the golden questions."""
    return [
        *_fallen(old.counts, new.counts, GUARDED, most),
        *_fallen(old.rates, new.rates, {k: f"golden questions, {k}" for k in old.rates if new.rates}, most),
    ]


def _fallen(
    old: Mapping[str, float], new: Mapping[str, float], names: Mapping[str, str], most: float
) -> Sequence[Loss]:
    return [
        Loss(what=name, before=old[key], now=new.get(key, 0))
        for key, name in names.items()
        if old.get(key, 0) > 0 and new.get(key, 0) < old[key] * (1 - most) - 1e-9
    ]


def catalogue_changes(old: DrugIndex, new: DrugIndex) -> CatalogueChanges:
    """What an editor of the catalogue should see before it is in use."""
    before, now = dict(old.drugs()), dict(new.drugs())
    renamed: list[tuple[str, str, str]] = []
    gained: list[tuple[str, str]] = []
    lost: list[tuple[str, str]] = []
    confusable: list[tuple[str, str]] = []
    for drug, name in now.items():
        if drug in before:
            if before[drug] != name:
                renamed.append((drug, before[drug], name))
            earlier, aliases = old.aliases(drug), new.aliases(drug)
            gained += [(drug, alias) for alias in aliases if alias not in earlier]
            lost += [(drug, alias) for alias in earlier if alias not in aliases]
        known = _confusable(old, drug) if drug in before else set()
        confusable += [(drug, other) for other in sorted(_confusable(new, drug) - known)]
    return CatalogueChanges(
        added=tuple((drug, name) for drug, name in now.items() if drug not in before),
        removed=tuple((drug, name) for drug, name in before.items() if drug not in now),
        renamed=tuple(renamed),
        names_added=tuple(gained),
        names_removed=tuple(lost),
        confusable=tuple(confusable),
    )


def _confusable(drugs: DrugIndex, drug: str) -> set[str]:
    return {name for found in drugs.lookup(drug) if found["id"] == drug for name in found["confusable_with"]}


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.1%}"
