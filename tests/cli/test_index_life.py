"""The index from the command line: check, accept, golden questions, rollback, watch."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.cli.conftest import Dragoman
from tests.index import project as small

from dragoman.cli import watch
from dragoman.index import store

ASKS = '{"id": "g1", "category": "terminology", "language": "nl", "turn": {"text": "ik heb een zwelvoet"}, '
GOOD = ASKS + '"expect": {"expansions": {"include": ["Dikke voet"]}}}\n'
BAD = ASKS + '"expect": {"expansions": {"include": ["Warme hand"]}}}\n'
GOLDEN = '\n[build]\ngolden = "golden.jsonl"\n'


def test_golden_questions_guard_the_swap(dragoman: Dragoman, tmp_path: Path) -> None:
    project = small.write(tmp_path, GOLDEN)
    (tmp_path / "golden.jsonl").write_text(GOOD)
    report = dragoman("build", "-p", tmp_path, "--json").json
    assert report["rates"]["layer terminology"] == report["rates"]["passed"] == 1.0
    (tmp_path / "golden.jsonl").write_text(BAD)
    small.write(tmp_path, GOLDEN, terms=small.many_terms(3))
    ran = dragoman("build", "-p", tmp_path, "--accept")
    assert ran.code == 1
    assert "golden.jsonl" in ran.err
    assert "0 of 1" in ran.err
    assert store.at_hand(project.index) == [report["id"]]


def test_a_loss_is_exit_1_until_accepted(dragoman: Dragoman, tmp_path: Path) -> None:
    small.write(tmp_path, terms=small.many_terms(30))
    assert dragoman("build", "-p", tmp_path).code == 0
    small.write(tmp_path)
    ran = dragoman("build", "-p", tmp_path)
    assert ran.code == 1
    assert "terms fell from 35 to 5 (-86%)" in ran.err
    assert "--accept" in ran.err
    ran = dragoman("build", "-p", tmp_path, "--accept")
    assert ran.code == 0
    assert "terms fell from 35 to 5" in ran.out


def test_check_only_looks(dragoman: Dragoman, tmp_path: Path) -> None:
    project = small.write(tmp_path)
    ran = dragoman("build", "-p", tmp_path, "--check")
    assert ran.code == 0
    assert "not kept" in ran.out
    assert dragoman("build", "-p", tmp_path, "--check", "--json").json["path"] is None
    assert not project.index.exists()


def test_new_look_alikes_are_shown(dragoman: Dragoman, tmp_path: Path) -> None:
    small.write(tmp_path)
    dragoman("build", "-p", tmp_path)
    small.write(tmp_path, confusable=small.CONFUSABLE + "Zorbalin,Quentapol\n")
    out = dragoman("build", "-p", tmp_path).out
    assert "new look-alikes: 2" in out
    assert "r1 · r2" in out


def test_provenance_is_listed(dragoman: Dragoman, tmp_path: Path) -> None:
    small.write(tmp_path)
    assert "CC0-1.0" in dragoman("build", "-p", tmp_path).out
    (listed,) = dragoman("index", "list", "-p", tmp_path, "--json").json["indexes"]
    assert listed["sources"][0]["licence"] == "CC0-1.0"
    told = " ".join(dragoman("doctor", "-p", tmp_path).out.split())
    assert "source made: version unknown, licence CC0-1.0, 4 rows" in told


def test_rollback_goes_to_the_last_and_back(dragoman: Dragoman, tmp_path: Path) -> None:
    project = small.write(tmp_path)
    first = dragoman("build", "-p", tmp_path, "--json").json["id"]
    ran = dragoman("index", "rollback", "-p", tmp_path)
    assert ran.code == 2
    assert "no earlier index" in ran.err
    small.write(tmp_path, terms=small.many_terms(3))
    second = dragoman("build", "-p", tmp_path, "--json").json["id"]
    assert dragoman("index", "rollback", "-p", tmp_path, "--json").json["id"] == first
    assert store.at_hand(project.index) == [first, second]
    assert dragoman("index", "rollback", second, "-p", tmp_path).code == 0
    assert store.current_name(project.index) == second
    (project.index / first / "terms.text.blob").write_bytes(b"")
    ran = dragoman("index", "rollback", "-p", tmp_path)
    assert ran.code == 2
    assert "checksum" in ran.err
    assert store.current_name(project.index) == second
    assert dragoman("index", "rollback", "0123456789abcdef", "-p", tmp_path).code == 2


def test_a_damaged_generation_is_listed_as_such(dragoman: Dragoman, tmp_path: Path) -> None:
    small.write(tmp_path)
    report = dragoman("build", "-p", tmp_path, "--json").json
    (Path(report["path"]) / "manifest.json").write_text("{")
    (listed,) = dragoman("index", "list", "-p", tmp_path, "--json").json["indexes"]
    assert "damaged" in listed["unusable"]
    assert "unusable" in dragoman("index", "list", "-p", tmp_path).out


def test_watching_tells_what_changed(tmp_path: Path) -> None:
    small.write(tmp_path)
    changes = watch.changes(str(tmp_path), every_s=0.02)
    assert next(changes) == ""
    later = threading.Timer(0.1, lambda: (tmp_path / "drugs.csv").write_text(small.DRUGS + "r9,Vexamur\n"))
    later.start()
    assert next(changes) == "drugs.csv"
    later = threading.Timer(0.1, lambda: (tmp_path / "terms" / "terms.csv").unlink())
    later.start()
    assert next(changes) == "terms.csv"
    later.join()


def test_watch_builds_again_and_outlives_an_error(
    dragoman: Dragoman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = small.write(tmp_path)
    seen: list[str | None] = []

    def changes(name: str) -> object:
        yield ""
        seen.append(store.current_name(project.index))
        (tmp_path / "drugs.csv").write_text("wrong\n")
        yield "drugs.csv"
        seen.append(store.current_name(project.index))
        small.write(tmp_path, drugs=small.DRUGS + "r9,Vexamur\n")
        yield "drugs.csv"
        seen.append(store.current_name(project.index))

    monkeypatch.setattr(watch, "changes", changes)
    ran = dragoman("build", "-p", tmp_path, "--watch")
    assert "changed: drugs.csv" in ran.err
    assert "error: " in ran.err
    assert seen[0] == seen[1] != seen[2]


def test_watch_has_no_end_that_json_could_wait_for(dragoman: Dragoman, tmp_path: Path) -> None:
    small.write(tmp_path)
    assert dragoman("build", "-p", tmp_path, "--watch", "--json").code == 2
