"""The command line in this process, and a small project to run it on."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from dragoman.cli import main


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as the one document that it must be."""
        assert self.out.endswith("\n")
        return msgspec.json.decode(self.out)


Dragoman = Callable[..., Ran]


@pytest.fixture
def dragoman(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Dragoman:
    """Run ``dragoman`` with these arguments; ``stdin`` is bytes."""

    def run(*arguments: object, stdin: bytes = b"") -> Ran:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            code = main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """A project as ``dragoman init`` writes it and ``dragoman build`` builds it, once for each profile and language."""
    base = tmp_path_factory.mktemp("projects")

    def make(profile: str, language: str) -> Path:
        folder = base / f"{profile}-{language}"
        if not folder.exists():
            assert main(["init", str(folder), "--profile", profile, "--language", language]) == 0
            assert main(["build", "--project", str(folder)]) == 0
        return folder

    return make


@pytest.fixture
def hospital(made: Callable[[str, str], Path], capsys: pytest.CaptureFixture[str]) -> Path:
    """A built Dutch hospital."""
    folder = made("hospital", "nl")
    capsys.readouterr()
    return folder


@pytest.fixture
def formulary(made: Callable[[str, str], Path], capsys: pytest.CaptureFixture[str]) -> Path:
    """A built Vietnamese formulary."""
    folder = made("formulary", "vi")
    capsys.readouterr()
    return folder
