"""Errors say where, what, and what to do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dragoman import errors
from dragoman.folder import PACKAGE

MUTE = {
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.DragomanError) and not kind.advice
} - {"DragomanError", "ServiceError", "ModelMalformed", "ModelRefused"}  # those of a provider end as a frame


def raised() -> Iterator[tuple[str, ast.Call]]:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MUTE:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


def test_every_error_says_what_to_do() -> None:
    """One whose class has no advice of its own is given some where it is raised."""
    assert {"ConfigError", "DataError"} <= MUTE
    found = list(raised())
    assert len(found) > 100
    assert [where for where, call in found if all(k.arg not in ("advice", None) for k in call.keywords)] == []
