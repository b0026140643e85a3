"""Golden files: what loads, and that every fault is refused with its line and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import DataError
from dragoman.evaluate.cases import load


def write(folder: Path, *lines: Any) -> Path:
    path = folder / "golden.jsonl"
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x, ensure_ascii=False) for x in lines), "utf-8")
    return path


def case(**changes: Any) -> dict[str, Any]:
    return {"id": "a", "turn": {"text": "keelpijn"}, "expect": {"frame": {"turn_type": "condition_info"}}} | changes


def test_a_case_in_full_loads(tmp_path: Path) -> None:
    full = case(
        language="nl",
        category="terminology",
        turn={
            "text": "en bij 14 kg?",
            "history": [{"role": "user", "text": "bé 12 kg"}, {"role": "assistant", "text": "..."}],
            "prior_frame": {"weight_kg": 12},
            "subject_scope": "human",
        },
        reply={"turn_type": "dosing_calc"},
        fault=None,
        needs="llm",
        known_failure="not read yet",
        expect={
            "frame": {
                "weight_kg": 14,
                "condition": None,
                "patient_context": {"allergies": ["x"], "renal": {"value": 3}},
            },
            "candidates": {"include": ["x"], "exclude": ["y"]},
            "expansions": {"include": ["Keelpijn"], "exclude": [], "at_most": 3},
            "scope": {"subject": "human"},
            "text": "en bij 14 kg?",
        },
    )
    (loaded,) = load(write(tmp_path, full))
    assert loaded.turn.history[0].text == "bé 12 kg"
    assert loaded.expect.expansions.at_most == 3
    assert loaded.tongue == "nl"


def test_blank_lines_and_a_byte_order_mark_are_fine(tmp_path: Path) -> None:
    path = write(tmp_path, "", case(), "  ", case(id="b"), "")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert [c.id for c in load(path)] == ["a", "b"]


def test_a_line_separator_inside_a_text_does_not_split_the_line(tmp_path: Path) -> None:
    assert (
        load(write(tmp_path, case(turn={"text": "een\u2028twee\u0085drie"})))[0].turn.text == "een\u2028twee\u0085drie"
    )


def test_what_a_case_leaves_out_is_counted_under_its_own_name(tmp_path: Path) -> None:
    plain, spoken = load(write(tmp_path, case(), case(id="b", turn={"text": "x", "language": "vi"})))
    assert (plain.category, plain.tongue, spoken.tongue) == ("uncategorised", "und", "vi")


@pytest.mark.parametrize(
    ("line", "what", "advice"),
    [
        ("{", "no JSON object", "one case a line"),
        ("[]", "Expected `object`", "format"),
        (case(expect={}), "names nothing", "expect"),
        (case(expect={"frame": {}}), "names nothing", "expect"),
        (case(expect={"frame": {"patient_context": {}}}), "names nothing", "expect"),
        (case(expect={"candidates": {"include": []}, "expansions": {"exclude": []}}), "names nothing", "expect"),
        (case(known_failures="x"), "unknown field `known_failures`", "'known_failure'"),
        (case(expect={"candidate": {"include": ["x"]}}), "unknown field `candidate`", "'candidates'"),
        (case(expect={"expansions": {"atmost": 3}}), "unknown field `atmost`", "'at_most'"),
        (case(turn={"txt": "x"}), "", "'text'"),
        (case(expect={"frame": {"turntype": "x"}}), "expect.frame has no field 'turntype'", "'turn_type'"),
        (case(expect={"frame": {"entities": {"department": []}}}), "no field 'department'", "'departments'"),
        (case(expect={"frame": {"route": {"oral": 1}}}), "expect.frame.route is no object", ""),
        (case(expect={"scope": {"subjects": "human"}}), "no field 'subjects'", "'subject'"),
        (case(needs="luck"), "needs 'luck'", "llm"),
        (case(known_failure=" "), "without a reason", "why"),
        (case(reply="{}", fault="timeout"), "both a reply and a fault", ""),
        (case(id=""), "id is empty", ""),
        ({"id": "a", "turn": {"text": "x"}}, "required field `expect`", ""),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(tmp_path: Path, line: Any, what: str, advice: str) -> None:
    path = write(tmp_path, case(id="fine"), line)
    with pytest.raises(DataError) as refused:
        load(path)
    # an empty case still decodes; what is wrong with it is said in words
    assert refused.value.where == f"{path}:2"
    assert what.replace("no JSON object", "not a JSON object") in refused.value.what
    assert advice in refused.value.advice


def test_an_id_stands_once(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="stands in line 1 as well"):
        load(write(tmp_path, case(), case()))


def test_all_wrong_lines_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"golden.jsonl:1: .*1 more, in lines 3"):
        load(write(tmp_path, "{", case(), case(id="b", expect={})))


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_a_file_without_a_case_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match="no golden question"):
        load(path)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        load(tmp_path / "missing.jsonl")
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes(b'{"id": "\xef"}')
    with pytest.raises(DataError, match="not UTF-8"):
        load(latin)
