"""dragoman: from a person's medical question to what is being asked, and to the corpus's own words for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dragoman._version import __version__

if TYPE_CHECKING:
    from dragoman.engine import Dragoman
    from dragoman.errors import DragomanError
    from dragoman.types import Answer, Candidate, Enrichment, Mention, Message, QueryFrame, Turn

__all__ = [
    "Answer",
    "Candidate",
    "Dragoman",
    "DragomanError",
    "Enrichment",
    "Mention",
    "Message",
    "QueryFrame",
    "Turn",
    "__version__",
]

_HOME = {
    "Dragoman": "dragoman.engine",
    "DragomanError": "dragoman.errors",
    **dict.fromkeys(
        ("Answer", "Candidate", "Enrichment", "Mention", "Message", "QueryFrame", "Turn"), "dragoman.types"
    ),
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that ``import dragoman`` stays quick."""
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'dragoman' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
