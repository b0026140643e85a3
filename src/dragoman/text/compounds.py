"""Compounds as data: where a long word may be taken apart, and which parts say nothing of their own.

The vocabulary of the index decides what a part means. A pack's ``compounds.toml`` only says how parts are joined, which
heads and modifiers are too general to make another concept (a patient, a ward, an operation), and how a phrase says the
same as a compound (``steen in de nier``, ``niersteen``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from dragoman.folder import Language
from dragoman.text.morphology import Morphology
from dragoman.text.tokens import fold_key


class CompoundsTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``compounds.toml`` of a language; all words as they are written, in the singular.

    ``joined``: the language writes compounds as one word. ``linking``: letters between the parts; ``prefixes`` are
    no first parts. ``stems``: what a verb's stem, as a first part, lacks of its infinitive. ``heads`` follow a
    condition, symptom or procedure and leave it what it is; ``organ_heads`` follow a part of the body and mean its
    speciality. ``modifiers`` stand before a condition and leave it what it is. ``findings`` are nouns that, with a part
    of the body, make a finding; those ``anywhere`` are the same thing wherever they are. In a phrase the part follows
    one of ``links``; after one of ``links_any`` any noun will do. ``determiners`` may stand before the part, and must
    before the words ``behind_determiner``. ``particles`` are first parts of verbs that may stand apart from them, at
    the end of a clause; ``joiners`` begin the next. An adjective behind a noun says of it what it does before it, where
    one of ``copulas`` and nothing but ``degrees`` stands between. ``dropped`` are general heads that people leave out
    of a longer name.
    """

    joined: bool = False
    linking: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    behind_determiner: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    organ_heads: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    anywhere: tuple[str, ...] = ()
    particles: tuple[str, ...] = ()
    joiners: tuple[str, ...] = ()
    copulas: tuple[str, ...] = ()
    degrees: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    links_any: tuple[str, ...] = ()
    determiners: tuple[str, ...] = ()


class Compounds:
    """The rules of several languages, on folded keys."""

    def __init__(self, packs: Iterable[Language], morphology: Morphology) -> None:
        tables = [pack.table("compounds.toml", CompoundsTable) for pack in packs]
        self.joined = any(t.joined for t in tables)
        self.linking = tuple(sorted({x for t in tables for x in t.linking}, key=lambda x: (-len(x), x)))
        self.prefixes = _keys(x for t in tables for x in t.prefixes)
        self.stems = tuple(dict.fromkeys(x for t in tables for x in t.stems))
        self.heads = _keys(x for t in tables for x in (*t.heads, *t.organ_heads))
        self.organ_heads = _keys(x for t in tables for x in t.organ_heads)
        self.modifiers = _keys(x for t in tables for x in t.modifiers)
        self.findings = _keys(x for t in tables for x in t.findings)
        self.anywhere = _keys(x for t in tables for x in t.anywhere)
        self.particles = _keys(x for t in tables for x in t.particles)
        self.joiners = _keys(x for t in tables for x in t.joiners)
        self.copulas = _keys(x for t in tables for x in t.copulas)
        self.degrees = _keys(x for t in tables for x in t.degrees)
        self.dropped = tuple(dict.fromkeys(fold_key(x) for t in tables for x in t.dropped))
        self.links = _keys(x for t in tables for x in t.links)
        self.links_any = _keys(x for t in tables for x in t.links_any)
        self.determiners = _keys(x for t in tables for x in t.determiners)
        self.behind_determiner = _keys(x for t in tables for x in t.behind_determiner)
        self._morphology = morphology

    def head(self, word: str, heads: frozenset[str]) -> bool:
        """Whether ``word`` is one of ``heads``, in any inflection."""
        return word in heads or any(f.word in heads for f in self._morphology.lemmas(word))

    def bare(self, part: str, least: int = 3) -> Iterator[str]:
        """A first part as written, then without each linking sound that it may end in."""
        if part in self.prefixes:
            return
        yield part
        for link in self.linking:
            if part.endswith(link) and len(part) - len(link) >= least:
                yield part[: -len(link)]

    def head_before(self, keys: list[str], part: int) -> int | None:
        """The place of the noun before "preposition (determiner) part", whatever it is."""
        at = part - 1
        while at > 0 and keys[at] in self.determiners:
            at -= 1
        if at < 1:
            return None
        return at - 1 if keys[at] in self.links_any or keys[at] in self.links else None

    def predicate(self, keys: list[str], noun: int) -> int | None:
        """The place of what is said of the noun: "noun copula (degree) adjective"; right behind it at a text's end."""
        at, copula = noun + 1, False
        while at < len(keys) and (keys[at] in self.copulas or keys[at] in self.degrees):
            copula = copula or keys[at] in self.copulas
            at += 1
        return at if at < len(keys) and copula else None

    def phrase(self, keys: list[str], first: int, *, anything: bool = False) -> tuple[int, int] | None:
        """Where ``keys[first]`` begins "finding preposition (determiner) part": the part's place and its end.

        ``anything``: whatever the noun is.
        """
        size = len(keys)
        if first + 2 >= size:
            return None
        link = keys[first + 1]
        if link not in self.links_any and not (
            link in self.links and (anything or self.head(keys[first], self.findings))
        ):
            return None
        at = first + 2
        while at < size - 1 and keys[at] in self.determiners:
            at += 1
        return (at, at + 1) if keys[at] not in self.determiners else None


def _keys(words: Iterable[str]) -> frozenset[str]:
    return frozenset(fold_key(w) for w in words)
