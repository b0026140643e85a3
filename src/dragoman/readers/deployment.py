"""The values a deployment brings of its own: its catalogue of drugs and its taxonomy of pages."""

from __future__ import annotations

import msgspec


class Drug(msgspec.Struct, frozen=True, kw_only=True):
    """A row of ``drugs.csv``. ``ingredients`` are drug ids or substance names of a combination product."""

    drug_id: str
    name: str
    ingredients: tuple[str, ...] = ()
    atc: str | None = None
    status: str = "active"


class Alias(msgspec.Struct, frozen=True, kw_only=True):
    """A row of ``aliases.csv``. ``kind``: ``generic``, ``brand``, ``abbreviation`` or ``spelling``."""

    drug_id: str
    alias: str
    kind: str = "generic"
    language: str | None = None
    display_rank: int | None = None


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """The formulary: drugs and aliases in file order, real names it lacks, and look-alike pairs."""

    drugs: tuple[Drug, ...] = ()
    aliases: tuple[Alias, ...] = ()
    known: tuple[str, ...] = ()
    confusable: tuple[tuple[str, str], ...] = ()


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    """A row of ``entities.csv``: a page or person of the organisation's own."""

    entity_id: str
    type: str
    name: str
    language: str | None = None
    status: str = "published"
    concept_ids: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    url: str | None = None


class EntityRelation(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the taxonomy's ``relations.csv``."""

    source_id: str
    relation: str
    target_id: str
    status: str = "published"


class Taxonomy(msgspec.Struct, frozen=True, kw_only=True):
    """The organisation's entities and relations; only those ``published`` count."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[EntityRelation, ...] = ()


ACTIONS = ("never", "always", "prefer")


class Override(msgspec.Struct, frozen=True, kw_only=True):
    """A row of ``overrides.csv``: the editor's word on one term. ``where`` is its ``file:line``."""

    term: str
    action: str
    target: str = ""
    language: str = ""
    reason: str = ""
    author: str = ""
    date: str = ""
    where: str = ""

    @property
    def why(self) -> str:
        """What an expansion shows for it."""
        by = ", ".join(part for part in (self.author, self.date) if part)
        return f"the editor: {self.action}" + (f", {self.reason}" if self.reason else "") + (f" ({by})" if by else "")
