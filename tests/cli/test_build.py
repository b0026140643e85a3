"""``build`` and ``index``: reports, rejects, integrity."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Dragoman


@pytest.fixture
def fresh(dragoman: Dragoman, tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    assert dragoman("init", folder, "--profile", "hospital", "--language", "nl").code == 0
    return folder


def test_build_reports_as_one_document(dragoman: Dragoman, fresh: Path) -> None:
    ran = dragoman("build", "--project", fresh, "--json")
    assert ran.code == 0
    report = ran.json
    assert (Path(report["path"]) / "manifest.json").is_file()
    assert report["rejected"] == {}
    assert "example: 10 rows" in ran.err or "example" in ran.err


def test_build_for_a_person_names_the_index(dragoman: Dragoman, fresh: Path) -> None:
    ran = dragoman("build", "--project", fresh)
    assert "example" in ran.out
    assert ran.out.rstrip().splitlines()[-1].startswith("index ") or "index " in ran.out


def test_a_bad_row_is_named_with_its_line(dragoman: Dragoman, fresh: Path) -> None:
    terms = fresh / "terminology" / "terms.csv"
    lines = terms.read_text("utf-8").splitlines()
    terms.write_text("\n".join([*lines, "e-9,iets,nl,nonsense,1"]) + "\n", "utf-8")
    ran = dragoman("build", "--project", fresh)
    assert ran.code == 0
    assert f"terms.csv:{len(lines) + 1}" in ran.out.replace("\n", "")
    (reject,) = dragoman("build", "--project", fresh, "--json").json["rejects"]
    assert reject["line"] == len(lines) + 1


def test_a_row_that_nothing_uses_is_told_each_time(dragoman: Dragoman, fresh: Path) -> None:
    terms, pages = fresh / "terminology" / "terms.csv", fresh / "taxonomy" / "entities.csv"
    at = [len(path.read_text("utf-8").splitlines()) + 1 for path in (terms, pages)]
    with terms.open("a", encoding="utf-8") as file:
        file.write("e-1,klierkwaal,ln,synonym,1\n")
    with pages.open("a", encoding="utf-8") as file:
        file.write("page-9,conditon,Kwaal,nl,published,e-1,,\n")
    for _ in range(2):  # compiled, and then taken as it was
        told = dragoman("build", "--project", fresh, "--json").json["doubts"]
        assert [(Path(d["path"]).name, d["line"]) for d in told] == [("terms.csv", at[0]), ("entities.csv", at[1])]
    shown = dragoman("build", "--project", fresh).out
    assert "language 'ln' is none of the project's (nl); did you mean 'nl'?" in shown
    assert "did you mean 'condition'?" in shown
    assert f"entities.csv:{at[1]}" in shown.replace("\n", "")
    checked = dragoman("doctor", "--project", fresh)
    assert checked.code == 0
    assert "did you mean 'condition'?; `dragoman build` says where" in " ".join(checked.out.split())


def test_what_an_editor_should_look_at_is_told_in_words(dragoman: Dragoman, fresh: Path) -> None:
    with (fresh / "taxonomy" / "entities.csv").open("a", encoding="utf-8") as file:
        file.write("page-9,condition,Kwaal,nl,published,e-99,,\n")
    shown = dragoman("build", "--project", fresh).out
    assert "unmapped: 1  pages whose concept_ids no terminology has" in shown
    assert "entities 8" in shown
    assert " 0 ·" not in shown


def test_a_missing_column_is_exit_2_and_the_old_index_stays(dragoman: Dragoman, fresh: Path) -> None:
    first = dragoman("build", "--project", fresh, "--json").json["id"]
    terms = fresh / "terminology" / "terms.csv"
    terms.write_text(terms.read_text("utf-8").replace("concept_id,", "concept,", 1), "utf-8")
    ran = dragoman("build", "--project", fresh)
    assert ran.code == 2
    assert "terms.csv" in ran.err
    assert "concept_id" in ran.err
    listed = dragoman("index", "list", "--project", fresh, "--json").json
    assert [(i["id"], i["current"]) for i in listed["indexes"]] == [(first, True)]


def test_out_writes_elsewhere(dragoman: Dragoman, fresh: Path, tmp_path: Path) -> None:
    report = dragoman("build", "--project", fresh, "--out", tmp_path / "out", "--json").json
    assert Path(report["path"]).parent == tmp_path / "out"
    assert not (fresh / ".dragoman").exists()


def test_the_indexes_are_listed_and_checked(dragoman: Dragoman, fresh: Path) -> None:
    assert "dragoman build" in dragoman("index", "list", "--project", fresh).out
    report = dragoman("build", "--project", fresh, "--json").json
    assert report["id"] in dragoman("index", "list", "--project", fresh).out
    checked = dragoman("index", "check", "--project", fresh, "--json").json
    assert (checked["id"], checked["ok"]) == (report["id"], True)
    assert dragoman("index", "check", report["id"], "--project", fresh).code == 0
    for unknown in ("nope", "../elsewhere", "."):
        assert dragoman("index", "check", unknown, "--project", fresh).code == 2


def test_a_damaged_index_is_found(dragoman: Dragoman, fresh: Path) -> None:
    place = Path(dragoman("build", "--project", fresh, "--json").json["path"])
    part = max((p for p in place.iterdir() if p.name != "manifest.json"), key=lambda p: p.stat().st_size)
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    ran = dragoman("index", "check", "--project", fresh)
    assert ran.code == 2
    assert part.name in ran.err
    part.write_bytes(data[:-1])
    asked = dragoman("ask", "niersteen", "--project", fresh)
    assert asked.code == 2
    assert "dragoman build" in asked.err


def test_doctor_says_what_to_do(dragoman: Dragoman, fresh: Path) -> None:
    before = dragoman("doctor", "--project", fresh)
    assert before.code == 2
    assert f"dragoman build --project {fresh}" in before.out.replace("\n", "")
    assert dragoman("build", "--project", fresh).code == 0
    after = dragoman("doctor", "--project", fresh, "--json")
    assert after.code == 0
    assert {f["status"] for f in after.json["findings"]} == {"ok"}
    (fresh / "taxonomy" / "relations.csv").unlink()
    terms = fresh / "terminology" / "terms.csv"
    terms.write_text(terms.read_text("utf-8") + "e-9,iets,nl,preferred,1\n", "utf-8")
    findings = dragoman("doctor", "--project", fresh, "--json").json["findings"]
    assert [f["status"] for f in findings if "relations.csv" in f["what"]] == ["wrong"]
    assert [f["advice"] for f in findings if "changed" in f["what"]] == ["run `dragoman build`"]


def test_doctor_says_where_the_text_goes(dragoman: Dragoman, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    assert dragoman("build", "--project", fresh).code == 0
    file = fresh / "dragoman.toml"
    llm = '\n[llm]\nprovider = "openai"\nmodel = "m"\nbase_url = "http://localhost:1/v1"\napi_key_env = "SOME_KEY"\n'
    file.write_text(file.read_text("utf-8") + llm, "utf-8")
    ran = dragoman("doctor", "--project", fresh)
    assert ran.code == 2
    assert "SOME_KEY" in ran.out
    monkeypatch.setenv("SOME_KEY", "secret")
    ran = dragoman("doctor", "--project", fresh)
    assert ran.code == 3  # nobody listens there
    assert "http://localhost:1/v1" in ran.out
    assert "the person's message" in ran.out
    assert "secret" not in ran.out


def test_doctor_asks_whether_the_schema_is_enforced(dragoman: Dragoman, fresh: Path) -> None:
    pytest.importorskip("openai", reason="the extra llm is not installed")
    from dragoman.models.probe import ALLOWED, ASKED
    from dragoman.testing import FakeProvider

    assert dragoman("build", "--project", fresh).code == 0
    file = fresh / "dragoman.toml"
    with FakeProvider() as fake:
        llm = f'\n[llm]\nprovider = "openai"\nmodel = "m"\nbase_url = "{fake.base_url}"\n'
        file.write_text(file.read_text("utf-8") + llm, "utf-8")
        for word, says in ((ALLOWED, "holds the model to the schema"), (ASKED, "does not hold the model")):
            fake.reply({"word": word})
            ran = dragoman("doctor", "--project", fresh)
            assert ran.code == 0
            assert says in " ".join(ran.out.split())


def test_doctor_of_a_missing_project(dragoman: Dragoman, tmp_path: Path) -> None:
    ran = dragoman("doctor", "--project", tmp_path / "none.toml", "--json")
    assert ran.code == 2
    (finding,) = ran.json["findings"]
    assert "dragoman init" in finding["advice"]
