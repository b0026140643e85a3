"""The words around drug names, from the language packs: what a pack's ``drug_words.toml`` holds, merged and folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.text.tokens import Token, fold_key, tokenize
from dragoman.text.words import words as known_words

FILE = "drug_words.toml"
COMMON_FILE = "commonwords.txt"
OTHER_FILE = "otherwords.txt"
SYLLABLES_FILE = "syllables.toml"

COMMON = 1
SYLLABLE = 2


class DrugWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``drug_words.toml`` of a pack; all lists may be empty.

    ``before``: words that announce a name (``thuốc X``), ``not_before``: words after which they do not (``nhà
    thuốc``). ``around``: words that make a drug likely within two tokens on either side (forms, ways of giving).
    ``asked_of``: what is asked of drugs alone, right before a name (``side effects of``), ``asked_after``: the same
    right behind it; not for languages that make words of words, where such a name may be any treatment's.
    ``units``: dose units, behind a number. ``classes``: names of drug classes, which are no drugs. ``salts``: words
    that follow a drug's name and are no drug by themselves. ``makers``: companies. ``everyday``: words that mean a
    drug only beside evidence, though a catalogue may have them. ``not_drugs``: other words of health talk that are no
    name, misspelt or not. ``connectors``: what stands between the parts of a combination. ``stems``: endings of
    nonproprietary names; ``stem_letters`` is how many letters come before one. ``inflections``: endings that a name
    takes in a sentence and that make no other name of it. ``more_after``: words behind a product's name that make it
    another product, one with more in it (``HCT``), in any case; ``more_as_written``: the same, in this case alone, for
    they are also ordinary words (``Plus``, ``Met``); ``more_before``: the same before a name, with a hyphen
    (``Co-``), or both with capitals. ``opposites``: words of ``more_as_written`` that are none where their opposite
    follows (``AM or PM``).
    ``more_of_brand``: words (of one or two tokens, in any case) that behind a brand may make another product of it
    (``pm``, ``cold``); ``more_or_same``: the same behind any name (``forte``): both are a question. ``same_product``:
    what begins with such a word and makes none (``extra strength``). ``substances``: endings of what may be a substance
    in the words that are tied to a name. ``forms``: nouns of forms that are run on to a name (``zetpil``, ``Saft``).
    ``analytes``: what a laboratory measures; with a figure it is no drug's name unless the catalogue has it.
    ``only_like``: a name's last word and the one behind it that make no name in small letters
    (``one vitamin a day``).
    """

    before: tuple[str, ...] = ()
    not_before: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    asked_of: tuple[str, ...] = ()
    asked_after: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    salts: tuple[str, ...] = ()
    makers: tuple[str, ...] = ()
    everyday: tuple[str, ...] = ()
    not_drugs: tuple[str, ...] = ()
    connectors: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    stem_letters: int = 3
    inflections: tuple[str, ...] = ()
    more_after: tuple[str, ...] = ()
    more_as_written: tuple[str, ...] = ()
    more_before: tuple[str, ...] = ()
    opposites: dict[str, str] = {}
    more_of_brand: tuple[str, ...] = ()
    more_or_same: tuple[str, ...] = ()
    same_product: tuple[str, ...] = ()
    substances: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    analytes: tuple[str, ...] = ()
    only_like: tuple[str, ...] = ()


