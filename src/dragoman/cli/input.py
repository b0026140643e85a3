"""What comes in from the command line: a text or a turn, from an argument, a file or stdin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.errors import ConfigError, DataError

if TYPE_CHECKING:
    from dragoman.types import Turn


_GIVE = "give TEXT (in quotes), `-` for stdin, or --turn FILE"


def read_turn(text: str | None, turn_file: str | None, language: str | None = None) -> Turn:
    """The turn that a command was given: exactly one of a text and a file with a turn as JSON.

    Raises ``ConfigError`` for neither or both, ``DataError`` for a text that is not UTF-8 or a file that is no turn.
    """
    import msgspec

    from dragoman.types import Turn

    if (text is None) == (turn_file is None):
        what = "there is no text" if text is None else "there are both a text and --turn"
        raise ConfigError(what, advice=_GIVE)
    if text is not None:
        words = _decode(sys.stdin.buffer.read(), "stdin").removesuffix("\n").removesuffix("\r") if text == "-" else text
        if not words.strip():
            what = "stdin holds no text" if text == "-" else "the text is empty"
            raise ConfigError(what, advice='pipe one in, as in: echo "..." | dragoman ask -' if text == "-" else _GIVE)
        if any("\ud800" <= c <= "\udfff" for c in words):
            raise DataError("the text is not UTF-8", advice="set the terminal to UTF-8, or use --turn FILE")
        return Turn(words, language=language)
    source = "stdin" if turn_file == "-" else str(turn_file)
    try:
        turn = msgspec.json.decode(_decode(_bytes(str(turn_file)), source), type=Turn)
    except msgspec.ValidationError as error:
        raise DataError(
            f"is no turn: {error}",
            where=source,
            advice="its keys are text, language, history, prior_frame, subject_scope",
        ) from None
    except msgspec.DecodeError as error:
        raise DataError(f"is not JSON: {error}", where=source, advice='write {"text": "..."}') from None
    except RecursionError:
        raise DataError("is nested too deep for a turn", where=source, advice="its keys are those of a frame") from None
    return turn if language is None else msgspec.structs.replace(turn, language=language)


def read_text(name: str) -> str:
    """A file, or stdin for ``-``, as text. Raises ``DataError`` where it cannot be read or is not UTF-8."""
    return _decode(_bytes(name), "stdin" if name == "-" else name)


def _bytes(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=name, advice="check the path") from None


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError("is not UTF-8", where=f"{name}:{line}", advice="save it as UTF-8") from None
