"""Files of turns and of lines."""

from __future__ import annotations

import pytest

from dragoman.errors import DataError
from dragoman.gaps.turns import read


def texts(data: str | bytes, name: str) -> list[str]:
    lines = (data.encode() if isinstance(data, str) else data).splitlines(keepends=True)
    return [turn.text for _, turn in read(lines, name)]


def test_turns_golden_questions_and_strings() -> None:
    data = (
        '{"text": "een"}\n\n{"id": "x", "turn": {"text": "twee"}, "expect": {}}\n"drie"\n{"text": "vier", "user": 7}\n'
    )
    assert texts("\ufeff" + data, "in.jsonl") == ["een", "twee", "drie", "vier"]


def test_lines_of_text() -> None:
    assert texts('ik heb pijn\r\n"letterlijk"\n{"text": "een turn"}\n', "in.txt") == [
        "ik heb pijn",
        '"letterlijk"',
        "een turn",
    ]


@pytest.mark.parametrize(
    "line",
    ["geheim", "[1]", '{"tekst": "geheim"}', '{"text": 7}', '{"turn": "geheim"}', "{" * 90_000, b'"\xff geheim"'],
)
def test_what_is_no_turn_is_told_by_line_and_not_repeated(line: str | bytes) -> None:
    data = b'"een"\n' + (line if isinstance(line, bytes) else line.encode())
    with pytest.raises(DataError) as told:
        texts(data, "in.jsonl")
    assert told.value.where == "in.jsonl:2"
    assert "geheim" not in str(told.value)
