"""Words that nothing reads: the row is kept, counted, and told with its line and what may be meant."""

from __future__ import annotations

from pathlib import Path

from tests.readers.support import write

from dragoman.enrich.senses import CARE
from dragoman.evidence.names import CONDITIONS
from dragoman.folder import PACKAGE, Language
from dragoman.index.term_values import DEPARTMENT, PERSON, RELATIONS
from dragoman.index.term_writing import TermsTable
from dragoman.protocols import RelationRow, Report, Source, TermRow
from dragoman.readers import reader_for
from dragoman.readers.catalog import read_catalog
from dragoman.readers.overrides import read_overrides
from dragoman.readers.taxonomy import read_taxonomy
from dragoman.readers.values import data


def told(report: Report) -> set[tuple[str, int, str, int]]:
    return {(Path(d.path).name, d.line, d.what, d.count) for d in report.doubts}


def test_the_words_of_a_vocabulary(tmp_path: Path) -> None:
    write(
        tmp_path / "terms.csv",
        "concept_id,term,language,type,active",
        "1,kwaal,nl,preferred,1",
        "1,ziekte,ln,synonym,1",
        "1,kwaaltje,nl-BE,lay,1",
        "2,plaats,ln,preferred,1",
        "2,locus,mul,synonym,1",
    )
    write(tmp_path / "relations.csv", "source_id,type,target_id", "1,isa,2", "1,is_a,2", "1,sits next to,2")
    report = Report()
    source = Source(name="own", format="csv", path=tmp_path, spoken=("nl", "vi"))
    rows = list(reader_for(source)(source, report))
    assert len([r for r in rows if isinstance(r, TermRow)]) == 5
    assert len([r for r in rows if isinstance(r, RelationRow)]) == 3
    assert told(report) == {
        ("terms.csv", 3, "language 'ln' is none of the project's (nl, vi); did you mean 'nl'?", 2),
        ("relations.csv", 2, "relation 'isa' is none that anything uses; did you mean 'is_a'?", 1),
        ("relations.csv", 4, "relation 'sits next to' is none that anything uses", 1),
    }
    assert report.rejected.total() == 0


def test_the_words_of_a_taxonomy(tmp_path: Path) -> None:
    entities = write(
        tmp_path / "e.csv",
        "entity_id,type,name,language,status",
        "d,department,Darm,nl,published",
        "c,Condition,Kwaal,nl,published",
        "b,campus,Noord,,published",
        "a,condition,Ander,xx,publishd",
        "o,condition,Oud,nl,archived",
    )
    relations = write(
        tmp_path / "r.csv",
        "source_id,relation,target_id",
        "d,TREATS,a",
        "d,treat,a",
        "a,TREATS,d",
        "b,OFFERS,a",
    )
    report = Report()
    read_taxonomy(entities=entities, relations=relations, report=report, languages=("nl",))
    assert told(report) == {
        ("e.csv", 3, "entity type 'Condition' is none that anything uses; did you mean 'condition'?", 1),
        ("e.csv", 4, "entity type 'campus' is none that anything uses", 1),
        ("e.csv", 5, "language 'xx' is none of the project's (nl)", 1),
        ("e.csv", 5, "status 'publishd' does not count; did you mean 'published'?", 1),
        ("r.csv", 3, "relation 'treat' is none that anything uses; did you mean 'TREATS'?", 1),
        ("r.csv", 4, "TREATS begins at a condition, not at a department; turn it round", 1),
        ("r.csv", 5, "OFFERS begins at a campus, not at a department", 1),
    }


def test_a_taxonomy_of_which_nothing_counts(tmp_path: Path) -> None:
    entities = write(tmp_path / "e.csv", "entity_id,type,name,status", "a,condition,A,draft", "b,condition,B,draft")
    report = Report()
    read_taxonomy(entities=entities, relations=None, report=report)
    assert told(report) == {("e.csv", 0, "no entity is published", 1)}


def test_the_words_of_a_catalogue_and_of_overrides(tmp_path: Path) -> None:
    drugs = write(tmp_path / "d.csv", "drug_id,name,status", "a,Alfa,active", "b,Beta,actve", "c,Gama,withdrawn")
    aliases = write(tmp_path / "al.csv", "drug_id,alias,language", "a,Alfax,vn", "a,Alfaks,", "a,Alfex,VI")
    rules = write(tmp_path / "o.csv", "term,language,action,target", "x,iv,never,", "y,vi,never,")
    report = Report()
    read_catalog(drugs=drugs, aliases=aliases, report=report, languages=("vi",))
    read_overrides(rules, report, ("vi",))
    assert told(report) == {
        ("d.csv", 3, "status 'actve' does not count; did you mean 'active'?", 1),
        ("al.csv", 2, "language 'vn' is none of the project's (vi); did you mean 'vi'?", 1),
        ("o.csv", 2, "language 'iv' is none of the project's (vi); did you mean 'vi'?", 1),
    }


def test_a_column_that_holds_something_else_is_told_in_few_lines(tmp_path: Path) -> None:
    rows = [f"{n},kind{n:03},N{n}" for n in range(300)]
    entities = write(tmp_path / "e.csv", "entity_id,type,name", *rows)
    report = Report()
    read_taxonomy(entities=entities, relations=None, report=report)
    assert len(report.doubts) == 21
    assert sum(d.count for d in report.doubts) == 300
    assert report.doubts[-1].what == "further entity types that are unknown"


def test_what_is_known_is_what_is_used() -> None:
    own = data("own")
    assert {*CONDITIONS, DEPARTMENT, PERSON} <= set(own["types"])
    packs = [Language(p.parent) for p in PACKAGE.glob("languages/*/pack.toml")]
    assert {kind for pack in packs for kind in pack.table("terms.toml", TermsTable).types.values()} <= set(own["types"])
    assert set(own["concept_relations"]) == set(RELATIONS)
    assert {name for name, begins in own["relations"].items() if begins == DEPARTMENT} == CARE
    assert set(own["relations"].values()) <= set(own["types"])
