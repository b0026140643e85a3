"""Golden packs: the two demos', and seven that were written without sight of the rules.

The demos' hold whole. Of the others a few hard cases are open, and the rates that were reached must not fall.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.engine import Dragoman
from dragoman.evaluate import cases, golden
from dragoman.index.build import build
from dragoman.project import load

PACKS = Path(__file__).parent / "packs"
DEMOS = Path(golden.__file__).parents[1] / "demo"


def failures(engine: Dragoman, path: Path) -> tuple[list[str], int]:
    results = golden.run(engine, cases.load(path))
    return [f"{r.case.id}: {'; '.join(r.why)}" for r in results if r.failed], len(results)


@pytest.mark.parametrize("name", ["formulary", "hospital"])
def test_the_demos_golden_questions_hold(name: str) -> None:
    failed, _ = failures(Dragoman.demo(name), DEMOS / name / "golden.jsonl")
    assert failed == []


@pytest.fixture(
    scope="module",
    params=[
        ("pharmacy", 0.98),
        ("corner", 0.98),
        ("dispensary", 0.98),
        ("clinic", 0.95),
        ("counter", 0.99),
        ("ward", 0.99),
        ("infirmary", 0.98),
    ],
    ids=lambda p: p[0],
)
def pack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, float, Dragoman]:
    name, least = request.param
    home = tmp_path_factory.mktemp(name)
    project = PACKS / name / "dragoman.toml"
    build(load(project), out=home)
    return name, least, Dragoman.open(project, index=home)


def test_packs_written_without_sight_of_the_rules(pack: tuple[str, float, Dragoman]) -> None:
    name, least, engine = pack
    failed, count = failures(engine, PACKS / name / "golden.jsonl")
    assert len(failed) <= (1 - least) * count, "\n".join(failed)
