"""The figure behind the name of a measure or a laboratory value, with its unit as written."""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.text.numbers import value
from dragoman.text.tokens import Tokens

_AFTER = 3  # tokens that may stand between the name of a measure and its number


def figure(items: Tokens, at: int, separators: Sequence[str]) -> tuple[float, str | None, int] | None:
    """The number within a few tokens from ``at``, with its unit and the end of both in the text."""
    for i in range(at, min(at + _AFTER, len(items))):
        if i and separators[i - 1] in {".", ","} and i > at:
            return None
        number = value(items.tokens[i])
        if number is not None:
            unit, end = _unit(items.text, items.tokens[i].end)
            return number, unit, end
    return None


def _unit(text: str, at: int) -> tuple[str | None, int]:
    """The unit written behind a number: ``%``, or one with a fraction stroke, as written (``ml/min/1.73 m2``)."""
    start = at
    while start < len(text) and text[start] == " ":
        start += 1
    if text[start : start + 1] == "%":
        return "%", start + 1
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] in "/µμ²³^.·*"):
        end += 1
    written = text[start:end].rstrip(".")
    if "/" in written and not written.startswith("/"):
        return written, start + len(written)
    return None, at
