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
    the language that means nothing else (``hiv``). ``titles``: forms of address, behind which a capital is a name's
    (``Mr Still``). ``persons``: verbs of which only a person is the subject, so that even a short word in small letters
    is a name before them (``cor phones later``); ``relatives``, as in ``tia is my niece``, where one of ``mine`` stands
    between.
    """

    after: tuple[str, ...] = ()
    small: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    mine: tuple[str, ...] = ()
    relatives: tuple[str, ...] = ()


class NameWords(NamedTuple):
    """The words of several languages, folded."""

    after: frozenset[str]
    small: frozenset[str]
    titles: frozenset[str]
    persons: frozenset[str]
    mine: frozenset[str]
    relatives: frozenset[str]


def name_words(packs: Iterable[Language]) -> NameWords:
    """The tables of all ``packs`` as one."""
    tables = [pack.table("names.toml", NameTable) for pack in packs]
    return NameWords(
        *(frozenset(fold_key(w) for t in tables for w in getattr(t, field)) for field in NameWords._fields)
    )
