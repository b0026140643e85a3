"""Compiles the catalogue into the drug part of the index: every alias in all its forms under one canonical key.

``index.drugs_names`` gathers the names, ``index.drugs_flags`` says which need evidence, ``index.drugs_report`` what an
editor should look at; here they become arrays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from dragoman.folder import Language
from dragoman.index.arrays import Writer
from dragoman.index.drugs_flags import Flags
from dragoman.index.drugs_forms import Makers
from dragoman.index.drugs_fuzzy import CATALOGUE, ELSEWHERE, LEAST, PART, WRITTEN, fingerprints, plain_forms, write_near
from dragoman.index.drugs_names import Names, marked
from dragoman.index.drugs_report import DrugReport, ambiguous, collisions
from dragoman.index.drugs_store import GUARDED, HEAD, KINDS, KNOWN, LONGEST, NO_DRUG, write_gate, write_rules
from dragoman.index.drugs_words import WordTable, common_flags, dictionary, merge_words
from dragoman.text import spelling
from dragoman.text.spelling import Speller, SpellingTable
from dragoman.text.tokens import tokenize

if TYPE_CHECKING:
    from dragoman.readers.deployment import Catalog

_LEAST_JOINED = 4  # letters of each of two words that may be run together and misspelt
_UNRANKED = 1 << 30  # a name without a rank is shown after those that have one


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
    def __init__(self, catalog: Catalog, packs: Sequence[Language], ordinary: Container[str]) -> None:
        self.written, self.spoken, self.tables = load_spelling(packs)
        words = merge_words(packs)
        self.common = common_flags(packs)
        self.names = Names(catalog, self.written, self.spoken, _makers(self.written, self.tables, words))
        self.drugs = self.names.drugs
        self.confusable = catalog.confusable
        self.plain = self.written.plain(endings=False), self.written.plain(endings=True)
        self.generic = frozenset(self.written.canonical(sorted(words.salts | words.everyday)))
        flags = Flags(packs, words, self.common, ordinary)
        of_alias = zip(self.names.aliases, self.names.alias_tokens, self.names.alias_drug, strict=True)
        self.flags = [flags.of(alias, tokens, known=drug == NO_DRUG) for alias, tokens, drug in of_alias]

    def write(self, writer: Writer) -> DrugReport:
        """Write all arrays; returns what there is to say."""
        self._write_names(writer)
        self._write_keys(writer)
        self._write_drugs(writer)
        self._write_words(writer)
        return self._report()

    def _write_names(self, writer: Writer) -> None:
        names = self.names
        rules = {"": 0}
        codes = [rules.setdefault(entry.rule, len(rules)) for entry in names.entries]
        writer.strings("drugs.entry.key", (e.key for e in names.entries))
        writer.ints("drugs.entry.alias", (e.alias for e in names.entries))
        writer.ints("drugs.entry.rule", codes, "B")
        writer.strings("drugs.rule", rules)
        writer.strings("drugs.alias.text", (a.text for a in names.aliases))
        writer.strings(
            "drugs.alias.marked", (m if m != t.key(0, len(t)) else "" for t in names.alias_tokens for m in [marked(t)])
        )
        writer.ints("drugs.alias.drug", names.alias_drug)
        writer.ints("drugs.alias.flags", self.flags, "B")
        writer.ints("drugs.alias.kind", (KINDS.index(a.kind) for a in names.aliases), "B")

    def _write_keys(self, writer: Writer) -> None:
        """What a text is looked up by: canonical keys, sounds, and names as they are written."""
        by_canonical, sounds = self.names.by_canonical, self.names.spoken_keys
        writer.table("drugs.key", by_canonical)
        writer.strings("drugs.short", sorted(k for k in by_canonical if len(k) < HEAD))
        heads = _lengths(k for k in by_canonical if len(k) >= HEAD)
        writer.table("drugs.head", heads)
        write_gate(writer, "drugs.gate", heads)
        writer.table("drugs.sound", sounds)
        sound_heads = _lengths(sounds)
        writer.table("drugs.sound.head", sound_heads)
        write_gate(writer, "drugs.sound.gate", sound_heads)
        exact: dict[str, list[int]] = defaultdict(list)
        for entry in self.names.entries:
            if not entry.rule:
                exact[entry.key].append(entry.alias)
        writer.table("drugs.exact", exact)

    def _write_drugs(self, writer: Writer) -> None:
        writer.strings("drugs.id", (d.drug_id for d in self.drugs))
        writer.strings("drugs.name", (d.name for d in self.drugs))
        writer.table("drugs.number", {d.drug_id: [i] for i, d in enumerate(self.drugs)})
        writer.runs("drugs.aliases", self._display_order())
        confusable = self._confusable()
        writer.strings("drugs.confusable.name", (name for names in confusable for name in names))
        writer.runs("drugs.confusable", _places(confusable))

    def _write_words(self, writer: Writer) -> None:
        writer.table("drugs.word", {word: [flag] for word, flag in self.common.items()})
        codas = "".join(c for t in self.tables for c in t.codas)
        write_rules(writer, self.written, self.spoken, codas, "".join(t for table in self.tables for t in table.tones))
        write_near(writer, self._near_words())

    def _report(self) -> DrugReport:
        names = self.names
        known = sum(f & KNOWN > 0 for f in self.flags)
        return DrugReport(
            counts={"drugs": len(self.drugs), "drug aliases": len(names.aliases) - known, "known drug names": known},
            collisions=tuple(collisions(names)),
            ambiguous=ambiguous(names),
            guarded=tuple(
                a.text for a, f in zip(names.aliases, self.flags, strict=True) if f & GUARDED and not f & KNOWN
            ),
            same_substance=tuple(names.same),
        )

    def _near_words(self) -> dict[tuple[str, str], int]:
        """Every word of a name, canonical and plain, with its canonical form: what a misspelt word may be near to."""
        flags: dict[tuple[str, str], int] = {}

        def add(word: str, key: str, flag: int) -> None:
            flags[word, key] = flags.get((word, key), 0) | flag

        for key, numbers in self.names.by_canonical.items():
            entries = [self.names.entries[n] for n in numbers]
            drugs = {self.names.alias_drug[e.alias] for e in entries}
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
        for i, drug in enumerate(self.names.alias_drug):
            if drug != NO_DRUG:
                runs[drug].append(i)

        def rank(i: int) -> tuple[bool, int, int, int]:
            alias = self.names.aliases[i]
            own = alias.text == self.drugs[self.names.alias_drug[i]].name
            return (not own, alias.rank if alias.rank is not None else _UNRANKED, KINDS.index(alias.kind), i)

        for run in runs:
            run.sort(key=rank)
        return runs

    def _confusable(self) -> list[list[str]]:
        """For each drug, what it is confused with: drug ids, or names where the catalogue has none."""
        names: list[list[str]] = [[] for _ in self.drugs]
        for a, b in self.confusable:
            for left, right in ((a, b), (b, a)):
                others = [self.drugs[n].drug_id for n in self._drugs_of(right)] or [right]
                for number in self._drugs_of(left):
                    names[number].extend(o for o in others if o not in names[number])
        return names

    def _drugs_of(self, text: str) -> list[int]:
        """The drugs that an id or a name of a look-alike list means."""
        if text in self.names.number:
            return [self.names.number[text]]
        tokens = tokenize(text)
        key = self.written.joined(tokens.key(0, len(tokens))) if tokens.tokens else ""
        found = map(self.names.drug_of, self.names.by_canonical.get(key, ()))
        return sorted({n for n in found if n != NO_DRUG})


def _makers(written: Speller, tables: Sequence[SpellingTable], words: WordTable) -> Makers:
    """What further forms of a name are made with."""
    return Makers(
        canonical=written.canonical,
        acid="".join(t.acid for t in tables),
        cations=frozenset(written.joined(c) for t in tables for c in t.cations),
        joined_acids=tuple(j for t in tables for j in t.joined_acid),
        units=words.units,
        connectors=words.connectors,
    )


def _lengths(keys: Iterable[str]) -> dict[str, list[int]]:
    """For each head, the lengths of the keys that begin so, as two 32-bit words of bits."""
    bits: dict[str, int] = defaultdict(int)
    for key in keys:
        bits[key[:HEAD]] |= 1 << min(len(key), LONGEST)
    return {head: [b & 0xFFFFFFFF, b >> 32] for head, b in bits.items()}


def _places(runs: Sequence[Sequence[str]]) -> list[list[int]]:
    """The numbers of what stands in each run, counted through."""
    places, at = [], 0
    for run in runs:
        places.append(list(range(at, at + len(run))))
        at += len(run)
    return places
