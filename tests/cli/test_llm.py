from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Dragoman


@pytest.fixture
def turns(tmp_path: Path) -> Path:
    path = tmp_path / "turns.jsonl"
    lines = [
        {"id": "a", "text": "paracetamol liều bao nhiêu?"},
        {"id": "b", "turn": {"text": "chó nhà tôi bị sốt, bác sĩ thú y cho uống paracetamol liều bao nhiêu?"}},
        {"text": "chống chỉ định của ibuprofen"},
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    return path


def test_there_and_back(dragoman: Dragoman, formulary: Path, turns: Path, tmp_path: Path) -> None:
    requests, answers, frames = (tmp_path / f"{n}.jsonl" for n in ("requests", "answers", "frames"))
    ran = dragoman("llm", "export", turns, requests, "--project", formulary, "--model", "m", "--json")
    assert ran.code == 0
    assert (ran.json["turns"], ran.json["written"], ran.json["no_call"]) == (3, 2, 1)
    ids = [json.loads(line)["custom_id"] for line in requests.read_text("utf-8").splitlines()]
    reply = {"turn_type": "drug_attribute", "attribute": "lieu_luong", "drugs": [], "needs_clarify": False}
    answers.write_text(json.dumps({"custom_id": ids[0], "reply": reply}) + "\nnot json\n", "utf-8")
    ran = dragoman("llm", "import", turns, answers, frames, "--project", formulary)
    assert ran.code == 1
    assert "answers.jsonl:2: is not JSON" in ran.err
    assert "turns.jsonl:3: has no answer" in ran.err
    assert ran.out == ""
    written = [json.loads(line) for line in frames.read_text("utf-8").splitlines()]
    assert [line["custom_id"] for line in written] == ["a", "b"]
    assert written[0]["frame"]["understood_by"] == "model"
    answers.write_text(json.dumps({"custom_id": ids[1], "reply": reply}) + "\n", "utf-8")
    ran = dragoman("llm", "import", turns, answers, frames, "--project", formulary, "--json")
    assert ran.code == 0
    assert (ran.json["already"], ran.json["written"]) == (2, 1)


def test_no_model_to_write_for(dragoman: Dragoman, formulary: Path, turns: Path, tmp_path: Path) -> None:
    ran = dragoman("llm", "export", turns, tmp_path / "out.jsonl", "--project", formulary)
    assert ran.code == 2
    assert "--model" in ran.err


def test_no_such_file(dragoman: Dragoman, formulary: Path, tmp_path: Path) -> None:
    ran = dragoman("llm", "export", tmp_path / "none", tmp_path / "out", "--project", formulary, "--model", "m")
    assert ran.code == 2
    assert "none" in ran.err
