"""What a command meets that is no question of its own: closed streams, full disks, bad usage, absurd input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman import Dragoman, Turn
from dragoman.errors import DataError

COMMAND = f"{sys.executable} -m dragoman"


def run(line: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload, no-any-return]


def test_a_turn_nested_absurdly_deep_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / "turn.json"
    deep.write_text('{"text": "hoi", "prior_frame": ' + '{"a":' * 100_000 + "1" + "}" * 100_000 + "}")
    ran = run(f"{COMMAND} ask --project demo-hospital --turn {deep} --json")
    assert ran.returncode == 2
    assert "nested too deep" in json.loads(ran.stdout)["error"]["what"]
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("line", ["ask hoi --json --nonsense", "nothing --json"])
def test_bad_usage_is_a_document_too(line: str) -> None:
    ran = run(f"{COMMAND} {line}")
    assert ran.returncode == 2
    assert json.loads(ran.stdout)["error"]["what"]
    assert ran.stderr.startswith("error: ")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")  # noqa: PTH110
def test_a_full_disk_is_told() -> None:
    ran = run(f"{COMMAND} ask hoi --project demo-hospital --json > /dev/full")
    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr
    assert "free some space" in ran.stderr


@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-"])
def test_closed_streams(closed: str) -> None:
    ran = run(f"{COMMAND} ask hoi --project demo-hospital {closed}")
    assert ran.returncode == 0
    assert "Traceback" not in ran.stderr


def test_a_closed_stdin_holds_no_text() -> None:
    ran = run(f"{COMMAND} ask - --project demo-hospital --json <&-")
    assert "Traceback" not in ran.stderr
    assert json.loads(ran.stdout)


def test_an_index_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = run(f"{COMMAND} build --project demo-hospital --out {tmp_path}/file/a/b --json")
    assert ran.returncode == 2
    assert "cannot be written" in json.loads(ran.stdout)["error"]["what"]


def test_half_a_surrogate_pair_is_refused_without_the_text() -> None:
    engine = Dragoman.demo("hospital")
    with pytest.raises(DataError) as refused:
        engine.ask(Turn("hypo\ud800 geheim"))
    assert "geheim" not in str(refused.value)
    assert refused.value.__cause__ is None
