"""What is known of a drug's name beforehand: that it is an abbreviation, or an ordinary word that needs evidence."""

from __future__ import annotations

from collections.abc import Container, Sequence

from dragoman.folder import Language
from dragoman.index.drugs_names import SHORT, Name, marked
from dragoman.index.drugs_store import ABBREVIATION, GUARDED, KNOWN, MARKED, MARKS, PUNCTUATED
from dragoman.index.drugs_words import COMMON, SYLLABLE, WordTable
from dragoman.text.tokens import Tokens

_CAPITALS = 4  # letters of a name in capitals, up to which it is an abbreviation
_PUNCTUATION = "(),;:/."


class Flags:
    """The flags of names, as bits. ``words`` and ``common`` are the packs' tables, ``ordinary`` all words they have."""

    def __init__(
        self, packs: Sequence[Language], words: WordTable, common: dict[str, int], ordinary: Container[str]
    ) -> None:
        self.words = words
        self.common = common
        self.ordinary = ordinary
        self.marks = {pack.code for pack in packs if pack.marks_matter}
        self.corpus = packs[0].code if packs else ""

    def of(self, alias: Name, tokens: Tokens, *, known: bool) -> int:
        """The flags of one name; ``known``: it is no drug of the catalogue's."""
        keys = tokens.keys
        flags = KNOWN if known else 0
        if alias.kind == "abbreviation" or (len(keys) == 1 and len(keys[0]) <= _CAPITALS and alias.text.isupper()):
            flags |= ABBREVIATION
        if (alias.language or self.corpus) in self.marks:
            flags |= MARKS
        if marked(tokens) != " ".join(keys):
            flags |= MARKED
        if any(c in alias.text for c in _PUNCTUATION):
            flags |= PUNCTUATED
        if self._is_ordinary(keys) or (flags & ABBREVIATION and len(keys) == 1 and keys[0] in self.ordinary):
            flags |= GUARDED
        if known and len(keys) == 1 and keys[0] in self.words.salts:
            flags |= GUARDED
        return flags

    def _is_ordinary(self, keys: list[str]) -> bool:
        """Whether a name could be ordinary words: one short or common word, or two common ones."""
        key = " ".join(keys)
        if key in self.words.everyday or key in self.words.makers or len(key) < SHORT:
            return True
        if len(keys) == 1:
            return bool(self.common.get(key, 0) & (COMMON | SYLLABLE)) and key not in self.words.salts
        if len(keys) > 2:
            return False
        tell = self.words.salts | self.words.everyday
        return all(self.common.get(k, 0) or k.isdigit() for k in keys) and not any(k in tell for k in keys)
