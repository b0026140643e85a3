"""``safety-pack`` on a small project, and on one in which something is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Dragoman


def test_a_sound_project(dragoman: Dragoman, made: Callable[[str, str], Path], tmp_path: Path) -> None:
    folder = made("formulary", "vi")
    ran = dragoman("safety-pack", tmp_path / "pack", "--project", folder)
    assert ran.code == 0, ran.err
    assert "as written" in ran.out
    assert sorted(p.name for p in (tmp_path / "pack").iterdir()) == [
        "safety-pack.html",
        "safety-pack.json",
        "safety-pack.md",
    ]
    pack = json.loads((tmp_path / "pack" / "safety-pack.json").read_text("utf-8"))
    assert pack["drugs"] == 4
    assert {kind["kind"]: len(kind["wrong"]) for kind in pack["asked"]} == dict.fromkeys(
        ("as written", "in capitals", "with a slip of the pen", "made another name", "known elsewhere"), 0
    )
    assert [case["category"] for case in pack["cases"]] == ["unknown_drug"]
    assert pack["problems"] == []


def test_a_failing_must_not_question_keeps_it_from_being_signed(
    dragoman: Dragoman, made: Callable[[str, str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made("formulary", "vi")
    capsys.readouterr()  # what making it printed
    golden = tmp_path / "golden.jsonl"
    case = {"id": "x", "category": "must_not", "turn": {"text": "Panadol"}, "expect": {"frame": {"drugs": []}}}
    golden.write_text(json.dumps(case) + "\n")
    ran = dragoman("safety-pack", tmp_path, "--golden", golden, "--project", folder, "--json")
    assert ran.code == 1
    assert ran.json["problems"] == ["golden questions of safety categories fail: x"]
    assert "safety categories fail: x" in ran.err


def test_an_earlier_report_is_not_written_over_unless_told(
    dragoman: Dragoman, made: Callable[[str, str], Path], tmp_path: Path
) -> None:
    folder = made("formulary", "vi")
    (tmp_path / "safety-pack.html").write_text("signed")
    ran = dragoman("safety-pack", tmp_path, "--project", folder)
    assert ran.code == 2
    assert "safety-pack.html already" in ran.err
    assert "--force" in ran.err
    assert [p.name for p in tmp_path.iterdir()] == ["safety-pack.html"]
    assert (tmp_path / "safety-pack.html").read_text() == "signed"
    assert dragoman("safety-pack", tmp_path, "--project", folder, "--force").code == 0
    assert (tmp_path / "safety-pack.html").read_text("utf-8") != "signed"


def test_a_project_without_drugs_has_none(dragoman: Dragoman, made: Callable[[str, str], Path], tmp_path: Path) -> None:
    ran = dragoman("safety-pack", tmp_path / "p", "--project", made("hospital", "nl"))
    assert ran.code == 2
    assert "no catalogue" in ran.err
    assert not (tmp_path / "p").exists()
