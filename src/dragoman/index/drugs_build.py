"""Compiles the catalogue into the drug part of the index: every alias in all its forms under one canonical key.

Two names of different drugs that the spelling rules make equal are *collisions*: they are reported, and while an index
is asked the rules between them are off for that pair (see ``index.drugs``). A known-elsewhere name that differs from a
catalogue name by safe rules alone is the same substance in another spelling, and is left out of the known names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.index.arrays import Writer
from dragoman.index.drugs_forms import Form, Makers, combination, forms
from dragoman.index.drugs_fuzzy import CATALOGUE, ELSEWHERE, LEAST, PART, WRITTEN, fingerprints, plain_forms, write_near
from dragoman.index.drugs_store import (
    ABBREVIATION,
    GUARDED,
    HEAD,
    KINDS,
    KNOWN,
    LONGEST,
    MARKED,
    MARKS,
    NO_DRUG,
    PUNCTUATED,
    write_gate,
    write_rules,
)
from dragoman.index.drugs_words import COMMON, SYLLABLE, WordTable, common_flags, dictionary, merge_words
from dragoman.text import spelling
from dragoman.text.spelling import Speller, SpellingTable
from dragoman.text.tokens import Tokens, tokenize

if TYPE_CHECKING:
    from dragoman.readers.deployment import Catalog

_SPOKEN_LEAST = 6
_SHORT = 3
_LEAST_JOINED = 4  # letters of each of two words that may be run together and misspelt


class Collision(msgspec.Struct, frozen=True, kw_only=True):
    """Two names of different drugs that ``rules`` make equal (``b_id`` None: a name known elsewhere)."""

    a: str
    a_id: str
    b: str
    b_id: str | None
    rules: tuple[str, ...]


class DrugReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the build says of the catalogue.

    ``ambiguous``: aliases that name several drugs. ``guarded``: aliases that count only beside evidence (a dose, a
    form, capitals), because they are short or an ordinary word. ``same_substance``: known names left out because safe
    rules make them a catalogue name.
    """

    counts: dict[str, int] = {}
    collisions: tuple[Collision, ...] = ()
    ambiguous: dict[str, tuple[str, ...]] = {}
    guarded: tuple[str, ...] = ()
    same_substance: tuple[tuple[str, str], ...] = ()


class _Entry(NamedTuple):
    key: str
    alias: int
    rule: str


class _Name(NamedTuple):
    text: str
    kind: str = "generic"
    language: str | None = None
    rank: int | None = None


def load_spelling(packs: Sequence[Language]) -> tuple[Speller, Speller, list[SpellingTable]]:
    """The written and the spoken speller of ``packs``, and their tables; the general rules (the last pack's) come
    first, so that the rules of one language may build on them."""
    tables = [pack.table(spelling.FILE, SpellingTable) for pack in reversed(packs)]
    written, spoken = spelling.merge(tables)
    return written, spoken, tables


def write_dictionary(writer: Writer, packs: Sequence[Language]) -> None:
    """Write the words of the languages that are long enough to be taken for a misspelt name, as fingerprints."""
    writer.ints("drugs.dictionary", fingerprints(sorted(w for w in dictionary(packs) if len(w) >= LEAST)))


def compile_drugs(
    catalog: Catalog, languages: Sequence[Language], writer: Writer, words: Container[str] | None = None
) -> DrugReport:
    """Write the drug part of the index. ``languages``: the packs, the corpus language first, the general one last.

    ``words``: the packs' words, where the part that this one stands on has their list; else they are read from the
    packs and written.
    """
    if words is None:
        write_dictionary(writer, languages)
    return _Build(catalog, languages, dictionary(languages) if words is None else words).write(writer)


