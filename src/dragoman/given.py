"""What Python lets in where a turn is wanted, whatever the annotations say."""

from __future__ import annotations

from typing import Any

from dragoman.types import Message, Turn


def given(turn: Turn | str) -> Turn:
    """A turn, of the types it states: a wrong one is a ``TypeError`` here, not a riddle further down."""
    if isinstance(turn, str):
        return Turn(turn)
    wanted = _wrong_type(turn)
    if wanted:
        raise TypeError(wanted)
    return turn


def _wrong_type(given: Any) -> str:
    """Which type was expected where; empty for a sound turn. Types are named, never values."""
    if not isinstance(given, Turn):
        return f"a turn is a str or a dragoman.Turn, not {type(given).__name__}"
    text, history, prior = _untyped(given)
    if not isinstance(text, str):
        return f"Turn.text is a str, not {type(text).__name__}"
    if not isinstance(history, tuple | list):
        return f"Turn.history is a tuple of dragoman.Message, not {type(history).__name__}"
    for message in history:
        if not isinstance(message, Message):
            return f"Turn.history holds dragoman.Message(role=..., text=...), not {type(message).__name__}"
    if prior is not None and not isinstance(prior, dict):
        return f"Turn.prior_frame is a dict (msgspec.to_builtins(answer.frame)), not {type(prior).__name__}"
    return ""


def _untyped(turn: Turn) -> tuple[Any, Any, Any]:
    """What Python let in, whatever the annotations say."""
    return turn.text, turn.history, turn.prior_frame
