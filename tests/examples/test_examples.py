"""The examples do what they say: projects build and pass their questions, programs run, the notebook is current."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from dragoman.engine import Dragoman
from dragoman.evaluate import cases, golden
from dragoman.evaluate.gate import gate
from dragoman.folder import language
from dragoman.index.build import build
from dragoman.profile import CueFile, book, labels, read
from dragoman.project import load

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PROJECTS = sorted(p.parent.name for p in EXAMPLES.glob("*/dragoman.toml"))


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_example_is_listed() -> None:
    listed = set(re.findall(r"\[`([\w-]+)`\]", (EXAMPLES / "README.md").read_text("utf-8")))
    assert listed == {p.name for p in EXAMPLES.iterdir() if p.is_dir() and p.name != "__pycache__"}


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project_builds_and_passes_its_golden_questions(name: str, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / name, tmp_path / name, ignore=shutil.ignore_patterns(".dragoman"))
    build(load(tmp_path / name), gate=gate)
    engine = Dragoman.open(tmp_path / name / "dragoman.toml")
    results = golden.run(engine, cases.load(tmp_path / name / "golden.jsonl"))
    assert len(results) >= 9
    assert [f"{r.case.id}: {'; '.join(r.why)}" for r in results if r.failed] == []


def test_a_profile_of_ones_own_is_whole_in_each_of_its_languages() -> None:
    project = load(EXAMPLES / "pharmacy-shop")
    closed = read(project.profile).closed()
    for code in ("de", "en"):
        assert project.profile.table(f"cues.{code}.toml", CueFile).cue
        assert book(project.profile, language(code)).file.cue
        assert {f: set(keys) for f, keys in labels(project.profile, code).items()} == {
            f: set(keys) for f, keys in closed.items() if keys
        }


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Ik heb last van hypothyreoïdie", "te-traag-werkende-schildklier"),
        ("Mag mijn hond paracetamol?", "These pages are about people."),
    ],
)
def test_the_retrieval_app_answers(question: str, says: str) -> None:
    path = EXAMPLES / "rag" / "app.py"
    assert says in module(path).main(question)
    assert len(path.read_text("utf-8").splitlines()) <= 60


def test_the_notebook_is_what_its_script_does() -> None:
    render = module(ROOT / "scripts" / "render_notebook.py")
    script = EXAMPLES / "notebook" / "first_look.py"
    assert script.with_suffix(".ipynb").read_text("utf-8") == render.rendered(script)
