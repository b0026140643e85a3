"""A made-up hospital that counts gaps: a concept without a page, names on a list, an ambiguous term."""

from __future__ import annotations

from pathlib import Path

from dragoman import Dragoman
from dragoman.index.build import build
from dragoman.project import Project, load

FILES = {
    "terms/terms.csv": (
        "concept_id,term,language,type,active\n"
        "k0,voetkwaal,nl,preferred,1\n"
        "k1,zwelvoet,nl,preferred,1\n"
        "k2,branderhand,nl,preferred,1\n"
        "k3,knarsvoet,nl,preferred,1\n"
        "k4,gladde wrotel,nl,preferred,1\nk4,wrotel,nl,synonym,1\n"
        "k5,ruwe wrotel,nl,preferred,1\nk5,wrotel,nl,synonym,1\n"
        "k6,lubrijn,nl,preferred,1\n"
    ),
    "terms/relations.csv": "source_id,type,target_id\nk1,is_a,k0\nk3,is_a,k0\n",
    "entities.csv": (
        "entity_id,type,name,language,status,concept_ids,synonyms,url\n"
        "c-1,condition,Dikke voet,nl,published,k1,,\n"
        "c-2,condition,Warme hand,nl,published,,,https://x.example/hand\n"
        "c-4,condition,Wrotel A,nl,published,k4,,\n"
        "c-5,condition,Wrotel B,nl,published,k5,,\n"
        "d-1,department,Voetenpoli,nl,published,,,\n"
        "d-2,department,Handenpoli,nl,published,,,\n"
        "p-1,doctor,Dr. Zwaan,nl,published,,,\n"
    ),
    "relations.csv": ("source_id,relation,target_id,status\nd-1,TREATS,c-1,published\nd-2,TREATS,c-2,published\n"),
    "drugs.csv": "drug_id,name\nr1,Zorbalin\nr2,Quentapol\n",
    "known.txt": "Morvaxil\nTeplodine\n",
    "dragoman.toml": """
[project]
name = "gappy"
profile = "hospital"
languages = ["nl"]

[[terminology]]
name = "made"
format = "csv"
path = "terms"

[taxonomy]
entities = "entities.csv"
relations = "relations.csv"

[catalog]
drugs = "drugs.csv"
known = "known.txt"
""",
}
GAPS = '\n[gaps]\npath = "kept/gaps.sqlite"\nkeep_after = 3\n'
LISTED = "mag ik het geneesmiddel {} nemen?"
UNLISTED = "mag ik het geneesmiddel plixobrand nemen? {}"


def write(folder: Path, more: str = GAPS, **files: str) -> Project:
    """Write the project; ``files`` replace by stem."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files.get(f"{path.parent.name}_{path.stem}", files.get(path.stem, text)), "utf-8")
    with (folder / "dragoman.toml").open("a") as file:
        file.write(more)
    return load(folder)


def engine(folder: Path, more: str = GAPS) -> Dragoman:
    """The project, built and opened."""
    build(write(folder, more))
    return Dragoman.open(folder)


def database(folder: Path) -> Path:
    return folder / "kept" / "gaps.sqlite"


def bytes_of(folder: Path) -> bytes:
    """All that the database's files hold, its log as well."""
    return b"".join(p.read_bytes() for p in sorted((folder / "kept").iterdir()))
