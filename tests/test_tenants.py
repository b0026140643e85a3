"""Several organisations over the same terminologies, in one process: none sees anything of another's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dragoman import Dragoman
from dragoman.cli import main
from dragoman.errors import BuildRefused, ConfigError, DataError, IndexUnusable
from dragoman.evaluate.gate import gate
from dragoman.index.build import build
from dragoman.project import Project, load

PROJECT = """
[project]
name = "region"
profile = "hospital"
languages = ["nl"]

[[terminology]]
name = "t"
format = "csv"
path = "terms"
languages = ["nl"]

[gaps]
keep_after = 2

[tenants.north]
name = "Northern hospital"
[tenants.north.taxonomy]
entities = "north.csv"
relations = "north-relations.csv"
[tenants.north.catalog]
drugs = "north-drugs.csv"
[tenants.north.overrides]
path = "north-overrides.csv"

[tenants.south.taxonomy]
entities = "south.csv"
[tenants.south.catalog]
drugs = "south-drugs.csv"
"""
FILES = {
    "terms/terms.csv": "concept_id,term,language,type,active\n"
    "k1,zwelvoet,nl,preferred,1\nk2,knikknie,nl,preferred,1\nk3,knikgewricht,nl,preferred,1\nk4,bibberoog,nl,preferred,1\n",
    "terms/relations.csv": "source_id,type,target_id\nk2,is_a,k3\n",
    "north.csv": "entity_id,type,name,language,status,concept_ids,synonyms\n"
    "n1,condition,Dikke voet,nl,published,k1,plofvoet\nn2,condition,Los gewricht,nl,published,k3,\n"
    "n3,department,Voetenzaal,nl,published,,\nsame,condition,Noordelijke kwaal,nl,published,,sliertsnor\n",
    "north-relations.csv": "source_id,relation,target_id\nn3,TREATS,n1\n",
    "north-drugs.csv": "drug_id,name\nd1,zarpinol\n",
    "north-overrides.csv": "term,language,action,target,reason,author,date\n"
    "waggelpoot,nl,always,n1,wish,ed,2026-01-01\n",
    "south.csv": "entity_id,type,name,language,status,concept_ids,synonyms\n"
    "s1,condition,Trillend oog,nl,published,k4,\nsame,condition,Zuidelijke kwaal,nl,published,,\n",
    "south-drugs.csv": "drug_id,name\nd1,mipravon\n",
}
NORTHERN = ("Dikke voet", "plofvoet", "waggelpoot", "sliertsnor", "plofvoeet", "zarpinol", "zarpinoll", "Voetenzaal")


def write(folder: Path) -> Project:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "dragoman.toml").write_text(PROJECT, "utf-8")
    return load(folder)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the project and its tenants, built once."""
    folder = tmp_path_factory.mktemp("built")
    build(write(folder))
    return folder / ".dragoman"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return write(tmp_path)


@pytest.fixture
def region(project: Project, built: Path) -> Iterator[Dragoman]:
    shutil.copytree(built, project.base / ".dragoman")
    engine = Dragoman.open(project.path)
    yield engine
    engine.close()


def test_they_are_named_in_the_order_of_the_file_and_opened_once(region: Dragoman) -> None:
    assert region.tenants == ("north", "south")
    assert region.tenant("north") is region.tenant("north")
    assert region.tenant("north").project.name == "Northern hospital"
    assert region.tenant("south").project.name == "south"
    assert region.tenant("north").tenants == ()


def test_an_unknown_tenant_is_refused_with_those_there_are(region: Dragoman, project: Project) -> None:
    with pytest.raises(ConfigError, match=r"no tenant 'nrth'.*there are: north, south"):
        region.tenant("nrth")
    with pytest.raises(ConfigError, match="no tenant 'nrth'"):
        Dragoman.open(project.path, tenant="nrth")
    with pytest.raises(ConfigError, match="no tenant 'nrth'"):
        build(project, tenant="nrth")


def test_pages_are_annotated_with_the_terms_of_the_tenant(project: Project, built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, project.base / ".dragoman")
    pages, out = tmp_path / "pages.jsonl", tmp_path / "out.jsonl"
    pages.write_text('{"id": "1", "text": "Dikke voet"}\n')
    assert main(["annotate", str(pages), str(out), "--project", str(project.path), "--tenant", "north"]) == 0
    assert "plofvoet" in json.loads(out.read_text())["terms"]
    assert main(["annotate", str(pages), str(out), "--project", str(project.path), "--tenant", "south", "--fresh"]) == 0
    assert "plofvoet" not in json.loads(out.read_text())["terms"]


