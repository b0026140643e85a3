"""The organisation's own taxonomy: ``entities`` and ``relations``, comma or tab separated by their ending.

``entities``: ``entity_id,type,name,language,status,concept_ids,synonyms,url``; lists are written ``a|b|c``. Only id,
type and name must be there. ``relations``: ``source_id,relation,target_id,status``. Without a ``status`` column, or
with an empty status, a row is published.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.deployment import Entity, EntityRelation, Taxonomy
from dragoman.readers.doubts import Languages, begins_at, entity_relations, entity_statuses, entity_types
from dragoman.readers.sources import Entry
from dragoman.readers.tables import Rows, Table, by_ending

PUBLISHED = "published"

NO_ID = "an entity without an id"
NO_NAME = "an entity without a name"
NO_TYPE = "an entity without a type"
TWICE = "an entity id that an earlier row has"
UNKNOWN = "a relation of an entity that is not listed"
NO_RELATION = "a relation without a name"
SELF = "a relation of an entity to itself"


def read_taxonomy(
    *, entities: Path, relations: Path | None, report: Report, languages: Collection[str] = ()
) -> Taxonomy:
    """Read both files whole. ``languages`` are the project's.

    Raises ``DataError`` (``file:line``) for a missing file or column, or text that is not UTF-8. Single bad rows go to
    ``report.reject``: no id, name or type, an id twice, a relation of an entity that is not listed. Rows that nothing
    will use go to ``report.doubt``: an unknown type, relation or language, a relation that begins at the wrong end.
    """
    pages, links = _table(entities, report), _table(relations, report) if relations else None
    return taxonomy_of(pages, links, report, languages)


def taxonomy_of(entities: Rows, relations: Rows | None, report: Report, languages: Collection[str] = ()) -> Taxonomy:
    """The same of tables that are open already."""
    found = tuple(_entities(entities, report, Languages(report, languages)))
    if not found:
        report.doubt(entities.name, 0, "there is no entity in it")
    elif not any(entity.status == PUBLISHED for entity in found):
        report.doubt(entities.name, 0, "no entity is published")
    known = {entity.entity_id: entity.type for entity in found}
    links = tuple(_relations(relations, known, report)) if relations else ()
    if relations and not found and report.rejected[UNKNOWN]:
        raise DataError(
            f"there is no entity in it, and {relations.name} relates some",
            where=entities.name,
            advice="add the entities, or leave the relations out",
        )
    return Taxonomy(entities=found, relations=links)


def _table(path: Path, report: Report) -> Table:
    table = Table(Entry(path), by_ending(Entry(path)))
    report.read(path)
    return table


def _entities(table: Rows, report: Report, languages: Languages) -> Iterator[Entity]:
    id_at, type_at, name_at = table.places("entity_id", "type", "name")
    language, status = table.place("language"), table.place("status")
    concepts, synonyms, url = table.place("concept_ids"), table.place("synonyms"), table.place("url")
    seen: set[str] = set()
    types, statuses = entity_types(report), entity_statuses(report)
    for line, row in table.rows(report):
        values = [value.strip() for value in row]
        entity_id = values[id_at]
        fault = (
            NO_ID
            if not entity_id
            else NO_TYPE
            if not values[type_at]
            else NO_NAME
            if not values[name_at]
            else TWICE
            if entity_id in seen
            else None
        )
        if fault:
            report.reject(table.name, line, fault)
            continue
        seen.add(entity_id)
        types.check(values[type_at], table.name, line)
        languages.check(_value(values, language), table.name, line)
        statuses.check(_value(values, status), table.name, line)
        yield Entity(
            entity_id=entity_id,
            type=values[type_at],
            name=values[name_at],
            language=_value(values, language) or None,
            status=_value(values, status) or PUBLISHED,
            concept_ids=_list(_value(values, concepts)),
            synonyms=_list(_value(values, synonyms)),
            url=_value(values, url) or None,
        )


def _relations(table: Rows, known: Mapping[str, str], report: Report) -> Iterator[EntityRelation]:
    source, relation, target = table.places("source_id", "relation", "target_id")
    status = table.place("status")
    relations, statuses = entity_relations(report), entity_statuses(report)
    for line, row in table.rows(report):
        values = [value.strip() for value in row]
        one, other = values[source], values[target]
        fault = (
            UNKNOWN
            if one not in known or other not in known
            else NO_RELATION
            if not values[relation]
            else SELF
            if one == other
            else None
        )
        if fault:
            report.reject(table.name, line, fault)
            continue
        statuses.check(_value(values, status), table.name, line)
        name, begins = values[relation], begins_at(values[relation])
        if relations.check(name, table.name, line) and begins and known[one] != begins:
            turn = "; turn it round" if known[other] == begins else ""
            report.doubt(table.name, line, f"{name} begins at a {known[one][:40]}, not at a {begins}{turn}")
        yield EntityRelation(source_id=one, relation=name, target_id=other, status=_value(values, status) or PUBLISHED)


def _value(values: list[str], at: int) -> str:
    return values[at] if at >= 0 else ""


def _list(value: str) -> tuple[str, ...]:
    return tuple(part for part in (p.strip() for p in value.split("|")) if part)
