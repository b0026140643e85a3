"""What a language's words are: its stop words, and a list of words that are spelt as they should be.

A word of the language is never taken for a misspelt medical term, and a short one never for an abbreviation.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from dragoman.errors import ConfigError
from dragoman.folder import Language
from dragoman.text.tokens import fold_key

LIST = "words.txt.xz"


@lru_cache(maxsize=8)
def _read(path: Path) -> frozenset[str]:
    try:
        return frozenset(lzma.decompress(path.read_bytes()).decode("utf-8").split("\n")) - {""}
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read ({error})", where=str(path), advice="make it again, see scripts") from None


def words(packs: Iterable[Language]) -> frozenset[str]:
    """The words of all ``packs`` as folded keys: lists that a pack has, and its stop words."""
    return _words(tuple(packs))


@lru_cache(maxsize=16)
def _words(packs: tuple[Language, ...]) -> frozenset[str]:
    lists = [_read(pack.path / LIST) for pack in packs if pack.has(LIST)]
    return stop_words(packs).union(*lists)


def stop_words(packs: Iterable[Language]) -> frozenset[str]:
    """The function words of all ``packs`` as folded keys. Where marks carry meaning, only what is bare as written."""
    found = set()
    for pack in packs:
        for word in pack.words("stopwords.txt"):
            key = fold_key(word)
            if not pack.marks_matter or key == word:
                found.add(key)
    return frozenset(found)
