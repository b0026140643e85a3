"""Signals of a hospital's questions that any profile may use: a list is wanted, a way to a department is asked.

The words are each pack's ``signals.toml``; ``enrich`` runs the taxonomy's relations on a routing cue and answers a list
signal with the roster.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.text.phrases import Phrasebook
from dragoman.text.tokens import Tokens


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text and the signals that it has."""

    text: str
    signals: tuple[str, ...] = ()


class SignalWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``signals.toml`` of a language.

    ``list``: all or several are wanted. ``doctors``: words for doctors in general. ``routing``: the way to a department
    or a doctor is asked. ``complaint``: the person tells what ails them or theirs.
    """

    list: tuple[str, ...] = ()
    doctors: tuple[str, ...] = ()
    routing: tuple[str, ...] = ()
    complaint: tuple[str, ...] = ()
    example: tuple[Example, ...] = ()


class Signals(NamedTuple):
    """The words of each signal as typed, ``None`` where there is none."""

    list: str | None = None
    doctors: str | None = None
    routing: str | None = None
    complaint: str | None = None


@lru_cache(maxsize=32)
def _book(pack: Language) -> Phrasebook[str]:
    words = pack.table("signals.toml", SignalWords)
    entries = [(p, name) for name in Signals._fields for p in getattr(words, name)]
    return Phrasebook(entries, marks_matter=pack.marks_matter, where=str(pack.path / "signals.toml"))


def signals(tokens: Tokens, packs: Iterable[Language]) -> Signals:
    """The first occurrence of each signal, in the first of ``packs`` (the turn's own language first) that has it."""
    found: dict[str, str] = {}
    for i, pack in enumerate(packs):
        for hit in _book(pack).find(tokens, folds=None if i == 0 else False):
            found.setdefault(hit.value, tokens.surface(hit.first, hit.last))
    return Signals(**found)
