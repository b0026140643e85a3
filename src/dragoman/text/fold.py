"""Folding that keeps offsets: every folded letter knows the code points of the given text that it came from.

What is folded away: Unicode form (NFC, NFD, compatibility forms such as ligatures and full-width letters), case,
combining marks, letters whose stroke is part of the letter (đ, ø, ł), zero-width and other invisible characters, soft
hyphens, and HTML character references. Two forms come out of one pass:

* ``key``: letters and digits without any mark; what every table of the index is keyed by;
* ``marked``: lower case with the marks that belong to the letter's quality (ê, ơ, ï) in place, and with tone marks
  moved to the token's end, so that the old and the new Vietnamese placement (hòa, hoà) are one form.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

# Marks that Vietnamese uses for tones; their place inside the syllable varies, their meaning does not
# (Unicode chapter 7.9). In other languages the same marks are ignorable, so nothing is lost by moving them.
TONES = frozenset("\u0300\u0301\u0303\u0309\u0323")

# Letters that Unicode does not decompose, though their stroke or joint is a mark like any other.
UNDECOMPOSED = {
    "đ": "d", "ð": "d", "ø": "o", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i",
    "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ĳ": "ij",
}  # fmt: skip

_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


class Letter(NamedTuple):
    """One code point of the given text after folding: ``key`` and ``marked`` may be empty or several letters."""

    key: str
    marked: str
    tone: str
    word: bool  # part of a token
    joins: bool  # invisible or a mark: neither part of a token's text nor the end of it


@lru_cache(maxsize=4096)
def fold_letter(char: str) -> Letter:
    """Fold one code point (or the text of one HTML reference). A table over Unicode, not over anyone's text."""
    category = unicodedata.category(char) if len(char) == 1 else ""
    if category == "Cf" or char == "\u034f":  # zero-width space and joiners, soft hyphen, byte order mark
        return Letter("", "", "", False, True)
    if category.startswith("S"):  # a symbol such as ™ is no letter, though its compatibility form has some
        return Letter("", "", "", False, False)
    if category.startswith("M"):
        if char in TONES:
            return Letter("", "", char, False, True)
        return Letter("", char, "", False, True)
    key, marked, tone = "", "", ""
    for part in unicodedata.normalize("NFKD", char.casefold() if char != "ß" else char):
        for low in part.lower():
            kind = unicodedata.category(low)
            if kind.startswith("M"):
                if low in TONES:
                    tone += low
                else:
                    marked += low
            elif kind[0] in "LN":
                plain = UNDECOMPOSED.get(low, low)
                key += plain
                marked += plain if len(plain) > 1 else low  # æ is two letters joined, đ is a letter with a mark
    if not key:
        return Letter("", "", "", False, False)
    return Letter(key, unicodedata.normalize("NFC", marked), tone, True, False)


def expand_references(text: str) -> list[tuple[str, int, int]]:
    """The text's code points as ``(char, start, end)``; an HTML reference is one item over its whole width."""
    items: list[tuple[str, int, int]] = []
    last = 0
    for match in _REFERENCE.finditer(text) if "&" in text else ():
        plain = html.unescape(match.group())
        if plain == match.group() or len(plain) > 2:
            continue
        items.extend((c, i, i + 1) for i, c in enumerate(text[last : match.start()], last))
        items.extend((c, match.start(), match.end()) for c in plain)
        last = match.end()
    items.extend((c, i, i + 1) for i, c in enumerate(text[last:], last))
    return items
