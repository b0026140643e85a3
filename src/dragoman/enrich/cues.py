"""Words of a text that ask for a department or for a list of doctors (``routing.toml`` of the packs)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.reading import Reading
from dragoman.text.context_cues import Context
from dragoman.text.phrases import Phrasebook
from dragoman.text.tokens import tokenize


class RoutingTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``routing.toml`` of a language: patterns (see ``text.phrases``).

    ``department``: the person asks where to go. ``roster``: the person asks for a list of doctors.
    """

    department: tuple[str, ...] = ()
    roster: tuple[str, ...] = ()


class _Compiled(NamedTuple):
    book: Phrasebook[str]
    words: frozenset[str]
    denials: frozenset[str]
    signs: tuple[str, ...]


@lru_cache(maxsize=32)
def _compiled(pack: Language) -> _Compiled:
    table = pack.table("routing.toml", RoutingTable)
    entries = [(p, "department") for p in table.department] + [(p, "roster") for p in table.roster]
    context = pack.table("context.toml", Context)
    cues = context.negated
    contrast = context.contrast
    patterns = (*cues.before, *cues.after, *context.no, *contrast.before, *contrast.after)
    denials = {w for p in patterns for w in _words(p)}
    return _Compiled(
        Phrasebook(entries, marks_matter=pack.marks_matter, where=str(pack.path / "routing.toml")),
        frozenset(w for p, _ in entries for w in _words(p)),
        frozenset(denials),
        context.signs,
    )


def _words(pattern: str) -> list[str]:
    return tokenize(pattern).keys


class Cues:
    """Asks one turn, in its own language; each question is answered when it is first asked."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._compiled = _compiled(reading.pack)
        self._found: dict[str, str] | None = None

    @property
    def may_negate(self) -> bool:
        """False where the text has no word or sign that could deny anything."""
        tokens, compiled = self._reading.tokens, self._compiled
        if not compiled.denials.isdisjoint(tokens.keys):
            return True
        return any(sign in tokens.text for sign in compiled.signs)

    def signal(self, kind: str) -> str | None:
        """The words of the text that are a cue of ``kind`` (``department`` or ``roster``)."""
        if self._found is None:
            self._found = {}
            tokens = self._reading.tokens
            if not self._compiled.words.isdisjoint(tokens.keys):
                for hit in self._compiled.book.find(tokens):
                    self._found.setdefault(hit.value, tokens.surface(hit.first, hit.last))
        return self._found.get(kind)