class _Build:
    def __init__(self, catalog: Catalog, packs: Sequence[Language], words: Container[str]) -> None:
        self.packs = packs
        self.written, self.spoken, self.tables = load_spelling(packs)
        self.plain = self.written.plain(endings=False), self.written.plain(endings=True)
        self.words: WordTable = merge_words(packs)
        self.generic = frozenset(self.written.canonical(sorted(self.words.salts | self.words.everyday)))
        self.flags_of = common_flags(packs)
        self.dictionary = words
        self.marks = {pack.code for pack in packs if pack.marks_matter}
        self.corpus = packs[0].code if packs else ""
        self.drugs = [d for d in catalog.drugs if d.status == "active"]
        self.number = {d.drug_id: i for i, d in enumerate(self.drugs)}
        self.confusable = catalog.confusable
        self.aliases: list[_Name] = []
        self.alias_tokens: list[Tokens] = []
        self.alias_drug: list[int] = []
        self.entries: list[_Entry] = []
        self.by_canonical: dict[str, list[int]] = defaultdict(list)
        self.spoken_keys: dict[str, list[int]] = defaultdict(list)
        self.same: list[tuple[str, str]] = []
        self.makers = Makers(
            canonical=self.written.canonical,
            acid="".join(t.acid for t in self.tables),
            cations=frozenset(self.written.joined(c) for t in self.tables for c in t.cations),
            joined_acids=tuple(j for t in self.tables for j in t.joined_acid),
            units=self.words.units,
            connectors=self.words.connectors,
        )
        self._names(catalog)
        self._ingredients()
        self._known(catalog.known)

    # --- names ---

    def _names(self, catalog: Catalog) -> None:
        seen: set[tuple[int, str]] = set()
        own = ((d.drug_id, _Name(d.name, rank=0)) for d in self.drugs)
        others = ((a.drug_id, _Name(a.alias, a.kind, a.language, a.display_rank)) for a in catalog.aliases)
        for drug_id, name in chain(own, others):
            drug = self.number.get(drug_id)
            tokens = tokenize(name.text)
            if drug is None or not tokens.tokens or (drug, _marked(tokens)) in seen:
                continue
            seen.add((drug, _marked(tokens)))
            self._add(name, tokens, drug, forms(name.text, self.makers))

    def _add(self, alias: _Name, tokens: Tokens, drug: int, written: Iterable[Form]) -> None:
        number = len(self.aliases)
        self.aliases.append(alias)
        self.alias_tokens.append(tokens)
        self.alias_drug.append(drug)
        keys: set[str] = set()
        for form in written:
            if form.key in keys:
                continue
            keys.add(form.key)
            entry = len(self.entries)
            self.entries.append(_Entry(form.key, number, form.rule))
            self.by_canonical[self.written.joined(form.key)].append(entry)
            if drug != NO_DRUG and not form.rule:
                sound = self.spoken.joined(form.key.replace(" ", ""))
                if len(sound) >= _SPOKEN_LEAST and sound.isalpha():
                    self.spoken_keys[sound].append(entry)

    def _ingredients(self) -> None:
        """Names of combination products from those of their ingredients."""
        first: dict[int, int] = {}
        for i, owner in enumerate(self.alias_drug):
            first.setdefault(owner, i)
        for number, drug in enumerate(self.drugs):
            names = [self.drugs[self.number[i]].name if i in self.number else i for i in drug.ingredients if i.strip()]
            parts = [tokens.key(0, len(tokens)) for tokens in map(tokenize, names) if len(tokens)]
            for form in combination(parts):
                key = self.written.joined(form.key)
                if not any(self.alias_drug[self.entries[e].alias] == number for e in self.by_canonical.get(key, ())):
                    self.by_canonical[key].append(len(self.entries))
                    self.entries.append(_Entry(form.key, first[number], form.rule))

    def _known(self, known: Iterable[str]) -> None:
        safe = {rule.name for rule in self.written.rules if rule.safe} | {"words"}
        taken: set[str] = set()
        for name in known:
            tokens = tokenize(name)
            key = tokens.key(0, len(tokens)) if len(tokens) else ""
            if not key or key in taken or len(key) < _SHORT:
                continue
            taken.add(key)
            twin = None
            for number in self.by_canonical.get(self.written.joined(key), ()):
                entry = self.entries[number]
                if self.alias_drug[entry.alias] == NO_DRUG:
                    continue
                if entry.key == key or self._same_substance(key, entry.key, safe):
                    twin = self.aliases[entry.alias].text
                    break
            if twin is not None:
                self.same.append((name, twin))
                continue
            self._add(_Name(name), tokens, NO_DRUG, forms(name, self.makers))

    def _same_substance(self, a: str, b: str, safe: set[str]) -> bool:
        rules = set(self.written.explain(a, b))
        if "spaces" in rules and all(min(map(len, k.split(" "))) > 2 for k in (a, b)):
            rules.discard("spaces")  # joined elsewhere, but no single letter or digit that makes another name
        return rules <= safe

    # --- what the report says ---

    def _collisions(self) -> Iterator[Collision]:
        for numbers in self.by_canonical.values():
            if len(numbers) < 2:
                continue
            told: set[tuple[int, int, str]] = set()
            for x, y in combinations((self.entries[n] for n in numbers), 2):
                a, b = self.alias_drug[x.alias], self.alias_drug[y.alias]
                if a == NO_DRUG:
                    x, y, a, b = y, x, b, a
                if a in {b, NO_DRUG} or x.key == y.key:
                    continue
                pair = (a, b, y.key if b == NO_DRUG else "")
                if pair in told:
                    continue
                told.add(pair)
                yield Collision(
                    a=self.aliases[x.alias].text,
                    a_id=self.drugs[a].drug_id,
                    b=self.aliases[y.alias].text,
                    b_id=None if b == NO_DRUG else self.drugs[b].drug_id,
                    rules=self.written.explain(x.key, y.key),
                )

    def _ambiguous(self) -> dict[str, tuple[str, ...]]:
        drugs: dict[str, list[int]] = defaultdict(list)
        for entry in self.entries:
            if not entry.rule and self.alias_drug[entry.alias] not in drugs[entry.key]:
                drugs[entry.key].append(self.alias_drug[entry.alias])
        return {
            key: tuple(self.drugs[n].drug_id for n in numbers if n != NO_DRUG)
            for key, numbers in sorted(drugs.items())
            if sum(n != NO_DRUG for n in numbers) > 1
        }

    # --- writing ---

    def _flags(self, number: int) -> int:
        alias, tokens = self.aliases[number], self.alias_tokens[number]
        keys = tokens.keys
        flags = 0
        if self.alias_drug[number] == NO_DRUG:
            flags |= KNOWN
        if alias.kind == "abbreviation" or (len(keys) == 1 and len(keys[0]) <= 4 and alias.text.isupper()):
            flags |= ABBREVIATION
        if (alias.language or self.corpus) in self.marks:
            flags |= MARKS
        if _marked(tokens) != " ".join(keys):
            flags |= MARKED
        if any(c in alias.text for c in "(),;:/."):
            flags |= PUNCTUATED
        if self._is_ordinary(keys) or (flags & ABBREVIATION and len(keys) == 1 and keys[0] in self.dictionary):
            flags |= GUARDED
        if flags & KNOWN and len(keys) == 1 and keys[0] in self.words.salts:
            flags |= GUARDED
        return flags

    def _is_ordinary(self, keys: list[str]) -> bool:
        """Whether an alias could be ordinary words: one short or common word, or two common ones."""
        key = " ".join(keys)
        if key in self.words.everyday or key in self.words.makers or len(key) < _SHORT:
            return True
        if len(keys) == 1:
            return bool(self.flags_of.get(key, 0) & (COMMON | SYLLABLE)) and key not in self.words.salts
        if len(keys) > 2:
            return False
        tell = self.words.salts | self.words.everyday
        return all(self.flags_of.get(k, 0) or k.isdigit() for k in keys) and not any(k in tell for k in keys)

    def _lengths(self, keys: Iterable[str]) -> dict[str, list[int]]:
        """For each head, the lengths of the keys that begin so, as two 32-bit words of bits."""
        bits: dict[str, int] = defaultdict(int)
        for key in keys:
            bits[key[:HEAD]] |= 1 << min(len(key), LONGEST)
        return {head: [b & 0xFFFFFFFF, b >> 32] for head, b in bits.items()}

    def write(self, writer: Writer) -> DrugReport:
        rules = {"": 0}
        codes = [rules.setdefault(entry.rule, len(rules)) for entry in self.entries]
        flags = [self._flags(i) for i in range(len(self.aliases))]
        writer.strings("drugs.entry.key", (e.key for e in self.entries))
        writer.ints("drugs.entry.alias", (e.alias for e in self.entries))
        writer.ints("drugs.entry.rule", codes, "B")
        writer.strings("drugs.rule", rules)
        writer.strings("drugs.alias.text", (a.text for a in self.aliases))
        writer.strings(
            "drugs.alias.marked", (m if m != t.key(0, len(t)) else "" for t in self.alias_tokens for m in [_marked(t)])
        )
        writer.ints("drugs.alias.drug", self.alias_drug)
        writer.ints("drugs.alias.flags", flags, "B")
        writer.ints("drugs.alias.kind", (KINDS.index(a.kind) for a in self.aliases), "B")
        writer.table("drugs.key", self.by_canonical)
        writer.strings("drugs.short", sorted(k for k in self.by_canonical if len(k) < HEAD))
        heads = self._lengths(k for k in self.by_canonical if len(k) >= HEAD)
        writer.table("drugs.head", heads)
        write_gate(writer, "drugs.gate", heads)
        sounds = self._lengths(self.spoken_keys)
        writer.table("drugs.sound", self.spoken_keys)
        writer.table("drugs.sound.head", sounds)
        write_gate(writer, "drugs.sound.gate", sounds)
        writer.strings("drugs.id", (d.drug_id for d in self.drugs))
        writer.strings("drugs.name", (d.name for d in self.drugs))
        writer.table("drugs.number", {d.drug_id: [i] for i, d in enumerate(self.drugs)})
        writer.runs("drugs.aliases", self._display_order())
        writer.strings("drugs.confusable.name", (name for names in self._confusable() for name in names))
        writer.runs("drugs.confusable", self._confusable_runs())
        writer.table("drugs.word", {word: [flag] for word, flag in self.flags_of.items()})
        codas = "".join(c for t in self.tables for c in t.codas)
        write_rules(writer, self.written, self.spoken, codas, "".join(t for table in self.tables for t in table.tones))
        exact: dict[str, list[int]] = defaultdict(list)
        for entry in self.entries:
            if not entry.rule:
                exact[entry.key].append(entry.alias)
        writer.table("drugs.exact", exact)
        write_near(writer, self._near_words())
        known = sum(f & KNOWN > 0 for f in flags)
        return DrugReport(
            counts={"drugs": len(self.drugs), "drug aliases": len(self.aliases) - known, "known drug names": known},
            collisions=tuple(self._collisions()),
            ambiguous=self._ambiguous(),
            guarded=tuple(a.text for a, f in zip(self.aliases, flags, strict=True) if f & GUARDED and not f & KNOWN),
            same_substance=tuple(self.same),
        )

    def _near_words(self) -> dict[tuple[str, str], int]:
        """Every word of a name, canonical and plain, with its canonical form: what a misspelt word may be near to."""
        flags: dict[tuple[str, str], int] = {}

        def add(word: str, key: str, flag: int) -> None:
            flags[word, key] = flags.get((word, key), 0) | flag

        for key, numbers in self.by_canonical.items():
            entries = [self.entries[n] for n in numbers]
            drugs = {self.alias_drug[e.alias] for e in entries}
            flag = (CATALOGUE if drugs - {NO_DRUG} else 0) | (ELSEWHERE if NO_DRUG in drugs else 0)
            typed = entries[0].key.split(" ")
            words = self.written.canonical(typed)
            if len(words) == 1 or (len(words) == 2 and min(map(len, words)) >= _LEAST_JOINED):
                add(key, key, flag)
                for entry in entries:
                    for form in plain_forms(self.plain, entry.key.split(" ")):
                        add(form, key, flag | WRITTEN)
            if len(words) > 1 and flag & CATALOGUE:
                for word, own in zip(words, typed, strict=True):
                    if word not in self.generic:
                        add(word, word, CATALOGUE | PART)
                        for form in plain_forms(self.plain, [own]):
                            add(form, word, CATALOGUE | PART | WRITTEN)
        return flags

    def _display_order(self) -> list[list[int]]:
        """Each drug's aliases as they are shown: its own name, then by rank, generic before brand, file order."""
        runs: list[list[int]] = [[] for _ in self.drugs]
        for i, drug in enumerate(self.alias_drug):
            if drug != NO_DRUG:
                runs[drug].append(i)
        last = 1 << 30

        def rank(i: int) -> tuple[bool, int, int, int]:
            alias = self.aliases[i]
            own = alias.text == self.drugs[self.alias_drug[i]].name
            return (not own, alias.rank if alias.rank is not None else last, KINDS.index(alias.kind), i)

        for run in runs:
            run.sort(key=rank)
        return runs

    def _confusable(self) -> list[list[str]]:
        """For each drug, what it is confused with: drug ids, or names where the catalogue has none."""
        names: list[list[str]] = [[] for _ in self.drugs]

        def drugs_of(text: str) -> list[int]:
            if text in self.number:
                return [self.number[text]]
            key = self.written.joined(tokenize(text).key(0, len(tokenize(text)))) if tokenize(text).tokens else ""
            found = (self.alias_drug[self.entries[e].alias] for e in self.by_canonical.get(key, ()))
            return sorted({n for n in found if n != NO_DRUG})

        for a, b in self.confusable:
            for left, right in ((a, b), (b, a)):
                others = [self.drugs[n].drug_id for n in drugs_of(right)] or [right]
                for number in drugs_of(left):
                    names[number].extend(o for o in others if o not in names[number])
        return names

    def _confusable_runs(self) -> list[list[int]]:
        runs, at = [], 0
        for names in self._confusable():
            runs.append(list(range(at, at + len(names))))
            at += len(names)
        return runs


def _marked(tokens: Tokens) -> str:
    return tokens.marked_key(0, len(tokens))
