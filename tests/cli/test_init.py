"""``init``: a project that builds and passes its own golden questions, in every language it is offered in."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Dragoman

from dragoman.folder import PACKAGE
from dragoman.project import load
from dragoman.readers import READERS

EXAMPLES = sorted((p.parent.parent.name, p.parent.name) for p in PACKAGE.glob("templates/*/*/golden.jsonl"))


def test_there_are_examples_for_both_profiles_in_four_languages() -> None:
    assert len(EXAMPLES) == 8


@pytest.mark.parametrize(("profile", "language"), EXAMPLES)
def test_the_example_builds_and_passes_its_own_questions(
    dragoman: Dragoman, made: Callable[[str, str], Path], profile: str, language: str
) -> None:
    folder = made(profile, language)
    ran = dragoman("eval", "--project", folder, "--min", "1")
    assert ran.code == 0, ran.out


def test_the_project_file_is_commented_and_says_what_was_asked(dragoman: Dragoman, tmp_path: Path) -> None:
    folder = tmp_path / 'a "b" \\ c'
    assert dragoman("init", folder, "--profile", "hospital", "--language", "nl").code == 0
    text = (folder / "dragoman.toml").read_text("utf-8")
    assert "# " in text
    assert tomllib.loads(text)["project"]["name"] == folder.name
    loaded = load(folder)
    assert (loaded.profile.name, loaded.corpus_language) == ("hospital", "nl")


def test_it_lists_what_it_wrote_and_says_what_is_next(dragoman: Dragoman, tmp_path: Path) -> None:
    ran = dragoman("init", tmp_path / "x", "--profile", "formulary", "--language", "vi")
    assert all(Path(line).is_file() for line in ran.out.splitlines())
    assert "dragoman build --project" in ran.err
    again = dragoman("init", tmp_path / "y", "--json")
    assert "golden.jsonl" in again.json["files"]


def test_nothing_is_written_over(dragoman: Dragoman, tmp_path: Path) -> None:
    (tmp_path / "golden.jsonl").write_text("mine")
    ran = dragoman("init", tmp_path)
    assert ran.code == 2
    assert "--force" in ran.err
    assert [p.name for p in tmp_path.iterdir()] == ["golden.jsonl"]
    assert (tmp_path / "golden.jsonl").read_text() == "mine"
    assert dragoman("init", tmp_path, "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "says"), [(("--profile", "zoo"), "no profile 'zoo'"), (("--language", "xx"), "no language pack 'xx'")]
)
def test_what_there_is_is_named(dragoman: Dragoman, tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    ran = dragoman("init", tmp_path / "x", *arguments)
    assert ran.code == 2
    assert says in ran.err
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("profile", ["hospital", "formulary"])
def test_the_comment_names_every_format(profile: str) -> None:
    text = (PACKAGE / "templates" / profile / "dragoman.toml").read_text("utf-8")
    comment = " ".join(line for line in text.splitlines() if line.startswith("#"))
    assert [name for name in READERS if f" {name}" not in comment] == []