def test_each_answers_from_its_own_pages_over_the_same_terminology(region: Dragoman) -> None:
    north, south = region.tenant("north"), region.tenant("south")
    assert [e.term for e in north.enrich("zwelvoet").expansions] == ["Dikke voet"]
    assert [o.outcome for o in south.enrich("zwelvoet").concept_outcomes] == ["no_page"]
    assert [e.term for e in south.enrich("bibberoog").expansions] == ["Trillend oog"]
    assert north.lookup("zwelvoet").concepts[0]["id"] == south.lookup("zwelvoet").concepts[0]["id"] == "k1"


@pytest.mark.parametrize("term", NORTHERN)
def test_a_term_of_one_means_nothing_to_another(region: Dragoman, term: str) -> None:
    for engine in (region.tenant("south"), region):
        resolved = engine.resolve(f"wat is {term}?")
        assert resolved.candidates == ()
        assert all(m.status != "fuzzy" and m.candidate_ids == () for m in resolved.mentions)
        found = engine.lookup(term)
        assert (found.drugs, found.concepts, found.entities) == ((), (), ())
    assert region.tenant("north").resolve(f"wat is {term}?").candidates or term == "zarpinoll"


def test_what_is_ambiguous_to_one_is_not_to_another(project: Project) -> None:
    """Two pages of one name, or an editor's second meaning of a term, in the north; one meaning each in the south."""
    with (project.base / "north.csv").open("a") as more:
        more.write(
            "n5,condition,Ene kwaal,nl,published,,kronkeloor\nn6,condition,Andere kwaal,nl,published,,kronkeloor\n"
        )
    with (project.base / "north-overrides.csv").open("a") as more:
        more.write("bibberoog,nl,always,k2,wish,ed,2026-01-01\n")
    with (project.base / "south.csv").open("a") as more:
        more.write("s5,condition,Derde kwaal,nl,published,,kronkeloor\n")
    build(project)
    with closing(Dragoman.open(project.path)) as region:
        north, south = region.tenant("north"), region.tenant("south")
        for term, mine, other in (("kronkeloor", {"n5", "n6"}, "s5"), ("bibberoog", {"k2", "k4"}, "k4")):
            (told,) = north.resolve(f"wat is {term}?").mentions
            assert (told.status, set(told.candidate_ids)) == ("ambiguous", mine)
            for engine, expected in ((south, {other}), (region, {other} & {"k4"})):
                mentions = engine.resolve(f"wat is {term}?").mentions
                assert {i for m in mentions for i in m.candidate_ids} == expected
                assert all(m.status == "exact" for m in mentions if m.candidate_ids)


def test_near_concepts_and_nearest_pages_are_its_own(region: Dragoman) -> None:
    north, south = region.tenant("north"), region.tenant("south")
    assert [e.term for e in north.enrich("knikknie").expansions] == ["Los gewricht"]
    assert not south.enrich("knikknie").expansions
    assert north.lookup("k2").concepts[0]["nearest"]
    assert not south.lookup("k2").concepts[0]["nearest"]
    assert south.lookup("k1").concepts[0]["entities"] == []


def test_the_same_id_is_another_page_and_another_drug(region: Dragoman) -> None:
    north, south = region.tenant("north"), region.tenant("south")
    assert [e["name"] for e in north.lookup("same").entities] == ["Noordelijke kwaal"]
    assert [e["name"] for e in south.lookup("same").entities] == ["Zuidelijke kwaal"]
    assert [d["name"] for d in north.lookup("d1").drugs] == ["zarpinol"]
    assert [d["name"] for d in south.lookup("d1").drugs] == ["mipravon"]
    assert region.lookup("same").entities == () == region.lookup("d1").drugs


def test_a_prior_frame_with_the_pages_of_another_brings_nothing(region: Dragoman) -> None:
    names = [c.name for c in region.tenant("south").ask("ik heb sliertsnor en zwelvoet").candidates]
    assert names == ["zwelvoet"]


def test_what_is_lacking_is_counted_apart(region: Dragoman, project: Project) -> None:
    north, south = region.tenant("north"), region.tenant("south")
    assert north.gaps is not None
    assert south.gaps is not None
    for _ in range(3):
        south.ask("ik heb een zwelvoet")
    region.close()
    files = {p.name for p in (project.base / ".dragoman").glob("gaps*.sqlite")}
    assert files >= {"gaps-south.sqlite"}
    assert b"k1" in (project.base / ".dragoman" / "gaps-south.sqlite").read_bytes()
    other = project.base / ".dragoman" / "gaps-north.sqlite"
    assert not other.exists() or b"k1" not in other.read_bytes()


