"""Synthetic data: the same each time, of the size asked for, readable as a project."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.bench import generate
from dragoman.project import load


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_the_same_data_each_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        generate.hospital(tmp_path / name, 1_000)
    files = [p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file()]
    assert len(files) == 4
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)


def test_a_hospital_has_the_size_asked_for(tmp_path: Path) -> None:
    sample, fillers = generate.hospital(tmp_path, 3_000)
    terms = rows(tmp_path / "terminology" / "terms.csv")
    assert len({t["term"] for t in terms}) == 3_000
    assert len(rows(tmp_path / "terminology" / "relations.csv")) == generate.relations(3_000)
    assert 15 < sum(len(t["term"]) for t in terms) / len(terms) < 60
    assert set(sample) <= {t["term"] for t in terms}
    assert fillers
    concepts = {t["concept_id"] for t in terms}
    assert {c["concept_ids"] for c in rows(tmp_path / "entities.csv")} <= concepts


def test_a_formulary_has_as_many_names_as_the_design_names(tmp_path: Path) -> None:
    names, fillers = generate.formulary(tmp_path)
    assert len(names) == generate.ALIASES
    assert set(names.values()) <= {d["drug_id"] for d in rows(tmp_path / "drugs.csv")}
    assert len(rows(tmp_path / "drugs.csv")) + len(rows(tmp_path / "aliases.csv")) == generate.ALIASES
    assert fillers


@pytest.mark.parametrize("profile", ["hospital", "formulary"])
def test_the_project_file_loads(tmp_path: Path, profile: str) -> None:
    generate.hospital(tmp_path, 1_000) if profile == "hospital" else generate.formulary(tmp_path)
    assert load(tmp_path).profile.name == profile


@given(st.integers(), st.text("abcdefgh", min_size=5, max_size=12))
def test_a_typing_error_keeps_the_first_letter_and_changes_little(seed: int, word: str) -> None:
    wrong = generate.typo(random.Random(seed), word)
    assert wrong[0] == word[0]
    assert abs(len(wrong) - len(word)) <= 1


def test_a_question_can_have_a_fixed_length() -> None:
    asked = generate.questions(random.Random(1), ["naam", "twee namen"], ["da"], 2, length=12)
    assert [len(text.split()) for text in asked] == [12, 12]


def test_questions_are_all_different_and_hold_their_name() -> None:
    names = [f"naam{n}" for n in range(50)]
    asked = generate.questions(random.Random(1), names, ["da", "ven"], 50)
    assert len(set(asked)) == 50
    assert all(any(n in text.split() for n in names) for text in asked)
    assert all(3 <= len(text.split()) <= 15 for text in asked)
