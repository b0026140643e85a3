"""Structured logs: one JSON object a line on stderr, of what happened and never of what was asked.

An exception is logged as its class and the places that it came through. Its message is left out: libraries put into
messages what they were given, and that may be the person's text.
"""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any, TextIO

import msgspec

from dragoman.errors import DragomanError

_ENCODER = msgspec.json.Encoder(enc_hook=str)


class Log:
    """The log of one service; it holds no state of the process, so that each service has its own.

    A line a request is written while somebody waits for the answer: hence no chain of processors.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr

    def info(self, event: str, **fields: Any) -> None:
        """What happened, and is as it should be."""
        self._write("info", event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        """What somebody should know of."""
        self._write("warning", event, fields)

    def error(self, event: str, **fields: Any) -> None:
        """What somebody has to mend."""
        self._write("error", event, fields)

    def _write(self, level: str, event: str, fields: dict[str, Any]) -> None:
        fields["event"] = event
        fields["level"] = level
        fields["timestamp"] = _now()
        self._stream.write(_ENCODER.encode(fields).decode() + "\n")
        self._stream.flush()


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


class Lines(logging.Formatter):
    """What libraries log, as the same JSON lines: their message, without an exception's own."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        event: dict[str, Any] = {
            "event": record.getMessage(),
            "logger": record.name,
            "level": record.levelname.lower(),
            "timestamp": _now(),
        }
        if record.exc_info and record.exc_info[1] is not None:
            event |= places(record.exc_info[1])
        return _ENCODER.encode(event).decode()


def libraries(level: str = "WARNING") -> dict[str, Any]:
    """A ``logging`` configuration that sends what libraries log to stderr as JSON lines."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": f"{__name__}.Lines"}},
        "handlers": {"lines": {"class": "logging.StreamHandler", "formatter": "lines", "stream": "ext://sys.stderr"}},
        "root": {"handlers": ["lines"], "level": level},
        "loggers": {"_granian": {"handlers": ["lines"], "level": "INFO", "propagate": False}},
    }


def places(error: BaseException) -> dict[str, Any]:
    """An exception without its message: its class, and ``file:line`` of each frame, the innermost last.

    What dragoman's own errors say never holds a person's text: of them it is there.
    """
    frames = traceback.extract_tb(error.__traceback__)
    found: dict[str, Any] = {
        "exception": f"{type(error).__module__}.{type(error).__qualname__}",
        "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-12:]],
    }
    if isinstance(error, DragomanError):
        found |= {"where": error.where, "why": error.what, "advice": error.advice}
    cause = error.__cause__ or error.__context__
    if cause is not None:
        found["cause"] = f"{type(cause).__module__}.{type(cause).__qualname__}"
    return found
