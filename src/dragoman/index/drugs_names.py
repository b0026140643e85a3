"""Every name that the catalogue has or that is known elsewhere, in all its forms, gathered under one canonical key.

A known-elsewhere name that differs from a catalogue name by safe rules alone is the same substance in another spelling,
and is left out of the known names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from dragoman.index.drugs_forms import Form, Makers, combination, forms
from dragoman.index.drugs_store import NO_DRUG
from dragoman.text.spelling import Speller
from dragoman.text.tokens import Tokens, tokenize

if TYPE_CHECKING:
    from dragoman.readers.deployment import Catalog

SHORT = 3  # letters below which a name says too little
_SPOKEN_LEAST = 6


class Entry(NamedTuple):
    """One form of a name: its folded ``key``, the number of the alias it belongs to, and the rule that made it."""

    key: str
    alias: int
    rule: str


class Name(NamedTuple):
    """A name as it is written in the catalogue or in the list of known names."""

    text: str
    kind: str = "generic"
    language: str | None = None
    rank: int | None = None


class Names:
    """The names of ``catalog``'s active drugs, then those known elsewhere.

    ``aliases``, ``alias_tokens`` and ``alias_drug`` go by the number of the alias (``NO_DRUG`` for a known name);
    ``entries`` by the number of the entry, which ``by_canonical`` and ``spoken_keys`` hold. ``same``: known names that
    were left out, each with the catalogue's name.
    """

    def __init__(self, catalog: Catalog, written: Speller, spoken: Speller, makers: Makers) -> None:
        self.written = written
        self.spoken = spoken
        self.makers = makers
        self.drugs = [d for d in catalog.drugs if d.status == "active"]
        self.number = {d.drug_id: i for i, d in enumerate(self.drugs)}
        self.aliases: list[Name] = []
        self.alias_tokens: list[Tokens] = []
        self.alias_drug: list[int] = []
        self.entries: list[Entry] = []
        self.by_canonical: dict[str, list[int]] = defaultdict(list)
        self.spoken_keys: dict[str, list[int]] = defaultdict(list)
        self.same: list[tuple[str, str]] = []
        self._take(catalog)
        self._take_combinations()
        self._take_known(catalog.known)

    def drug_of(self, entry: int) -> int:
        """The number of the drug that an entry names, ``NO_DRUG`` for a name known elsewhere."""
        return self.alias_drug[self.entries[entry].alias]

    def _take(self, catalog: Catalog) -> None:
        seen: set[tuple[int, str]] = set()
        own = ((d.drug_id, Name(d.name, rank=0)) for d in self.drugs)
        others = ((a.drug_id, Name(a.alias, a.kind, a.language, a.display_rank)) for a in catalog.aliases)
        for drug_id, name in chain(own, others):
            drug = self.number.get(drug_id)
            tokens = tokenize(name.text)
            if drug is None or not tokens.tokens or (drug, marked(tokens)) in seen:
                continue
            seen.add((drug, marked(tokens)))
            self._add(name, tokens, drug, forms(name.text, self.makers))

    def _add(self, alias: Name, tokens: Tokens, drug: int, written: Iterable[Form]) -> None:
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
            self.entries.append(Entry(form.key, number, form.rule))
            self.by_canonical[self.written.joined(form.key)].append(entry)
            if drug != NO_DRUG and not form.rule:
                sound = self.spoken.joined(form.key.replace(" ", ""))
                if len(sound) >= _SPOKEN_LEAST and sound.isalpha():
                    self.spoken_keys[sound].append(entry)

    def _take_combinations(self) -> None:
        """Names of combination products from those of their ingredients."""
        first: dict[int, int] = {}
        for i, owner in enumerate(self.alias_drug):
            first.setdefault(owner, i)
        for number, drug in enumerate(self.drugs):
            names = [self.drugs[self.number[i]].name if i in self.number else i for i in drug.ingredients if i.strip()]
            parts = [tokens.key(0, len(tokens)) for tokens in map(tokenize, names) if len(tokens)]
            for form in combination(parts):
                key = self.written.joined(form.key)
                if not any(self.drug_of(entry) == number for entry in self.by_canonical.get(key, ())):
                    self.by_canonical[key].append(len(self.entries))
                    self.entries.append(Entry(form.key, first[number], form.rule))

    def _take_known(self, known: Iterable[str]) -> None:
        safe = {rule.name for rule in self.written.rules if rule.safe} | {"words"}
        taken: set[str] = set()
        for name in known:
            tokens = tokenize(name)
            key = tokens.key(0, len(tokens)) if len(tokens) else ""
            if not key or key in taken or len(key) < SHORT:
                continue
            taken.add(key)
            twin = self._twin(key, safe)
            if twin is not None:
                self.same.append((name, twin))
            else:
                self._add(Name(name), tokens, NO_DRUG, forms(name, self.makers))

    def _twin(self, key: str, safe: set[str]) -> str | None:
        """The catalogue's name for the substance that ``key`` names, if it has one."""
        for number in self.by_canonical.get(self.written.joined(key), ()):
            entry = self.entries[number]
            if self.alias_drug[entry.alias] == NO_DRUG:
                continue
            if entry.key == key or self._same_substance(key, entry.key, safe):
                return self.aliases[entry.alias].text
        return None

    def _same_substance(self, a: str, b: str, safe: set[str]) -> bool:
        rules = set(self.written.explain(a, b))
        if "spaces" in rules and all(min(map(len, k.split(" "))) > 2 for k in (a, b)):
            rules.discard("spaces")  # joined elsewhere, but no single letter or digit that makes another name
        return rules <= safe


def marked(tokens: Tokens) -> str:
    """All of a name, folded but for its marks."""
    return tokens.marked_key(0, len(tokens))
