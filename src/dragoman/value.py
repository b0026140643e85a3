"""The base of every value that may hold a person's words: whole as a value and in JSON, hidden in a ``repr``.

A ``repr`` ends up in logs and tracebacks of whoever uses dragoman; there it only says that the words are there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec

PERSONAL = frozenset(
    {
        "text", "original", "verbatim", "standalone", "condensed", "dense", "sparse", "standalone_query",
        "reformulated_query", "indication", "age_text", "unknown_drugs", "quick_reply", "quick_replies", "prior_frame",
        "conditions", "departments", "doctors", "procedures", "signal",
    }
)  # fmt: skip
"""Fields that hold, or may hold, the words of a person."""


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """The common base: immutable, keyword-only, compared by content. Its ``repr`` hides what a person wrote."""

    personal: ClassVar[frozenset[str]] = PERSONAL

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={held!r}' for name, held in shown(self, self.personal))})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return list(shown(self, self.personal))


def shown(value: msgspec.Struct, personal: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """Each field with its value, or in place of ``personal`` words how many characters or items there are."""
    for name in value.__struct_fields__:
        held = getattr(value, name)
        yield name, _Hidden(len(held)) if name in personal and held else held


class _Hidden(int):
    """Stands for personal words in a ``repr``."""

    def __repr__(self) -> str:
        return f"<{int(self)} hidden>"
