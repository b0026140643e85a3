"""What is known of a turn before anyone interprets it: the value that every later step starts from."""

from __future__ import annotations

from dataclasses import dataclass

from dragoman.folder import Language
from dragoman.text.tokens import Tokens
from dragoman.types import Candidate, Mention, Scope, Turn


@dataclass(frozen=True, slots=True)
class Reading:
    """A turn, its scope, its tokens, and what the vocabularies found in it.

    ``languages`` are the project's packs, the corpus language first; ``language`` is the turn's own code.
    ``messages`` holds ``(message, tokens)`` of the turn (−1) and then of the person's earlier messages, latest first.
    """

    turn: Turn
    language: str
    languages: tuple[Language, ...]
    scope: Scope
    messages: tuple[tuple[int, Tokens], ...]
    candidates: tuple[Candidate, ...] = ()
    mentions: tuple[Mention, ...] = ()

    @property
    def tokens(self) -> Tokens:
        """The tokens of the turn itself."""
        return self.messages[0][1]

    @property
    def pack(self) -> Language:
        """The pack of the turn's own language, or the corpus language's where the project has none for it."""
        return next((p for p in self.languages if p.code == self.language), self.languages[0])

    def of_turn(self) -> tuple[Candidate, ...]:
        """The candidates found in the turn itself."""
        return tuple(c for c in self.candidates if c.message == -1)
