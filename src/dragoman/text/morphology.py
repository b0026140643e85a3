"""Inflection as data: which dictionary forms a word as typed may stand for.

A language's ``morphology.toml`` lists endings. Each says what a form ends in, what its dictionary form has instead, and
how the stem's spelling changes between the two. Nothing here is a stemmer: a result is a word in its proper spelling,
so that ``mag`` and ``maag`` stay two words, and what is no word of the vocabulary in the end simply matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from dragoman.folder import EVERYWHERE as EVERYWHERE
from dragoman.folder import Language

Shape = Literal["plain", "open", "close"]
Kind = Literal["noun", "diminutive", "adjective", "verb"]

ALL: frozenset[Kind] = frozenset({"noun", "diminutive", "adjective", "verb"})
NAMING: frozenset[Kind] = frozenset({"noun", "diminutive", "adjective"})  # what inflects a word inside a name
ADJECTIVE: frozenset[Kind] = frozenset({"adjective"})
PLURAL: frozenset[Kind] = frozenset({"noun"})
VERB: frozenset[Kind] = frozenset({"verb"})
DERIVING: frozenset[Kind] = frozenset({"noun", "adjective"})


class Ending(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule from a form to its dictionary form; all letters are folded keys.

    ``form`` is what the form ends in, ``lemma`` what stands there instead. ``prefix`` is taken off the front; ``infix``
    out of the middle (a particle may stand before it). What remains in between, the stem, has at least ``keep``
    letters, ends in none of ``not_after``, and in one of ``only_after`` where that is given.

    ``part`` says what inflects so: a verb's forms lead to its infinitive, a name is never one of them.
    ``shape`` is how the stem is respelt: ``open`` from an open syllable to a closed one (``bom-en`` → ``boom``,
    ``wratt-en`` → ``wrat``, ``neuz-en`` → ``neus``), ``close`` the other way (``braak-t`` → ``brak-en``).
    """

    name: str
    part: Kind = "noun"
    form: str = ""
    lemma: str = ""
    prefix: str = ""
    infix: str = ""
    keep: int = 3
    not_after: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    shape: Shape = "plain"


