from __future__ import annotations

from pathlib import Path

import pytest
from tests import stored
from tests.cli.conftest import Dragoman
from tests.index import project as small

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")


@pytest.fixture
def project(tmp_path: Path, database: str) -> Path:
    """A project over an empty database, and files beside it."""
    small.write(tmp_path / "files")
    (tmp_path / "terms").mkdir()
    (tmp_path / "terms" / "terms.csv").write_text(small.TERMS)
    (tmp_path / "dragoman.toml").write_text(stored.toml(database))
    return tmp_path


@pytest.mark.service
def test_from_an_empty_database_to_an_answer_and_back(dragoman: Dragoman, project: Path) -> None:
    at = ("--project", project)
    assert dragoman("db", "status", *at).code == 1
    assert dragoman("build", *at).code == 2
    first = dragoman("db", "migrate", *at, "--json").json["databases"]
    assert [len(d["applied"]) for d in first] == [4]
    assert "nothing to do" in dragoman("db", "migrate", *at).out
    told = dragoman("db", "status", *at, "--json")
    assert told.code == 0
    assert told.json["databases"][0]["current"]
    brought = dragoman("db", "import", "--from", project / "files", *at, "--json").json["databases"]
    assert brought[0]["rows"]["entity"] == 3
    assert dragoman("build", *at).code == 0
    assert "Dikke voet" in dragoman("enrich", "ik heb een zwelvoet", *at).out
    found = dragoman("doctor", *at, "--json").json
    assert {f["status"] for f in found["findings"]} == {"ok"} or all(f["status"] != "wrong" for f in found["findings"])
    refused = dragoman("db", "rollback", "--to", "0", *at, "--json")
    assert (refused.code, refused.json["error"]["advice"]) == (2, "say --yes")
    assert len(dragoman("db", "rollback", *at, "--yes", "--json").json["databases"][0]["undone"]) == 1
    assert dragoman("db", "status", *at).code == 1
    assert len(dragoman("db", "rollback", "--to", "0", *at, "--yes", "--json").json["databases"][0]["undone"]) == 3
    assert dragoman("build", *at).code == 2
    assert "Dikke voet" in dragoman("enrich", "ik heb een zwelvoet", *at).out


@pytest.mark.service
def test_files_are_brought_in_once_unless_told(dragoman: Dragoman, project: Path) -> None:
    at = ("--project", project)
    assert dragoman("db", "migrate", *at).code == 0
    files = project / "files"
    given = ("--entities", files / "entities.csv", "--relations", files / "relations.csv")
    assert "entity 3, relation 1" in dragoman("db", "import", *given, *at).out
    again = dragoman("db", "import", *given, *at)
    assert again.code == 2
    assert "is not empty" in again.err
    assert dragoman("db", "import", *given, "--replace", *at).code == 0
    drugs = ("--drugs", files / "drugs.csv", "--aliases", files / "aliases.csv")
    assert "drug 2, alias 1" in dragoman("db", "import", *drugs, *at).out


@pytest.mark.service
def test_a_tenants_pages_go_into_its_own_database(dragoman: Dragoman, project: Path) -> None:
    plain = (project / "dragoman.toml").read_text()
    own = plain.replace("[taxonomy]", "[tenants.north.taxonomy]").replace("[catalog]", "[tenants.north.catalog]")
    (project / "dragoman.toml").write_text(own)
    at = ("--project", project)
    assert dragoman("db", "migrate", *at).code == 0
    given = ("--entities", project / "files" / "entities.csv")
    assert dragoman("db", "import", *given, *at).code == 2  # the project itself has none
    assert "entity 3" in dragoman("db", "import", *given, "--tenant", "north", *at).out
    assert "there are: north" in dragoman("db", "import", *given, "--tenant", "nrth", *at).err


@pytest.mark.service
def test_rows_that_no_build_takes_are_refused_or_left_out(dragoman: Dragoman, project: Path) -> None:
    at = ("--project", project)
    assert dragoman("db", "migrate", *at).code == 0
    bad = project / "files" / "entities.csv"
    bad.write_text(small.ENTITIES + "c-1,condition,Twee keer,nl,published,,,\n")
    refused = dragoman("db", "import", "--entities", bad, *at)
    assert refused.code == 2
    assert f"{bad}:5: an entity id that an earlier row has" in refused.err
    taken = dragoman("db", "import", "--entities", bad, "--skip", *at, "--json").json
    assert taken["databases"][0]["rows"] == {"entity": 3, "relation": 0}
    assert taken["rejects"][0]["line"] == 5


@pytest.mark.service
def test_a_drug_that_is_not_active_is_kept_with_its_status(dragoman: Dragoman, project: Path, database: str) -> None:
    at = ("--project", project)
    assert dragoman("db", "migrate", *at).code == 0
    file = project / "files" / "drugs.csv"
    file.write_text("drug_id,name,status\nr1,Zorbalin,active\nr2,Quentapol,withdrawn\n")
    assert dragoman("db", "import", "--drugs", file, *at).code == 0
    with psycopg.connect(database) as base:
        assert base.execute("SELECT drug_id FROM dragoman.drug WHERE status = 'withdrawn'").fetchall() == [("r2",)]


@pytest.mark.service
def test_another_role_connects_for_what_the_projects_may_not(
    dragoman: Dragoman, project: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "dragoman.toml").write_text(stored.toml("host=/nonexistent dbname=x"))
    monkeypatch.setenv("OWNER", database)
    at = ("--project", project, "--dsn-env", "OWNER")
    assert dragoman("db", "migrate", *at).code == 0
    assert dragoman("db", "import", "--from", project / "files", *at).code == 0
    assert dragoman("db", "status", *at).code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("import",), "no file is named"),
        (("import", "--relations", "r.csv"), "--entities is missing"),
        (("import", "--aliases", "a.csv"), "--drugs is missing"),
        (("import", "--drugs", "absent.csv"), "there is no such file"),
        (("status", "--dsn-env", "NOT_SET_ANYWHERE"), "NOT_SET_ANYWHERE is not set"),
    ],
)
def test_bad_usage_says_what_to_do(dragoman: Dragoman, tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    (tmp_path / "dragoman.toml").write_text(stored.toml("host=/nonexistent"))
    ran = dragoman("db", *arguments, "--project", tmp_path)
    assert ran.code == 2
    assert says in ran.err


def test_a_project_without_a_database(dragoman: Dragoman, tmp_path: Path) -> None:
    small.write(tmp_path)
    assert "the project has no database" in dragoman("db", "status", "--project", tmp_path).err
    ran = dragoman("db", "import", "--from", tmp_path, "--project", tmp_path)
    assert (ran.code, "names no database" in ran.err) == (2, True)


@pytest.mark.parametrize("command", ["migrate", "status", "rollback --yes"])
def test_a_server_that_does_not_answer_is_exit_3(dragoman: Dragoman, tmp_path: Path, command: str) -> None:
    (tmp_path / "dragoman.toml").write_text(stored.toml("host=/nonexistent"))
    ran = dragoman("db", *command.split(), "--project", tmp_path, "--json")
    assert ran.code == 3
    assert ran.json["error"]["kind"] == "ServiceError"
    assert dragoman("doctor", "--project", tmp_path).code in (2, 3)