def test_one_is_built_alone_and_taken_up_by_reload(region: Dragoman, project: Project) -> None:
    north, south = region.tenant("north"), region.tenant("south")
    before = {one.info.id for one in (region, south)}
    page = project.base / "north.csv"
    page.write_text(page.read_text().replace("Dikke voet", "Bolle voet"))
    assert not region.reload()
    build(project, tenant="north")
    assert region.reload()
    assert not region.reload()
    assert [e.term for e in north.enrich("zwelvoet").expansions] == ["Bolle voet"]
    assert {one.info.id for one in (region, south)} == before


def test_one_that_is_refused_holds_up_no_other(region: Dragoman, project: Project) -> None:
    old = region.tenant("north").info.id
    (project.base / "north-overrides.csv").write_text(
        "term,language,action,target,reason,author,date\nplof,nl,always,nobody,,,\n"
    )
    page = project.base / "south.csv"
    page.write_text(page.read_text().replace("Trillend oog", "Bevend oog"))
    with pytest.raises(DataError, match="nobody"):
        build(project)
    region.reload()
    assert [e.term for e in region.tenant("south").enrich("bibberoog").expansions] == ["Bevend oog"]
    assert region.tenant("north").info.id == old


def test_its_own_golden_questions_are_its_gate(region: Dragoman, project: Project) -> None:
    (project.base / "golden.jsonl").write_text(
        '{"id": "g1", "category": "terminology", "turn": {"text": "zwelvoet"},'
        ' "expect": {"expansions": {"include": ["Platte voet"]}}}\n'
    )
    text = project.path.read_text().replace('name = "Northern hospital"', 'golden = "golden.jsonl"')
    project.path.write_text(text)
    old = region.tenant("north").info.id
    with pytest.raises(BuildRefused, match="golden"):
        build(load(project.path), gate=gate)
    region.reload()
    assert region.tenant("north").info.id == old


def test_one_that_was_never_built_says_so(project: Project) -> None:
    build(project, tenant="south")
    assert [e.term for e in Dragoman.open(project.path, tenant="south").enrich("bibberoog").expansions] == [
        "Trillend oog"
    ]
    with pytest.raises(IndexUnusable, match="no index yet"):
        Dragoman.open(project.path, tenant="north")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[tenants."../x"]\nname = "x"', "no name for a tenant"),
        ("[tenants.a]\ntaxonmy = 1", "did you mean 'taxonomy'"),
        ("[tenants.a.taxonomy]\nentites = 'x'", r"\[tenants.a.taxonomy\] has no key 'entites'"),
    ],
)
def test_wrong_tables_are_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "dragoman.toml").write_text(f'[project]\nprofile = "hospital"\nlanguages = ["nl"]\n{text}\n')
    with pytest.raises(ConfigError, match=says):
        load(tmp_path)


def test_the_commands_take_a_tenant(region: Dragoman, project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> tuple[int, str]:
        code = main([*words, "--project", str(project.path)])
        return code, capsys.readouterr().out

    assert json.loads(run("enrich", "zwelvoet", "--tenant", "north", "--json")[1])["text"] == "zwelvoet (Dikke voet)"
    assert json.loads(run("enrich", "zwelvoet", "--tenant", "south", "--json")[1])["text"] == "zwelvoet"
    assert json.loads(run("lookup", "d1", "--tenant", "south", "--json")[1])["drugs"][0]["name"] == "mipravon"
    assert json.loads(run("resolve", "zarpinol", "--tenant", "north", "--json")[1])["candidates"]
    assert json.loads(run("ask", "zarpinol", "--tenant", "south", "--json")[1])["frame"]["drugs"] == []
    listed = json.loads(run("index", "list", "--tenant", "north", "--json")[1])
    assert listed["indexes"][0]["id"] == region.tenant("north").info.id
    assert run("index", "check", "--tenant", "south")[0] == 0
    assert run("gaps", "--tenant", "south", "--json")[0] == 0
    built = json.loads(run("build", "--json")[1])
    assert list(built["tenants"]) == ["north", "south"]
    assert "tenant" not in json.loads(run("build", "--tenant", "north", "--json")[1])["tenants"]
    code, out = run("doctor", "--json")
    assert code == 0
    assert sum("tenant" in finding["what"] for finding in json.loads(out)["findings"]) >= 2
    assert run("enrich", "zwelvoet", "--tenant", "nrth")[0] == 2
