"""Golden questions as files: one JSON object a line, checked in full before any of them is run.

A case that cannot fail is worse than none, so a case that names nothing, a misspelt key or a frame field that does not
exist is refused with its line. The format is described in the reference of the command ``dragoman eval``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from dragoman.errors import DataError
from dragoman.meant import did_you_mean
from dragoman.project_check import struct_in
from dragoman.types import QueryFrame, Scope, Turn

NEEDS = ("llm",)
UNNAMED = "uncategorised"
UNDETERMINED = "und"  # BCP 47's tag for a language that nobody stated


class Pick(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must be there and what must not; ``at_most`` limits how many there may be (expansions alone)."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class PickTerms(Pick, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As ``Pick``, for appended terms."""

    at_most: int | None = None


class Expect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must hold. ``frame`` and ``scope`` name single fields, nested ones too; what is not named is free."""

    frame: dict[str, Any] = {}
    candidates: Pick = Pick()
    expansions: PickTerms = PickTerms()
    scope: dict[str, Any] = {}
    text: str | None = None

    def names_something(self) -> bool:
        """Whether anything at all is asserted."""
        return bool(
            _leaves(self.frame)
            or self.candidates.include
            or self.candidates.exclude
            or self.expansions.include
            or self.expansions.exclude
            or self.expansions.at_most is not None
            or _leaves(self.scope)
            or self.text is not None
        )


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One golden question.

    ``reply`` is a model's raw answer and ``fault`` a provider's failure, used instead of a call. ``needs`` names what
    the case cannot do without. ``known_failure`` gives the reason why it fails today. ``note`` is for the reader.
    """

    id: str
    turn: Turn
    expect: Expect
    language: str = ""
    category: str = UNNAMED
    reply: str | dict[str, Any] | None = None
    fault: str | None = None
    needs: str | None = None
    known_failure: str | None = None
    note: str | None = None

    @property
    def tongue(self) -> str:
        """The language that the case is counted under."""
        return self.language or self.turn.language or UNDETERMINED


def load(path: Path) -> list[Case]:
    """All cases of a file, in its order.

    Raises ``DataError`` where the file cannot be read, holds no case, or any line is wrong: the first fault with
    its ``file:line``, and the lines of the others.
    """
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError("is not UTF-8", where=str(path), advice="save it as UTF-8") from None
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror})", where=str(path), advice="name a file of golden questions"
        ) from None
    cases: list[Case] = []
    faults: list[tuple[int, str, str]] = []
    first_line: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            case = msgspec.json.decode(line, type=Case)
        except msgspec.ValidationError as error:
            faults.append((number, _plain(str(error)), _nearest_key(str(error))))
            continue
        except (msgspec.DecodeError, RecursionError) as error:
            faults.append((number, f"is not a JSON object: {error}", "write one case a line"))
            continue
        if case.id in first_line:
            faults.append(
                (number, f"the id {case.id!r} stands in line {first_line[case.id]} as well", "ids are unique")
            )
            continue
        first_line[case.id] = number
        if fault := _fault(case):
            faults.append((number, *fault))
            continue
        cases.append(case)
    if faults:
        number, what, advice = faults[0]
        more = f" (and {len(faults) - 1} more, in lines {_some(n for n, _, _ in faults[1:])})" if faults[1:] else ""
        raise DataError(what + more, where=f"{path}:{number}", advice=advice)
    if not cases:
        raise DataError("holds no golden question", where=str(path), advice="write one JSON object a line")
    return cases


def _fault(case: Case) -> tuple[str, str] | None:
    """What is wrong with a case that decoded, and what to do."""
    if not case.id:
        return "the id is empty", "give every case an id of its own"
    if not case.expect.names_something():
        return f"case {case.id!r} names nothing that could fail", "name what must hold in `expect`"
    if case.needs is not None and case.needs not in NEEDS:
        return f"case {case.id!r} needs {case.needs!r}, which is not known", f"there is: {', '.join(NEEDS)}"
    if case.known_failure is not None and not case.known_failure.strip():
        return f"case {case.id!r} has a known failure without a reason", "say in `known_failure` why it fails"
    if case.reply is not None and case.fault is not None:
        return f"case {case.id!r} has both a reply and a fault", "a provider either answers or fails"
    for name, named, type_ in (("frame", case.expect.frame, QueryFrame), ("scope", case.expect.scope, Scope)):
        if wrong := _unknown_field(named, type_, f"expect.{name}"):
            return wrong
    return None


def _unknown_field(named: dict[str, Any], type_: type[msgspec.Struct], path: str) -> tuple[str, str] | None:
    fields = {f.name: f.type for f in msgspec.structs.fields(type_)}
    for key, value in named.items():
        if key not in fields:
            return f"{path} has no field {key!r}", did_you_mean(key, fields)
        if isinstance(value, dict):
            below = struct_in(fields[key])
            if below is None:
                return f"{path}.{key} is no object", "give its value"
            if wrong := _unknown_field(value, below, f"{path}.{key}"):
                return wrong
    return None


def _leaves(named: dict[str, Any]) -> int:
    """How many values a nested expectation asserts."""
    return sum(_leaves(v) if isinstance(v, dict) else 1 for v in named.values())


def _plain(message: str) -> str:
    """msgspec's message with the path in the words of the file: ``$.expect`` → ``expect``."""
    return re.sub(r"`\$\.?([^`]*)`", lambda m: f"`{m[1]}`" if m[1] else "the case", message)


def _nearest_key(message: str) -> str:
    """For an unknown field, the right one that is nearest; else where to look."""
    found = re.search(r"unknown field `([^`]+)`(?: - at `\$\.?([^`]*)`)?", message)
    if not found:
        return "see the format of golden questions"
    place: type[msgspec.Struct] = Case
    for step in (found[2] or "").split("."):
        name = step.partition("[")[0]
        fields = {f.name: f.type for f in msgspec.structs.fields(place)}
        inner = struct_in(fields.get(name)) if name else None
        if inner is not None:
            place = inner
    return did_you_mean(found[1], place.__struct_fields__)


def _some(lines: Iterable[int], most: int = 8) -> str:
    numbers = [str(n) for n in lines]
    return ", ".join(numbers[:most]) + (", ..." if len(numbers) > most else "")
