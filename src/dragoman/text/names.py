"""What tells a name from a term that is written like it (``names.toml`` of a language)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.text.tokens import fold_key


class NameTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``names.toml``.

    ``after``: what is said of a person right behind the name, so that a short word with a capital at the beginning of a
    sentence is one (``Tia is my daughter``). ``small``: abbreviations that people write in small letters, as a word of
    the language that means nothing else (``hiv``).
    """

    after: tuple[str, ...] = ()
    small: tuple[str, ...] = ()


class NameWords(NamedTuple):
    """The words of several languages, folded."""

    after: frozenset[str]
    small: frozenset[str]


def name_words(packs: Iterable[Language]) -> NameWords:
    """The tables of all ``packs`` as one."""
    tables = [pack.table("names.toml", NameTable) for pack in packs]
    return NameWords(
        frozenset(fold_key(w) for t in tables for w in t.after), frozenset(fold_key(w) for t in tables for w in t.small)
    )
