"""Masking obvious identifiers before a text leaves the machine: numbers, addresses, names that introduce themselves.

What they look like is each language pack's own (``identifiers.toml``); the pack for all languages has those that know
no border. This is a seat belt, no anonymisation: a name without a cue, or a rare history, stays as it was said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

import msgspec

from dragoman.errors import ConfigError
from dragoman.folder import Language

FILE = "identifiers.toml"


class Pattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of identifier: ``regex``, whose first group (or whole match) is replaced by ``mask``.

    ``examples`` must be masked and ``spare`` must not be touched; a pack's own test.
    """

    name: str
    regex: str
    mask: str
    examples: tuple[str, ...]
    spare: tuple[str, ...] = ()


class Identifiers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``identifiers.toml`` of a language pack."""

    pattern: tuple[Pattern, ...] = ()


def masker(packs: Iterable[Language]) -> Callable[[str], str]:
    """A function that masks what the ``packs`` know; the order of packs, then of patterns, decides who comes first.

    Its result is NFC: a pattern sees a letter with its marks as one. Raises ``ConfigError`` for a regular expression
    that does not parse.
    """
    patterns = [(_compiled(pattern, pack), pattern.mask) for pack in packs for pattern in patterns_of(pack)]

    def mask(text: str) -> str:
        text = unicodedata.normalize("NFC", text)
        for regex, put in patterns:
            text = regex.sub(lambda match, put=put: _put(match, put), text)  # type: ignore[misc]
        return text

    return mask


def patterns_of(pack: Language) -> tuple[Pattern, ...]:
    """The identifiers that a pack knows; none where it has no such file."""
    return pack.table(FILE, Identifiers).pattern


def _compiled(pattern: Pattern, pack: Language) -> re.Pattern[str]:
    try:
        return re.compile(pattern.regex)
    except re.error as error:
        raise ConfigError(
            f"identifier {pattern.name!r}: {error}", where=str(pack.path / FILE), advice="correct the regex"
        ) from None


def _put(match: re.Match[str], mask: str) -> str:
    if match.re.groups == 0:
        return mask
    start, end = match.span(1)
    whole = match[0]
    return whole[: start - match.start()] + mask + whole[end - match.start() :]
