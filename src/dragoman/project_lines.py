"""Where in a project file something stands, and what its parser's complaints mean in the words of that file."""

from __future__ import annotations

import re
from typing import NamedTuple

from dragoman.meant import nearest

_HEADER = re.compile(r"\s*(?P<open>\[\[?)\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*(?:\"(?P<quoted>[^\"]+)\"|(?P<bare>[A-Za-z0-9_-]+))\s*=")
_PLACE = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_STEP = re.compile(r"(?P<name>[^.\[\]]+)(?:\[(?P<at>\d+)\])?")
_TYPES = {
    "array": 'a list, as in ["one", "two"]',
    "str": 'a text, as in "one"',
    "int": "a whole number, without quotes",
    "float": "a number, without quotes",
    "bool": "true or false, without quotes",
    "object": "a table of its own, [in brackets]",
}


class _Line(NamedTuple):
    number: int
    table: str
    nth: int  # of the tables of this name, from 0
    key: str  # empty for the header of the table


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    table, nth, seen = "", 0, dict[str, int]()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = header["name"].replace(" ", "")
            nth = seen.get(table, -1) + 1
            seen[table] = nth
            found.append(_Line(number, table, nth, ""))
        elif key := _KEY.match(line):
            found.append(_Line(number, table, nth, key["quoted"] or key["bare"]))
    return found


def line_of(text: str, key: str, table: str = "", nth: int = 0) -> int:
    """The line that sets ``key`` in the ``nth`` table of that name; where none does, the table's own.

    Without ``table``, or where it is written otherwise (``a.b = 1``): the first line that sets ``key`` or opens a table
    of that name. 1 where there is none at all.
    """
    lines = _lines(text)
    inside = [one for one in lines if table and one.table == table and one.nth == nth]
    found = [one for one in inside if one.key == key] or inside
    if not found:
        names = {key, table.rpartition(".")[2]} - {""}
        found = [one for one in lines if (one.key or one.table.rpartition(".")[2]) in names]
        found = found or [one for one in lines if not one.key and key in one.table.split(".")]
    return found[0].number if found else 1


def complaint(message: str, text: str, options: dict[str, list[set[str]]]) -> tuple[str, int, str]:
    """``(what is wrong, line, what to do)`` for a complaint of msgspec's about the file with this ``text``.

    ``options``: of each list of tables, the keys of each table that are no keys of the project file's.
    """
    place = _PLACE.search(message)
    table, key, nth = _place(place["path"] if place else "")
    shown = f"[[{table}]]" if table in options else f"[{table}]" if table else "the project file"
    said = _PLACE.sub("", message)
    if lacks := re.fullmatch(r"Object missing required field `(?P<field>[^`]+)`", said):
        field = lacks["field"]
        there = options.get(table, [])
        meant = nearest(field, there[nth]) if nth < len(there) else None
        if meant is not None:
            return f"{shown} has no key {meant!r}", line_of(text, meant, table, nth), f"did you mean {field!r}?"
        return f"{shown} lacks {field!r}", line_of(text, field, table, nth), "add it"
    wants = re.fullmatch(r"Expected `(?P<want>[^`]+)`, got `[^`]+`", said)
    kinds = wants["want"].split(" | ") if wants else []
    line = line_of(text, key, table, nth) if key else line_of(text, table)
    if kinds and key and kinds[0] in _TYPES:
        return f"{shown} {key} has a value of another kind", line, f"write {_TYPES[kinds[0]]}"
    return message, line, "see docs/reference/project-file.md, or the file that `dragoman init` writes"


def _place(path: str) -> tuple[str, str, int]:
    """Table, key and number of the table of a place such as ``terminology[1].languages[0]``."""
    steps = [(one["name"], int(one["at"] or 0)) for one in _STEP.finditer(path)]
    if not steps:
        return "", "", 0
    if len(steps) == 1:
        return steps[0][0], "", steps[0][1]
    return ".".join(name for name, _ in steps[:-1]), steps[-1][0], steps[0][1]
