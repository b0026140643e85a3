"""The taxonomy's two files and the editor's third."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.overrides import read_overrides
from dragoman.readers.taxonomy import SELF, TWICE, UNKNOWN, read_taxonomy

ENTITIES = "entity_id,type,name,language,status,concept_ids,synonyms,url\n"
RELATIONS = "source_id,relation,target_id,status\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_both_files_are_read(tmp_path: Path) -> None:
    entities = write(
        tmp_path,
        "e.csv",
        "\ufeff" + ENTITIES + 'd,department,"Maag-, darmziekten",nl,published,, gastro | mdl ,\n'
        "c,condition,Kwaal,nl,draft,1|sct:2,,https://x.example/c\n",
    )
    relations = write(tmp_path, "r.csv", RELATIONS + "d,TREATS,c,published\nd,OFFERS,c,\n")
    report = Report()
    taxonomy = read_taxonomy(entities=entities, relations=relations, report=report)
    one, other = taxonomy.entities
    assert (one.name, one.synonyms, one.concept_ids) == ("Maag-, darmziekten", ("gastro", "mdl"), ())
    assert (other.status, other.concept_ids, other.url) == ("draft", ("1", "sct:2"), "https://x.example/c")
    assert [r.status for r in taxonomy.relations] == ["published", "published"]
    assert report.rejected.total() == 0
    assert report.files == [entities, relations]


def test_tabs_and_absent_columns(tmp_path: Path) -> None:
    entities = write(tmp_path, "e.tsv", "name\ttype\tentity_id\nHuid, haar\tdepartment\td\n")
    (entity,) = read_taxonomy(entities=entities, relations=None, report=Report()).entities
    assert (entity.name, entity.status, entity.language) == ("Huid, haar", "published", None)


def test_a_missing_column_names_file_and_line(tmp_path: Path) -> None:
    entities = write(tmp_path, "e.csv", "# ours\nentity_id,name\nx,y\n")
    with pytest.raises(DataError, match=r"e\.csv:2: missing column type"):
        read_taxonomy(entities=entities, relations=None, report=Report())


def test_bad_rows_are_rejected_by_line(tmp_path: Path) -> None:
    entities = write(
        tmp_path,
        "e.csv",
        ENTITIES + "a,department,A,,,,,\n,department,B,,,,,\na,department,C,,,,,\nb,,D,,,,,\nc,x,,,,,,\n",
    )
    relations = write(tmp_path, "r.csv", RELATIONS + "a,TREATS,zz,\na,TREATS,a,\na,,a,\n")
    report = Report()
    taxonomy = read_taxonomy(entities=entities, relations=relations, report=report)
    assert [e.name for e in taxonomy.entities] == ["A"]
    assert taxonomy.relations == ()
    assert {(Path(r.path).name, r.line) for r in report.examples} == {
        ("e.csv", 3),
        ("e.csv", 4),
        ("e.csv", 5),
        ("e.csv", 6),
        ("r.csv", 2),
        ("r.csv", 3),
        ("r.csv", 4),
    }
    assert {TWICE, UNKNOWN, SELF} <= set(report.rejected)


OVERRIDES = "term,language,action,target,reason,author,date\n"


def test_overrides_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, "o.csv", OVERRIDES + "spit,nl,prefer,c-1,what people mean,an,2026-01-02\nschot,,NEVER,,,,\n")
    one, other = read_overrides(path, Report())
    assert one.why == "the editor: prefer, what people mean (an, 2026-01-02)"
    assert (other.action, other.target, other.where) == ("never", "", f"{path}:3")


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("spit,nl,sometimes,c-1,,,", "the action is 'sometimes'"),
        ("spit,nl,always,,,,", "always needs a target"),
        (",nl,never,c-1,,,", "without a term"),
        ("spit,nl,never", "fewer values"),
    ],
)
def test_an_editors_mistake_stops_the_build_with_its_line(tmp_path: Path, row: str, what: str) -> None:
    path = write(tmp_path, "o.csv", f"{OVERRIDES}goed,nl,never,c-1,,,\n{row}\n")
    with pytest.raises(DataError) as error:
        read_overrides(path, Report())
    assert error.value.where == f"{path}:3"
    assert what in error.value.what


def test_two_rules_on_one_term_and_target_stop_the_build(tmp_path: Path) -> None:
    path = write(tmp_path, "o.csv", OVERRIDES + "spit,nl,never,c-1,,,\nSpit,nl,always,c-1,,,\n")
    with pytest.raises(DataError, match=r"o\.csv:3: line 2 rules on the same"):
        read_overrides(path, Report())


def test_relations_without_any_entity_are_laid_to_the_entities(tmp_path: Path) -> None:
    entities = write(tmp_path, "e.csv", ENTITIES)
    report = Report()
    assert read_taxonomy(entities=entities, relations=None, report=report).entities == ()
    assert [d.what for d in report.doubts] == ["there is no entity in it"]
    relations = write(tmp_path, "r.csv", RELATIONS + "a,TREATS,b,\n")
    with pytest.raises(DataError, match=r"e\.csv: there is no entity in it, and .*r\.csv relates some"):
        read_taxonomy(entities=entities, relations=relations, report=Report())


def test_rules_of_two_languages_on_one_term_do_not_clash(tmp_path: Path) -> None:
    path = write(tmp_path, "o.csv", OVERRIDES + "gift,en,always,c-1,,,\ngift,DE,never,c-1,,,\n")
    assert [one.language for one in read_overrides(path, Report())] == ["en", "de"]
    path = write(tmp_path, "o.csv", OVERRIDES + "gift,en,always,c-1,,,\ngift,de,never,c-1,,,\ngift,,never,c-1,,,\n")
    with pytest.raises(DataError, match=r"o\.csv:4: line 2 rules on the same"):
        read_overrides(path, Report())
