"""Builds apart: what the other process says becomes a value or an error, and one waits for the next build."""

from __future__ import annotations

import io
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.index import project as small

from dragoman.cli import ready
from dragoman.errors import DragomanError
from dragoman.index import store
from dragoman.rebuild import Apart, rebuild_apart


def test_what_another_process_says_of_its_build(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    assert rebuild_apart(project) == store.current_name(project.index)
    with store.lock(project.index), pytest.raises(DragomanError, match="another build") as busy:
        rebuild_apart(project)
    assert busy.value.retry
    (tmp_path / "drugs.csv").write_text("drug_id,name\n")
    with pytest.raises(DragomanError, match="no active drug") as bad:
        rebuild_apart(project)
    assert not bad.value.retry
    assert bad.value.where.endswith("drugs.csv")


def test_a_process_waits_for_the_next_build(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    apart = Apart()
    try:
        first = apart(project)
        waiting = apart._spare
        assert waiting is not None
        (tmp_path / "drugs.csv").write_text((tmp_path / "drugs.csv").read_text() + "another,Another\n")
        second = apart(project)
        assert (waiting.returncode, second) == (0, store.current_name(project.index))
        assert second != first
        spare = apart._spare
        assert spare is not None
        os.kill(spare.pid, signal.SIGKILL)
        spare.wait()
        assert apart(project) == second  # in a fresh one
        last = apart._spare
        assert last is not None
    finally:
        apart.close()
    assert last.returncode == 0
    apart.close()  # nothing more


def test_an_error_leaves_a_process_waiting_as_well(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    (tmp_path / "drugs.csv").write_text("drug_id,name\n")
    apart = Apart()
    try:
        for _ in range(2):
            with pytest.raises(DragomanError, match="no active drug"):
                apart(project)
    finally:
        apart.close()


@pytest.mark.parametrize(("told", "code"), [(b"", 0), (b"\n", 2)])
def test_a_command_line_that_is_ready_works_only_when_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, told: bytes, code: int
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(told)))
    assert ready.wait(["build", "--json", "--project", str(tmp_path / "none.toml")]) == code
    assert ("none.toml" in capsys.readouterr().out) == bool(told)
