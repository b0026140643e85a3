"""What holds for every command: help, usage, errors, pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Dragoman

import dragoman as package
from dragoman.cli.app import typer_app

COMMANDS = [c.name or c.callback.__name__ for c in typer_app.registered_commands if c.callback]
DATA_COMMANDS = [
    ("ask", "keelpijn"),
    ("resolve", "keelpijn"),
    ("enrich", "keelpijn"),
    ("lookup", "keelpijn"),
    ("build",),
    ("eval", "golden.jsonl"),
    ("index", "list"),
    ("index", "check"),
]


def test_the_version(dragoman: Dragoman) -> None:
    assert dragoman("--version").out == f"dragoman {package.__version__}\n"
    assert dragoman("--version", "demo").out == f"dragoman {package.__version__}\n"


def test_the_commands_of_the_contract_that_are_there() -> None:
    there = {"demo", "init", "build", "ask", "resolve", "enrich", "lookup", "eval", "bench", "doctor"}
    assert there <= set(COMMANDS)


@pytest.mark.parametrize("command", [*COMMANDS, "index list", "index check"])
def test_every_command_has_help_with_examples_and_json(dragoman: Dragoman, command: str) -> None:
    shown = dragoman(*command.split(), "--help")
    assert shown.code == 0
    assert f"$ dragoman {command}" in shown.out
    assert "--json" in shown.out or command == "mcp"  # what that one prints is the protocol's
    assert shown.err == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("asl", "x"), "No such command 'asl'"),
        (("ask", "--jsn", "x"), "No such option"),
        (("ask", "een", "twee"), "unexpected extra argument"),
        (("lookup",), "Missing argument 'TERM_OR_ID'"),
        (("bench", "--size", "3"), "--size"),
        (("ask",), "there is no text; give TEXT (in quotes)"),
        (("ask", "x", "--turn", "y"), "both a text and --turn"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(dragoman: Dragoman, arguments: tuple[str, ...], says: str) -> None:
    ran = dragoman(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    assert says in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("command", DATA_COMMANDS)
def test_a_missing_project_names_the_next_command(
    dragoman: Dragoman, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = dragoman(*command)
    assert (ran.code, ran.out) == (2, "")
    assert "dragoman.toml" in ran.err
    assert "dragoman init" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", DATA_COMMANDS)
def test_an_error_is_a_document_too_where_json_is_asked_for(
    dragoman: Dragoman, command: tuple[str, ...], tmp_path: Path
) -> None:
    ran = dragoman(*command, "--project", tmp_path / "none.toml", "--json")
    assert ran.code == 2
    assert ran.json["error"]["kind"] == "ConfigError"
    assert ran.json["error"]["where"].endswith("none.toml")
    assert ran.err.startswith("error: ")


@pytest.mark.parametrize("command", [c for c in DATA_COMMANDS if c[0] not in ("build",) and c[-1] != "list"])
def test_an_index_that_was_not_built_says_so(dragoman: Dragoman, command: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "fresh"
    assert dragoman("init", folder, "--language", "nl").code == 0
    ran = dragoman(*command, "--project", folder)
    assert ran.code == 2
    assert "dragoman build" in ran.err


def test_json_after_two_dashes_is_text(dragoman: Dragoman, tmp_path: Path) -> None:
    assert dragoman("ask", "--project", tmp_path, "--", "--json").out == ""


@pytest.mark.skipif(os.name != "posix", reason="pipes of a POSIX shell")
def test_a_reader_that_goes_away_is_no_error() -> None:
    shell = f"{sys.executable} -m dragoman --help | head -n 1; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    assert ran.stdout.splitlines()[-1] == "0"


def test_no_colour_where_none_is_wanted(dragoman: Dragoman, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in dragoman("--help").out


def test_the_command_line_starts_without_what_it_does_not_need() -> None:
    code = (
        "import sys; from dragoman.cli import main; main(['ask', '--help']);"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] in ('numpy', 'sqlite3', 'rapidfuzz', 'dragoman')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.splitlines()[-1].split())
    assert not {m for m in loaded if m.split(".")[0] != "dragoman"}
    assert not {"dragoman.engine", "dragoman.retrieve", "dragoman.bench.run"} & loaded


def test_the_shell_completes_commands_and_options() -> None:
    def offered(words: str, at: int) -> list[str]:
        env = {**os.environ, "_DRAGOMAN_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(at)}
        command = [sys.executable, "-m", "dragoman"]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split()

    assert offered("dragoman ev", 1) == ["eval", "eval-retrieval"]
    assert "--project" in offered("dragoman ask --pro", 2)


def test_a_person_who_stops_a_command_is_told_so(dragoman: Dragoman, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(given: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("dragoman.cli._run", stop)
    ran = dragoman("build")
    assert (ran.code, ran.out, ran.err) == (130, "", "stopped\n")
