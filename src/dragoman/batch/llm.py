"""A file of turns to a provider's batch API and back: ``llm export`` and ``llm import``.

What comes back goes through the same parse, bound, cues, merge and validate as a live reply: a file is no more trusted
than a provider. Both directions may be stopped at any time and go on where they were; both tell what they left out, by
line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import msgspec

from dragoman.batch.wire import FORMATS, Said, read_answer
from dragoman.errors import ConfigError, DataError, LimitExceeded
from dragoman.types import Turn, Value

if TYPE_CHECKING:
    from dragoman.engine import Dragoman

HEAD = 65_536  # bytes of an overlong line in which its id is looked for
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what both providers take
_ID_IN_HEAD = re.compile(rb'"custom_id"\s*:\s*"([A-Za-z0-9_-]{1,64})"')

Progress = Callable[[int], None]


class Problem(Value, frozen=True, kw_only=True):
    """One line that was not taken, and why. Never a word of what stands in it."""

    file: str
    line: int
    what: str


class Exported(Value, frozen=True, kw_only=True):
    """What ``export`` did. ``no_call``: turns that no model is asked about, which ``import`` answers on its own."""

    turns: int = 0
    written: int = 0
    already: int = 0
    no_call: int = 0
    problems: tuple[Problem, ...] = ()


class Imported(Value, frozen=True, kw_only=True):
    """What ``import`` did. ``errors`` counts the frames written with a ``system_error``; ``missing`` turns without an
    answer, which a later run with more answers will take.
    """

    turns: int = 0
    written: int = 0
    already: int = 0
    errors: int = 0
    missing: int = 0
    problems: tuple[Problem, ...] = ()


class Item(NamedTuple):
    """A turn of the input: its line (from 1) and the id that its answer carries."""

    line: int
    custom_id: str
    turn: Turn


def export(
    engine: Dragoman,
    source: Path,
    target: Path,
    *,
    format: str | None = None,
    model: str | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write a request a line for every turn of ``source`` that a model is to read.

    ``format`` and ``model`` are the project's by default. What stands in ``target`` already is kept, and gone on with,
    unless ``fresh``. Raises ``ConfigError`` where there is no model's name or no such format.
    """
    llm = engine.project.file.llm
    name = model or (llm.model if llm else "")
    if not name:
        raise ConfigError("there is no model to write requests for", advice="set [llm] model, or give --model")
    kind = format or (llm.provider if llm and llm.provider in FORMATS else "openai")
    if kind not in FORMATS:
        raise ConfigError(f"there is no batch format {kind!r}", advice=f"use one of {', '.join(FORMATS)}")
    turns = written = already = no_call = 0
    problems: list[Problem] = []
    done = _resume(target, fresh, lambda line: True)
    with _text_file(target) as out:
        for item in _items(source, problems):
            turns += 1
            if progress is not None:
                progress(turns)
            if item.custom_id in done:
                already += 1
                continue
            try:
                request = engine.request(item.turn)
            except LimitExceeded as error:
                problems.append(Problem(file=source.name, line=item.line, what=str(error)))
                continue
            if request is None:
                no_call += 1
                continue
            _write(out, FORMATS[kind](item.custom_id, request, name))
            written += 1
    return Exported(turns=turns, written=written, already=already, no_call=no_call, problems=tuple(problems))


