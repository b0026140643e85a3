"""Texts and turns from arguments, files and stdin."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dragoman.cli.input import read_text, read_turn
from dragoman.cli.options import names
from dragoman.errors import ConfigError, DataError
from dragoman.types import Message, Turn


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_text_is_taken_as_it_is() -> None:
    assert read_turn("  tôi đau\n", None, "vi") == Turn("  tôi đau\n", language="vi")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("hypothyreoïdie\n".encode(), "hypothyreoïdie"),
        (b"een\r\n", "een"),
        (b"een\n\ntwee\n\n", "een\n\ntwee\n"),
        (b"\xef\xbb\xbfeen", "een"),
    ],
)
def test_stdin_gives_the_text_without_its_last_line_end(
    monkeypatch: pytest.MonkeyPatch, data: bytes, text: str
) -> None:
    stdin(monkeypatch, data)
    assert read_turn("-", None).text == text


def test_a_turn_from_a_file_or_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = {"text": "en nu?", "history": [{"role": "user", "text": "x"}], "prior_frame": {"drugs": ["a"]}}
    path = tmp_path / "turn.json"
    path.write_text(json.dumps(turn))
    expected = Turn("en nu?", history=(Message(role="user", text="x"),), prior_frame={"drugs": ["a"]})
    assert read_turn(None, str(path)) == expected
    stdin(monkeypatch, path.read_bytes())
    assert read_turn(None, "-").history == expected.history
    assert read_turn(None, str(path), "nl").language == "nl"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"text": 3}', "is no turn"),
        (b'{"txt": "x"}', "is no turn"),
        (b'{"text": "x", "extra": 1}', "unknown field `extra`"),
        (b'{"text"', "not JSON"),
        (b'{"text": "\xff"}', r"turn.json:1: is not UTF-8"),
        (b'{\n"text": "\xff"}', r"turn.json:2: is not UTF-8"),
    ],
)
def test_a_wrong_turn_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "turn.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=says):
        read_turn(None, str(path))


@pytest.mark.parametrize(("text", "turn"), [(None, None), ("x", "y")])
def test_exactly_one_of_text_and_turn(text: Any, turn: Any) -> None:
    with pytest.raises(ConfigError, match="give TEXT"):
        read_turn(text, turn)


@pytest.mark.parametrize("text", ["", " \n", "-"])
def test_no_text_is_an_error_and_no_turn(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    stdin(monkeypatch, b"\n")
    with pytest.raises(ConfigError) as caught:
        read_turn(text, None)
    assert ("stdin holds no text" if text == "-" else "the text is empty") in str(caught.value)
    assert "stdin" in str(caught.value.advice) or "pipe one in" in caught.value.advice


def test_bytes_that_are_no_text_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="not UTF-8"):
        read_turn(b"ke\xefl".decode("utf-8", "surrogateescape"), None)
    stdin(monkeypatch, b"ke\xefl")
    with pytest.raises(DataError, match="stdin:1: is not UTF-8"):
        read_turn("-", None)
    with pytest.raises(DataError, match="cannot be read"):
        read_text("/nowhere/at/all")


def test_names_may_be_repeated_or_separated_by_commas() -> None:
    assert names(None) == ()
    assert names(["near, words", "near", "", "translation"]) == ("near", "words", "translation")
