"""``eval``: documents, thresholds, ablations, comparison, report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Dragoman

RIGHT = {"expansions": {"include": ["Nierstenen"]}}
WRONG = {"expansions": {"exclude": ["Nierstenen"]}}


def golden(folder: Path, *cases: dict[str, Any]) -> Path:
    path = folder / "cases.jsonl"
    rows = [{"id": f"c{n}", "language": "nl", "category": "lay", "turn": {"text": "nefrolithiase"}} | c
            for n, c in enumerate(cases)]  # fmt: skip
    path.write_text("\n".join(json.dumps(r) for r in rows))
    return path


def test_the_document_of_the_contract(dragoman: Dragoman, hospital: Path, tmp_path: Path) -> None:
    path = golden(tmp_path, {"expect": RIGHT}, {"expect": WRONG}, {"expect": RIGHT, "needs": "llm"})
    ran = dragoman("eval", path, "--project", hospital, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["cases"] == [
        {"id": "c0", "category": "lay", "language": "nl", "passed": True, "skipped": False, "why": None},
        {"id": "c1", "category": "lay", "language": "nl", "passed": False, "skipped": False,
         "why": 'expansions: must not have ["Nierstenen"]'},
        {"id": "c2", "category": "lay", "language": "nl", "passed": False, "skipped": True, "why": "needs a model"},
    ]  # fmt: skip
    rate = ran.json["rates"]["categories"]["lay"]
    assert (rate["passed"], rate["total"], rate["skipped"]) == (1, 2, 1)


@pytest.mark.parametrize(
    ("cases", "options", "code", "says"),
    [
        ([{"expect": RIGHT}, {"expect": WRONG}], (), 0, ""),
        ([{"expect": RIGHT}, {"expect": WRONG}], ("--min", "0.5"), 0, ""),
        ([{"expect": RIGHT}, {"expect": WRONG}], ("--min", "0.6"), 1, "at least 60.0%"),
        ([{"expect": WRONG, "category": "scope"}], (), 1, "safety category scope"),
        ([{"expect": WRONG, "category": "scope"}], ("--safety", "none"), 0, ""),
        ([{"expect": WRONG}], ("--safety", "lay"), 1, "safety category lay"),
        ([{"expect": WRONG, "known_failure": "later"}], (), 0, ""),
        ([{"expect": RIGHT, "known_failure": "later"}], (), 1, "yet they hold"),
        ([{"expect": RIGHT}], ("--min", "2"), 2, "from 0 to 1"),
        ([{"expect": {}}], (), 2, "cases.jsonl:1: "),
        ([{"expect": RIGHT}], ("--without", "nonsense"), 2, "nonsense"),
    ],
)
def test_exit_codes(
    dragoman: Dragoman, hospital: Path, tmp_path: Path, cases: list[Any], options: Any, code: int, says: str
) -> None:
    ran = dragoman("eval", golden(tmp_path, *cases), "--project", hospital, *options)
    assert ran.code == code
    assert says in (ran.out if code < 2 else ran.err)


def test_faults_and_replies(dragoman: Dragoman, hospital: Path, tmp_path: Path) -> None:
    path = golden(
        tmp_path,
        {"fault": "timeout", "expect": {"frame": {"system_error": "understanding_provider_unavailable"}}},
        {"fault": "refusal", "expect": {"frame": {"system_error": "understanding_refused"}}},
        {"reply": "no json", "expect": {"frame": {"system_error": "understanding_malformed_output"}}},
        {"reply": {"turn_type": "condition_info"}, "expect": {"frame": {"understood_by": "model"}}},
    )
    ran = dragoman("eval", path, "--project", hospital, "--min", "1")
    assert ran.code == 0, ran.out


def test_ablations_compare_each_name_alone_with_the_whole(dragoman: Dragoman, hospital: Path, tmp_path: Path) -> None:
    path = golden(tmp_path, {"expect": RIGHT}, {"expect": {"text": "nefrolithiase (Nierstenen)"}})
    found = dragoman("eval", path, "-p", hospital, "--without", "terminology", "--without", "words", "--json").json
    assert found["without"] == ["terminology", "words"]
    assert found["ablations"]["terminology"]["lost"] == ["c0", "c1"]
    assert found["ablations"]["words"]["lost"] == []
    assert found["rates"]["all"]["passed"] == 0
    shown = dragoman("eval", path, "-p", hospital, "--without", "terminology")
    assert "Switched off, each alone" in shown.out


def test_against_an_earlier_run_new_failures_come_first(dragoman: Dragoman, hospital: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.json"
    earlier.write_text(dragoman("eval", golden(tmp_path, {"expect": RIGHT}), "-p", hospital, "--json").out)
    path = golden(tmp_path, {"expect": WRONG}, {"expect": RIGHT})
    found = dragoman("eval", path, "-p", hospital, "--against", earlier, "--json").json["against"]
    assert (found["lost"], found["won"], found["new"], found["p"]) == (["c0"], [], ["c1"], 1.0)
    shown = dragoman("eval", path, "-p", hospital, "--against", earlier).out
    assert shown.index("newly failing: c0") < shown.index("category")


def test_the_report_is_written(dragoman: Dragoman, hospital: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    ran = dragoman("eval", golden(tmp_path, {"expect": WRONG}), "-p", hospital, "--report", page, "--json")
    assert ran.json["cases"]
    assert "must not have" in page.read_text("utf-8")
    assert dragoman("eval", "-p", hospital, "--report", tmp_path / "no" / "where.html").code == 2


def test_the_projects_own_questions_are_the_default(dragoman: Dragoman, hospital: Path) -> None:
    assert len(dragoman("eval", "--project", hospital, "--json").json["cases"]) == 4