class Syllables(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``syllables.toml``: onsets and rimes, without tone marks, of a language whose words are single syllables.

    A token that is an onset and a rime is a word of the language, whether or not any list has it.
    """

    onsets: tuple[str, ...] = ()
    rimes: tuple[str, ...] = ()

    def all(self) -> frozenset[str]:
        """Every syllable, folded."""
        rimes = [fold_key(r) for r in self.rimes]
        return frozenset(fold_key(o) + r if o else r for o in self.onsets for r in rimes)


class Words(NamedTuple):
    """A set of single words that holds with marks, or without any where the text has none (see ``has``)."""

    marked: frozenset[str]
    keys: frozenset[str]

    def has(self, token: Token) -> bool:
        """Whether ``token`` is one of the words: with its marks, or typed bare."""
        return token.marked in self.marked or (token.key == token.marked and token.key in self.keys)


def words(lists: Iterable[Iterable[str]]) -> Words:
    """Single words of several lists; entries of more than one token count by each of them being a word of its own."""
    tokens = [token for entries in lists for entry in entries for token in tokenize(entry).tokens]
    return Words(frozenset(t.marked for t in tokens), frozenset(t.key for t in tokens))


Phrases = tuple[tuple[tuple[str, str], ...], ...]
"""Phrases as the marked form and the key of each of their words."""


class WordTable(NamedTuple):
    """All packs' drug words, merged."""

    before: Words
    not_before: Words
    around: Words
    asked_of: dict[str, Phrases]
    asked_after: dict[str, Phrases]
    units: frozenset[str]
    classes: dict[str, str]
    salts: frozenset[str]
    makers: frozenset[str]
    everyday: frozenset[str]
    not_drugs: frozenset[str]
    connectors: frozenset[str]
    stems: tuple[str, ...]
    stem_letters: int
    inflections: frozenset[str]
    more_after: frozenset[str]
    more_as_written: frozenset[str]
    more_before: frozenset[str]
    opposites: dict[str, str]
    more_of_brand: frozenset[str]
    more_or_same: frozenset[str]
    same_product: frozenset[str]
    substances: tuple[str, ...]
    forms: tuple[str, ...]
    analytes: frozenset[str]
    only_like: frozenset[str]


def merge_words(packs: Iterable[Language]) -> WordTable:
    """The drug words of ``packs`` as one table; single words are folded."""
    tables = [pack.table(FILE, DrugWords) for pack in packs]
    return WordTable(
        before=words(t.before for t in tables),
        not_before=words(t.not_before for t in tables),
        around=words(t.around for t in tables),
        asked_of=_phrases((t.asked_of for t in tables), -1),
        asked_after=_phrases((t.asked_after for t in tables), 0),
        units=_keys(t.units for t in tables),
        classes={fold_key(c): marked(c) for t in tables for c in t.classes},
        salts=_keys(t.salts for t in tables),
        makers=_keys(t.makers for t in tables),
        everyday=_keys(t.everyday for t in tables),
        not_drugs=_keys(t.not_drugs for t in tables),
        connectors=_keys(t.connectors for t in tables),
        stems=tuple(sorted({fold_key(s) for t in tables for s in t.stems})),
        stem_letters=max((t.stem_letters for t in tables if t.stems), default=3),
        inflections=_keys(t.inflections for t in tables),
        more_after=_keys(t.more_after for t in tables),
        more_as_written=frozenset(word for t in tables for word in t.more_as_written),
        more_before=_keys(t.more_before for t in tables),
        opposites={word: other for t in tables for word, other in t.opposites.items()},
        more_of_brand=_keys(t.more_of_brand for t in tables),
        more_or_same=_keys(t.more_or_same for t in tables),
        same_product=_keys(t.same_product for t in tables),
        substances=tuple(sorted(_keys(t.substances for t in tables))),
        forms=tuple(sorted(_keys(t.forms for t in tables), key=lambda f: (-len(f), f))),
        analytes=_keys(t.analytes for t in tables),
        only_like=_keys(t.only_like for t in tables),
    )


def marked(text: str) -> str:
    """The marked key of ``text``."""
    tokens = tokenize(text)
    return tokens.marked_key(0, len(tokens))


def _keys(lists: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(fold_key(entry) for entries in lists for entry in entries)


def _phrases(lists: Iterable[Iterable[str]], place: int) -> dict[str, Phrases]:
    """Phrases by the key of their word at ``place``."""
    found: dict[str, list[tuple[tuple[str, str], ...]]] = {}
    for entry in dict.fromkeys(entry for entries in lists for entry in entries):
        phrase = tuple((t.marked, t.key) for t in tokenize(entry).tokens)
        found.setdefault(phrase[place][1], []).append(phrase)
    return {key: tuple(phrases) for key, phrases in found.items()}


def common_flags(packs: Iterable[Language]) -> dict[str, int]:
    """``COMMON`` and ``SYLLABLE`` by folded word: the frequent words of the packs' languages, and their syllables."""
    flags: dict[str, int] = {}
    for pack in packs:
        for word in pack.lines(COMMON_FILE):  # the list is folded as it stands
            flags[word] = flags.get(word, 0) | COMMON
        for syllable in pack.table(SYLLABLES_FILE, Syllables).all():
            flags[syllable] = flags.get(syllable, 0) | SYLLABLE
    flags.pop("", None)
    return flags


def dictionary(packs: Sequence[Language]) -> frozenset[str]:
    """Further words of the packs' languages: none of them is a misspelt name."""
    rare = frozenset(word for pack in packs for word in pack.lines(OTHER_FILE))
    return rare | known_words(packs)
