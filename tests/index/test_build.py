"""A build gives one whole index or changes nothing, and says what it did."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from tests.index import project as small

from dragoman.errors import BuildRefused, ConfigError, DataError
from dragoman.index import store
from dragoman.index.build import REPORT, build
from dragoman.index.build_report import Verdict
from dragoman.index.taken import REJECTS
from dragoman.project import Project


def parts(home: Path) -> set[str]:
    """What lies in an index folder, apart from the lock."""
    return {p.name for p in home.iterdir()} - {".lock"}


def test_the_manifest_says_where_everything_came_from(tmp_path: Path) -> None:
    report = build(small.write(tmp_path))
    manifest = store.read_manifest(Path(report.path or ""))
    made, own = manifest.sources
    assert (made.name, made.format, made.licence, made.rows) == ("made", "csv", "CC0-1.0", 4)
    assert list(made.files) == ["terms/terms.csv"]
    assert set(own.files) == {"entities.csv", "relations.csv", "drugs.csv", "aliases.csv", "confusable.csv"}
    assert {k: manifest.counts[k] for k in ("entities_with_concepts", "entity_relations", "drugs", "terms")} == {
        "entities_with_concepts": 2,
        "entity_relations": 1,
        "drugs": 2,
        "terms": 5,
    }


def test_what_was_kept_with_a_change_is_in_the_manifest(tmp_path: Path) -> None:
    decomposed = small.TERMS + "k3,caf\u0065\u0301ziekte,nl,preferred,1\n"
    report = build(small.write(tmp_path, terms=decomposed))
    noted = report.sources[0].noted
    assert sum(noted.values()) == 1
    assert store.read_manifest(Path(report.path or "")).sources[0].noted == noted


def test_rejects_are_listed_in_a_file_beside_the_index(tmp_path: Path) -> None:
    bad = small.TERMS + "k3,iets,nl,nonsense,1\n" * 30
    project = small.write(tmp_path, "\n[build]\nmax_rejects = 0.99\n", terms=bad)
    report = build(project)
    assert sum(report.rejected.values()) == 30
    assert len(report.rejects) == 20
    header, *rows = (project.index / REJECTS).read_text("utf-8").splitlines()
    assert header == "file\tline\treason"
    assert len(rows) == 30
    assert rows[0].split("\t")[:2] == [str(tmp_path / "terms/terms.csv"), "4"]
    assert msgspec.json.decode((project.index / REPORT).read_bytes())["id"] == report.id
    small.write(tmp_path)
    build(project)
    assert not (project.index / REJECTS).exists()


def test_too_many_rejects_refuse_the_build_and_are_still_listed(tmp_path: Path) -> None:
    bad = small.TERMS + "k3,iets,nl,nonsense,1\n" * 30
    project = small.write(tmp_path, terms=bad)
    with pytest.raises(DataError, match=r"terms\.csv:4: 30 of 34 rows were rejected.*max_rejects"):
        build(project)
    assert parts(project.index) == {REJECTS, store.SHARED}


@pytest.mark.parametrize("seed", ["0", "1", "31337"])
def test_the_same_sources_give_the_same_id_in_any_process(tmp_path: Path, seed: str) -> None:
    here = build(small.write(tmp_path / "a", terms=small.many_terms(50))).id
    small.write(tmp_path / "b", terms=small.many_terms(50))
    script = "import sys; from dragoman.index.build import build; from dragoman.project import load\n"
    script += "sys.stdout.write(build(load(sys.argv[1])).id)"
    there = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "b")],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert there == here


def test_building_the_same_again_leaves_one_generation(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    first, second = build(project), build(project)
    assert first.path == second.path
    assert store.at_hand(project.index) == [first.id]
    store.check(store.open_place(project.index))


def test_building_the_same_again_mends_a_damaged_index(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    place = Path(build(project).path or "")
    part = place / "terms.text.blob"
    part.write_bytes(part.read_bytes()[::-1])
    build(project)
    store.check(store.open_place(project.index))


def test_check_changes_nothing(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    report = build(project, check=True)
    assert report.path is None
    assert not project.index.exists()
    assert build(project).id == report.id


# --- what a disk and a system may do ----------------------------------------------------------------------------------


LIMITED = """
import resource, sys
from dragoman.errors import DragomanError
from dragoman.index.build import build
from dragoman.project import load
project = load(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    build(project)
except DragomanError as error:
    sys.stdout.write(str(error))
    sys.exit(error.exit_code)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
@pytest.mark.parametrize("room", [0, 10, 500, 4_000])
def test_a_full_disk_is_told_and_the_old_index_stays(tmp_path: Path, room: int) -> None:
    project = small.write(tmp_path)
    old = build(project).id
    before = parts(project.index)
    small.write(tmp_path, terms=small.many_terms(300))
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path), str(room)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2, ran.stderr
    assert "cannot be written" in ran.stdout
    assert "free some space" in ran.stdout
    assert parts(project.index) == before
    assert store.check(store.open_place(project.index)).id == old


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    project.index.parent.mkdir(parents=True)
    project.index.parent.chmod(0o500)
    with pytest.raises(DataError, match=r"cannot be written.*--out"):
        build(project)
    project.index.parent.chmod(0o700)