def import_answers(
    engine: Dragoman,
    source: Path,
    answers: Path,
    target: Path,
    *,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Write an answer a line, as ``ask --json`` prints it with its ``custom_id``, for every turn that can have one.

    A frame with a ``system_error`` that an earlier run wrote is done anew; everything else in ``target`` stays, unless
    ``fresh``. Raises ``DataError`` for a file that cannot be read at all.
    """
    turns = written = already = errors = missing = 0
    problems: list[Problem] = []
    limit = engine.project.file.limits.reply
    done = _resume(target, fresh, lambda line: not line.get("frame", {}).get("system_error"))
    with _open(answers) as replies, _text_file(target) as out:
        index = _Index(replies, answers.name, limit, problems)
        for item in _items(source, problems):
            turns += 1
            if progress is not None:
                progress(turns)
            said = index.take(item.custom_id)
            if item.custom_id in done:
                already += 1
                continue
            try:
                if said is None and engine.request(item.turn) is not None:
                    missing += 1
                    problems.append(Problem(file=source.name, line=item.line, what="has no answer"))
                    continue
                # Without an answer, this is a turn that asks no model.
                answer = engine.ask(item.turn, reply=said.text, fault=said.fault) if said else engine.ask(item.turn)
            except LimitExceeded as error:
                problems.append(Problem(file=source.name, line=item.line, what=str(error)))
                continue
            errors += answer.frame.system_error is not None
            _write(out, {"custom_id": item.custom_id, **msgspec.to_builtins(answer)})
            written += 1
        problems.extend(index.unmatched())
    return Imported(
        turns=turns, written=written, already=already, errors=errors, missing=missing, problems=tuple(problems)
    )


class _Index:
    """Where each answer stands in its file, so that a file of any size can come back in any order.

    Two answers for one turn: the first that holds a reply counts, the other is told.
    """

    def __init__(self, file: IO[bytes], name: str, limit: int, problems: list[Problem]) -> None:
        self._file = file
        self._name = name
        self._cap = 8 * limit + HEAD
        self._places: dict[str, tuple[int, int, bool]] = {}
        self._taken: set[str] = set()
        for line, offset, raw in _lines(file, self._cap):
            what = self._add(line, offset, raw)
            if what:
                problems.append(Problem(file=name, line=line, what=what))

    def take(self, custom_id: str) -> Said | None:
        """The answer for a turn, or ``None``."""
        place = self._places.get(custom_id)
        if place is None:
            return None
        self._taken.add(custom_id)
        self._file.seek(place[0])
        raw = self._file.readline(self._cap + 1)
        return Said(fault="huge") if len(raw) > self._cap else read_answer(_parse(raw))

    def unmatched(self) -> Iterator[Problem]:
        """Answers that no turn asked for."""
        for custom_id, (_, line, _) in self._places.items():
            if custom_id not in self._taken:
                yield Problem(file=self._name, line=line, what="answers no turn of this file")

    def _add(self, line: int, offset: int, raw: bytes) -> str | None:
        if len(raw) > self._cap:
            found = _ID_IN_HEAD.search(raw[:HEAD])
            if found is None:
                return "is too large, and shows no custom_id at its beginning"
            return self._put(found[1].decode(), offset, line, good=False) or "is too large"
        try:
            data = _parse(raw)
        except ValueError:
            return "is not JSON"
        custom_id = data.get("custom_id") if isinstance(data, dict) else None
        if not isinstance(custom_id, str) or not custom_id:
            return "has no custom_id"
        return self._put(custom_id, offset, line, good=read_answer(data).fault is None)

    def _put(self, custom_id: str, offset: int, line: int, *, good: bool) -> str | None:
        held = self._places.get(custom_id)
        if held is None or (good and not held[2]):
            self._places[custom_id] = (offset, line, good)
            return None if held is None else f"is a second answer, used instead of the one in line {held[1]}"
        return f"is a second answer; the one in line {held[1]} is used"


def _items(source: Path, problems: list[Problem]) -> Iterator[Item]:
    """The turns of a JSONL file: ``Turn`` objects, golden questions (``id`` and ``turn``), or plain strings."""
    seen: dict[str, int] = {}
    with _open(source) as file:
        for number, _, raw in _lines(file, 64_000_000):
            try:
                data = _parse(raw)
                given = data.get("id") if isinstance(data, dict) else None
                turn = _turn(data)
                # Without an id of its own, the text's hash keeps an answer from reaching another turn.
                custom_id = given if isinstance(given, str) and _ID.fullmatch(given) else f"{number}-{_digest(turn)}"
            except ValueError:
                problems.append(Problem(file=source.name, line=number, what="is no turn"))
                continue
            if custom_id in seen:
                what = f"has the id of line {seen[custom_id]}"
                problems.append(Problem(file=source.name, line=number, what=what))
                continue
            seen[custom_id] = number
            yield Item(number, custom_id, turn)


def _parse(raw: bytes) -> Any:
    """JSON with or without a byte order mark. Raises ``ValueError``, for what is nested too deep as well."""
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("nested too deep") from None


def _turn(data: Any) -> Turn:
    if isinstance(data, str):
        return Turn(data)
    if isinstance(data, dict) and "turn" in data:
        return msgspec.convert(data["turn"], Turn)
    if isinstance(data, dict):
        return msgspec.convert({name: value for name, value in data.items() if name != "id"}, Turn)
    raise ValueError("no turn")


def _text_file(path: Path) -> IO[str]:
    # Half a surrogate pair is no UTF-8, but its escape is JSON.
    return path.open("a", encoding="utf-8", errors="backslashreplace")


def _digest(turn: Turn) -> str:
    return hashlib.sha256(msgspec.json.encode(turn)).hexdigest()[:12]


def _lines(file: IO[bytes], cap: int) -> Iterator[tuple[int, int, bytes]]:
    """``(line, offset, bytes)`` of each line that is not blank; of one longer than ``cap``, its first ``cap + 1``."""
    number = 0
    while True:
        offset = file.tell()
        raw = file.readline(cap + 1)
        if not raw:
            return
        number += 1
        if len(raw) > cap:
            while (rest := file.readline(1_000_000)) and not rest.endswith(b"\n"):
                pass
        place = file.tell()
        if raw.strip():
            yield number, offset, raw
            file.seek(place)  # whoever got the line may have read elsewhere


def _resume(target: Path, fresh: bool, keep: Callable[[dict[str, Any]], bool]) -> set[str]:
    """The ids that ``target`` holds already. A last line that was cut short, and lines not worth keeping, go."""
    if fresh or not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"")
        return set()
    done: set[str] = set()
    part = target.with_name(target.name + ".part")
    with _open(target) as old, part.open("wb") as new:
        for raw in old:
            try:
                line = _parse(raw)
                custom_id = line["custom_id"]
                if not raw.endswith(b"\n") or custom_id in done or not keep(line):
                    continue
            except (ValueError, LookupError, TypeError, AttributeError):
                continue  # cut short when the last run was stopped
            done.add(custom_id)
            new.write(raw)
    part.replace(target)
    return done


def _open(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=str(path), advice="check the path") from None


def _write(out: IO[str], line: dict[str, Any]) -> None:
    out.write(json.dumps(line, ensure_ascii=False) + "\n")
    out.flush()
