"""A small project with a terminology, a catalogue and a taxonomy, all of made-up words."""

from __future__ import annotations

from pathlib import Path

from dragoman.project import Project, load

TERMS = "concept_id,term,language,type,active\nk1,zwelvoet,nl,preferred,1\nk2,branderhand,nl,preferred,1\n"
ENTITIES = (
    "entity_id,type,name,language,status,concept_ids,synonyms,url\n"
    "c-1,condition,Dikke voet,nl,published,k1,,\n"
    "c-2,condition,Warme hand,nl,published,k2,,\n"
    "d-1,department,Voetenpoli,nl,published,,,\n"
)
RELATIONS = "source_id,relation,target_id,status\nd-1,TREATS,c-1,published\n"
DRUGS = "drug_id,name\nr1,Zorbalin\nr2,Quentapol\n"
ALIASES = "drug_id,alias,kind\nr1,Zorbex,brand\n"
CONFUSABLE = "a,b\nZorbalin,Sorbalan\n"
FILES = {
    "terms/terms.csv": TERMS,
    "entities.csv": ENTITIES,
    "relations.csv": RELATIONS,
    "drugs.csv": DRUGS,
    "aliases.csv": ALIASES,
    "confusable.csv": CONFUSABLE,
}
PROJECT = """
[project]
name = "small"
profile = "hospital"
languages = ["nl"]

[[terminology]]
name = "made"
format = "csv"
path = "terms"
licence = "CC0-1.0"

[taxonomy]
entities = "entities.csv"
relations = "relations.csv"

[catalog]
drugs = "drugs.csv"
aliases = "aliases.csv"
confusable = "confusable.csv"
"""


def write(folder: Path, more: str = "", **files: str) -> Project:
    """Write the project into ``folder``; ``more`` goes to the end of its file, ``files`` replace ``<name>.csv``."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files.get(path.stem, text), "utf-8")
    (folder / "dragoman.toml").write_text(PROJECT + more, "utf-8")
    return load(folder)


def many_terms(count: int, start: int = 0) -> str:
    """A terminology of ``count`` more terms, for builds that take a while."""
    rows = (f"m{n},{_word(n)} {_word(n // 7)},nl,preferred,1\n" for n in range(start, start + count))
    return TERMS + "".join(rows)


def _word(n: int) -> str:
    syllables = ("ba", "de", "ki", "lo", "mu", "ne", "po", "ra", "si", "tu")
    return "".join(syllables[int(digit)] for digit in f"{n:04d}")
