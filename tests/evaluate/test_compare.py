"""Paired comparison by case id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.errors import DataError
from dragoman.evaluate.cases import Case
from dragoman.evaluate.compare import ablate, compare, load_earlier, outcome
from dragoman.evaluate.golden import Result


def result(id: str, passed: bool, skipped: bool = False) -> Result:
    plain: dict[str, Any] = {"id": id, "turn": {"text": "x"}, "expect": {"text": "x"}}
    return Result(case=msgspec.convert(plain, Case), passed=passed, skipped=skipped)


def test_lost_and_won_are_told_apart() -> None:
    before = {"a": True, "b": True, "c": False, "d": False, "gone": True}
    after = {"a": True, "b": False, "c": True, "d": False, "new": False}
    found = compare(before, after)
    assert (found.paired, found.before, found.after) == (4, 2, 2)
    assert (found.lost, found.won, found.gone, found.new) == (("b",), ("c",), ("gone",), ("new",))
    assert found.p == 1.0


def test_an_earlier_run_is_what_json_printed(tmp_path: Path) -> None:
    path = tmp_path / "earlier.json"
    rows = [result("a", True).row(), result("b", False).row(), result("c", False, skipped=True).row()]
    path.write_text(json.dumps({"cases": rows, "rates": {"all": {}}}))
    assert load_earlier(path) == {"a": True, "b": False}


@pytest.mark.parametrize("content", [b"", b"[]", b'{"cases": [{"id": 1}]}', b"\xff"])
def test_anything_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "earlier.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match="no result of an earlier run"):
        load_earlier(path)


def test_a_missing_earlier_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        load_earlier(tmp_path / "none.json")


def test_each_layer_is_switched_off_alone() -> None:
    base = [result("a", True), result("b", True), result("s", False, skipped=True)]
    found = ablate(base, ("near", "words"), lambda name: [result("a", name == "words"), result("b", True)])
    assert found["near"].lost == ("a",)
    assert found["words"].lost == ()
    assert outcome(base) == {"a": True, "b": True}