class Orthography(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How syllables are spelt, for ``open`` and ``close``. ``voiced`` maps a consonant to its spelling at the end.

    ``digraphs`` are vowels written with two letters. A stem in one of ``unstressed`` need not double its consonant
    (``wissel-en``); in one of ``short`` it need not double its vowel (``amandel-en``).
    """

    vowels: str = ""
    digraphs: tuple[str, ...] = ()
    unstressed: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    doubling_vowels: str = ""
    doubling_consonants: str = ""
    voiced: dict[str, str] = {}


class MorphologyTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``morphology.toml`` of a language.

    ``inflection`` leads to the same word, ``derivation`` to the noun that an adjective, a person's name or the like is
    made from (a verb by its infinitive), ``stem`` from a verb's stem to its infinitive (where a verb is expected),
    ``root`` to what a noun and a participle have in common (only compared, never shown). The irregular tables map a
    form to its dictionary form. ``homographs`` look like a form of one word, or what a word is derived from, and are,
    as a rule, another. ``subjects`` are pronouns beside which a verb's stem is expected, homograph or not. ``letters``
    are marked letters that carry meaning (see ``marks``).
    """

    orthography: Orthography = Orthography()
    inflection: tuple[Ending, ...] = ()
    derivation: tuple[Ending, ...] = ()
    root: tuple[Ending, ...] = ()
    stem: tuple[Ending, ...] = ()
    irregular: dict[str, str] = {}
    irregular_derivation: dict[str, str] = {}
    irregular_root: dict[str, str] = {}
    homographs: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()


class Form(NamedTuple):
    """A dictionary form that a word may stand for, the rule that leads there, whose it is, and what inflects so."""

    word: str
    rule: str
    language: str
    part: Kind | None  # None: irregular, any


class _Rules:
    """Endings by their last letter, so that a word meets only the rules that can apply to it."""

    def __init__(
        self, language: str, endings: Sequence[Ending], orthography: Orthography, irregular: dict[str, str]
    ) -> None:
        self.language = language
        tails: dict[str, list[Ending]] = {}
        for ending in endings:
            if ending.form:
                tails.setdefault(ending.form[-1], []).append(ending)
        self._always = tuple(e for e in endings if not e.form)
        self._tails = {last: (*self._always, *found) for last, found in tails.items()}
        self.verbs = tuple(e.form for e in endings if e.part == "verb")  # how the verbs end that there are rules for
        self._irregular = irregular
        self._o = orthography

    def apply(self, word: str, parts: frozenset[Kind] = ALL) -> list[Form]:
        if word in self._irregular:
            return [Form(self._irregular[word], "irregular", self.language, None)]
        found: list[Form] = []
        for ending in self._tails.get(word[-1], self._always):
            form = ending.form
            if (form and not word.endswith(form)) or ending.part not in parts:
                continue
            stem = word[: len(word) - len(form)]
            if ending.prefix:
                if not stem.startswith(ending.prefix):
                    continue
                stem = stem[len(ending.prefix) :]
            if ending.infix:
                # a particle of two letters or more, then the infix, then the verb
                at = stem.find(ending.infix, 2)
                while at > 0:
                    rest = stem[at + len(ending.infix) :]
                    if len(rest) >= ending.keep:
                        found.extend(self._shaped(ending, rest, stem[:at]))
                    at = stem.find(ending.infix, at + 1)
                continue
            if len(stem) >= ending.keep:
                found.extend(self._shaped(ending, stem, ""))
        return found

    def _shaped(self, ending: Ending, stem: str, before: str) -> Iterable[Form]:
        if len(stem) < ending.keep or (ending.not_after and stem.endswith(ending.not_after)):
            return
        if ending.only_after and not stem.endswith(ending.only_after):
            return
        if ending.shape == "plain":
            yield Form(before + stem + ending.lemma, ending.name, self.language, ending.part)
            return
        shaped = self._close(stem) if ending.shape == "open" else self._open(stem)
        for one in shaped:
            yield Form(before + one + ending.lemma, ending.name, self.language, ending.part)

    def _close(self, stem: str) -> list[str]:
        """The stem of an open syllable as it is spelt when the syllable is closed."""
        o, last = self._o, stem[-1]
        if last in o.vowels:
            return [stem]
        if len(stem) > 1 and stem[-2] == last:
            return [stem[:-1]] if last in o.doubling_consonants else []
        final = o.voiced.get(last, last)
        if len(stem) > 1 and stem[-2] in o.doubling_vowels and stem[-3:-1] not in o.digraphs:
            long = stem[:-1] + stem[-2] + final
            return [long, stem[:-1] + final] if stem.endswith(o.short) else [long]
        return [stem[:-1] + final]

    def _open(self, stem: str) -> list[str]:
        """The stem of a closed syllable as it is spelt before a vowel."""
        o, last = self._o, stem[-1]
        if last in o.vowels or len(stem) < 2:
            return [stem]
        if stem[-3:-1] in o.digraphs and stem[-2] == stem[-3] and stem[-2] in o.doubling_vowels:
            base = stem[:-2]
            voiced = [base + v for v, final in o.voiced.items() if final == last]
            return [base + last, *voiced]
        if stem[-2] in o.vowels and stem[-3:-1] not in o.digraphs:
            doubled = [stem + last] if last in o.doubling_consonants else [stem]
            return [stem, *doubled] if stem.endswith(o.unstressed) else doubled
        voiced = [stem[:-1] + v for v, final in o.voiced.items() if final == last]
        return [stem, *voiced]


class Morphology:
    """The rules of one or more languages. Words go in and come out as folded keys."""

    def __init__(self, packs: Iterable[Language]) -> None:
        tables = [(pack.code, pack.table("morphology.toml", MorphologyTable)) for pack in packs]
        self._inflection = [_Rules(c, t.inflection, t.orthography, t.irregular) for c, t in tables if t.inflection]
        self._derivation = [
            _Rules(c, t.derivation, t.orthography, t.irregular_derivation) for c, t in tables if t.derivation
        ]
        self._root = [_Rules(c, t.root, t.orthography, t.irregular_root) for c, t in tables if t.root]
        self._stems = [_Rules(c, t.stem, t.orthography, {}) for c, t in tables if t.stem]
        self._homographs = frozenset(w for _, t in tables for w in t.homographs)
        self._subjects = frozenset(w for _, t in tables for w in t.subjects)

    def lemmas(self, word: str, parts: frozenset[Kind] = ALL) -> list[Form]:
        """The dictionary forms that ``word`` may be an inflected form of, itself not among them.

        ``parts``: which kinds of inflection are looked at. An irregular form has its own dictionary form alone.
        """
        if len(word) < 3 or word in self._homographs:
            return []
        found: list[Form] = []
        for rules in self._inflection:
            found.extend(rules.apply(word, parts))
        return found

    def is_homograph(self, word: str) -> bool:
        """Whether ``word`` is, as a rule, another word than the one that its form leads to."""
        return word in self._homographs

    def is_subject(self, word: str) -> bool:
        """Whether a verb's stem is expected beside ``word``."""
        return word in self._subjects

    def infinitives(self, word: str) -> list[str]:
        """The verbs that ``word`` may be a finite form or the stem of."""
        found = [f.word for f in self.lemmas(word) if f.part in (None, "verb")]
        for rules in self._stems:
            found.extend(f.word for f in rules.apply(word))
        return list(dict.fromkeys(found))

    def sources(self, word: str, lemmas: Sequence[Form] | None = None) -> list[Form]:
        """The nouns that ``word``, or a form that it is an inflection of, is derived from.

        ``lemmas`` are the word's own, where the caller has them. No language derives from another's inflected form.
        """
        if len(word) < 3 or not self._derivation or word in self._homographs:
            return []
        found: list[Form] = []
        forms = self.lemmas(word) if lemmas is None else lemmas
        for rules in self._derivation:
            own = [f for f in forms if f.language in (rules.language, EVERYWHERE)]
            adjectives = dict.fromkeys([word, *(f.word for f in own if f.part in (None, "adjective"))])
            nouns = dict.fromkeys([word, *(f.word for f in own if f.part in (None, "noun"))])
            for form in adjectives:
                found.extend(rules.apply(form, DERIVING if form in nouns else ADJECTIVE))
            for form in nouns:
                if form not in adjectives:
                    found.extend(rules.apply(form, PLURAL))
            if rules.verbs:
                for form in (word, *(f.word for f in own if f.part == "verb")):
                    if form.endswith(rules.verbs):
                        found.extend(rules.apply(form, VERB))
        return found

    def origins(self, word: str, lemmas: Sequence[Form] | None = None) -> list[str]:
        """What nouns and participles of one origin have in common, written ``root~``; nothing for other words."""
        if len(word) < 3:
            return []
        found: list[str] = []
        forms = [word, *(f.word for f in (self.lemmas(word, NAMING) if lemmas is None else lemmas) if f.part != "verb")]
        for rules in self._root:
            for form in forms:
                found.extend(f"{f.word}~" for f in rules.apply(form))
        return list(dict.fromkeys(found))[:4]

    def adjectives(self, word: str) -> list[str]:
        """``word`` as an adjective may stand behind its noun: itself, and what it is an inflected form of."""
        return list(dict.fromkeys([word, *(f.word for f in self.lemmas(word, ADJECTIVE))]))

    def bases(self, word: str, lemmas: Sequence[Form] | None = None) -> list[str]:
        """``word`` and its dictionary forms, as what stands in a name."""
        forms = self.lemmas(word, NAMING) if lemmas is None else lemmas
        return list(dict.fromkeys([word, *(f.word for f in forms if f.part != "verb")]))[:4]

    def roots(self, word: str, lemmas: Sequence[Form] | None = None) -> list[str]:
        """``origins`` and ``bases`` together."""
        return [*self.origins(word, lemmas), *self.bases(word, lemmas)]


class SpellingTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``spelling_terms.toml`` of a language: ``rules`` are ``[letters, pattern, replacement]``, applied in order.

    A word without the ``letters`` is left alone by the rule. ``doubled`` letters count once.
    """

    rules: tuple[tuple[str, str, str], ...] = ()
    doubled: str = ""


class Spelling:
    """Folds spellings of one word into one form that is only compared, never shown."""

    def __init__(self, packs: Iterable[Language]) -> None:
        tables = [pack.table("spelling_terms.toml", SpellingTable) for pack in packs]
        self._rules = [(letters, re.compile(pattern).sub, to) for t in tables for letters, pattern, to in t.rules]
        doubled = "".join(sorted({c for table in tables for c in table.doubled}))
        # all but the last of a run; with nothing to put in their place there is no template to fill in
        self._doubled = re.compile(f"([{doubled}])(?=\\1)").sub if doubled else None

    def fold(self, word: str) -> str:
        """``word`` (a folded key) with its variable spellings made one, doubled letters too."""
        word = self.strict(word)
        return self._doubled("", word) if self._doubled is not None else word

    def strict(self, word: str) -> str:
        """As ``fold``, with doubled letters as they are: ``manen`` and ``mannen`` stay two words."""
        for letters, rewrite, to in self._rules:
            if letters in word:
                word = rewrite(to, word)
        return word
