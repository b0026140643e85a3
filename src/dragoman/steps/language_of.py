"""The language of a turn, among those the project has."""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.folder import Language
from dragoman.text.detect import detect
from dragoman.text.tokens import Tokens


def language_of(tokens: Tokens, packs: Sequence[Language], declared: str | None) -> str:
    """The code of the turn's language.

    ``declared`` (a BCP 47 tag; the region is not looked at) wins where the project has that language; else the text
    decides, and a text that shows nothing is in the corpus language, the first of ``packs``.
    """
    return stated(declared, packs) or detect(tokens, packs).code


def stated(declared: str | None, packs: Sequence[Language]) -> str | None:
    """The code of the one of ``packs`` that a BCP 47 tag means, whatever its region (``nl_BE``), or ``None``."""
    primary = (declared or "").replace("_", "-").partition("-")[0].lower()
    return next((pack.code for pack in packs if pack.code == primary), None)