def test_an_index_folder_that_is_a_file(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    project.index.parent.mkdir(parents=True)
    project.index.write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        build(project)


def test_nothing_of_the_users_own_is_ever_removed(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    mine = project.index / "my notes"
    mine.mkdir(parents=True)
    for n in range(6):
        small.write(tmp_path, terms=small.many_terms(n))
        build(project)
    assert mine.is_dir()


# --- the gate ---------------------------------------------------------------------------------------------------------

GOLDEN = '\n[build]\ngolden = "golden.jsonl"\n'


def failing(project: Project, place: Path) -> Verdict:
    return Verdict(missed=("1 of 2 passed",), rates={"passed": 0.5})


def test_golden_questions_without_anyone_to_ask_them_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="gate"):
        build(small.write(tmp_path, GOLDEN))


def test_an_index_that_fails_the_golden_questions_is_not_taken(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    old = build(project).id
    project = small.write(tmp_path, GOLDEN, terms=small.many_terms(3))
    with pytest.raises(BuildRefused, match="1 of 2 passed") as refused:
        build(project, gate=failing, accept=True)
    assert refused.value.exit_code == 1
    assert store.at_hand(project.index) == [old]


def test_the_gate_sees_the_new_index_before_it_is_current(tmp_path: Path) -> None:
    seen: list[store.Manifest] = []

    def passing(project: Project, place: Path) -> Verdict:
        seen.append(store.trust(place))
        assert store.current_name(project.index) is None
        return Verdict(rates={"passed": 1.0, "layer terminology": 0.8})

    project = small.write(tmp_path, GOLDEN)
    report = build(project, gate=passing)
    assert [m.id for m in seen] == [report.id]
    assert store.read_manifest(Path(report.path or "")).rates == report.rates


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"terms": small.TERMS}, "terms fell from 45 to 5"),
        ({"entities": small.ENTITIES.replace("k2", "zz")}, "published entities with concepts fell from 2 to 1"),
        ({"relations": small.RELATIONS.replace("published", "draft")}, "relations of entities fell from 1 to 0"),
        ({"drugs": small.DRUGS.replace("r2,Quentapol\n", "")}, "drugs fell from 2 to 1"),
    ],
    ids=["terms", "entities", "relations", "drugs"],
)
def test_a_loss_is_refused_unless_it_is_accepted(tmp_path: Path, files: dict[str, str], says: str) -> None:
    whole = {"terms": small.many_terms(40)}
    project = small.write(tmp_path, **whole)
    old = build(project).id
    small.write(tmp_path, **(whole | files))
    with pytest.raises(BuildRefused, match=says):
        build(project)
    assert store.current_name(project.index) == old
    with pytest.raises(BuildRefused, match=says):
        build(project, check=True)
    report = build(project, accept=True)
    assert any(says in str(loss) for loss in report.losses)
    assert store.at_hand(project.index) == [report.id, old]


def test_a_small_loss_is_none(tmp_path: Path) -> None:
    project = small.write(tmp_path, terms=small.many_terms(40))
    build(project)
    small.write(tmp_path, terms=small.many_terms(38))
    assert build(project).losses == ()


def test_a_layer_that_no_longer_serves_is_a_loss(tmp_path: Path) -> None:
    project = small.write(tmp_path, GOLDEN)
    build(project, gate=lambda project, place: Verdict(rates={"layer terminology": 0.8, "layer near": 0.2}))
    with pytest.raises(BuildRefused, match="layer near fell"):
        build(project, gate=lambda project, place: Verdict(rates={"layer terminology": 0.8}))


def test_the_catalogues_changes_are_told_with_new_look_alikes(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    assert not build(project).catalogue
    small.write(
        tmp_path,
        drugs=small.DRUGS.replace("Quentapol", "Quentapil") + "r3,Vexamur\n",
        aliases="drug_id,alias,kind\nr1,Zorbix,brand\n",
        confusable=small.CONFUSABLE + "Zorbalin,Quentapil\n",
    )
    changes = build(project).catalogue
    assert changes.added == (("r3", "Vexamur"),)
    assert changes.removed == ()
    assert changes.renamed == (("r2", "Quentapol", "Quentapil"),)
    assert ("r1", "Zorbix") in changes.names_added
    assert ("r1", "Zorbex") in changes.names_removed
    assert changes.confusable == (("r1", "r2"), ("r2", "r1"))
