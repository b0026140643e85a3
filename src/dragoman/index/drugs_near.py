"""What words that are no name may be meant for, and which of them are names of drugs that the catalogue lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dragoman.index.arrays import Part
from dragoman.index.drugs_check import JOINTS, Checker
from dragoman.index.drugs_fuzzy import LEAST, MOST, PART, Near, NearIndex, has_fingerprint, plain_forms, safest
from dragoman.index.drugs_store import NO_DRUG, Arrays, Named, Stretch, beginning
from dragoman.index.drugs_words import WordTable
from dragoman.text.tokens import Tokens
from dragoman.types import Span

_REACH = 3  # words of a name before and after the one that is misspelt
_UNKNOWN_LEAST = 5
_LEAST_LISTED = 7  # letters of a word of the languages that may be a name all the same
_LISTED = "ends as names of drugs do, beside a dose or a form, and the catalogue has none like it"
_ENDINGS = (2, 3)  # letters of an ending that makes another name
_ADDED = 2  # letters added to a name that make another one of it
_LEAST_STEM = 7  # letters of that name
_STEM = 6  # letters of the name before it
_LEAST_JOINED = 8  # letters of two words that may be one name
_LEAST_PIECE = 4  # letters of each of them where one is a word of the language


class Nearby:
    """Looks at the words of a text that nothing holds."""

    def __init__(self, part: Part, arrays: Arrays, checker: Checker, words: WordTable) -> None:
        self.a = arrays
        self.checker = checker
        self.words = words
        self.index = NearIndex(part)
        self._plain = words.salts | words.makers | words.everyday | words.units | words.not_drugs | words.analytes

    def find(self, tokens: Tokens, covered: Sequence[Span]) -> list[Stretch]:
        """Stretches with fuzzy names, and unknown names, apart from each other and from ``covered``."""
        free = [not any(t.start < s.end and s.start < t.end for s in covered) for t in tokens.tokens]
        if not any(free):
            return []
        strange = [i for i, t in enumerate(tokens.tokens) if free[i] and self._is_strange(t.key)]
        listed = [i for i, t in enumerate(tokens.tokens) if free[i] and self._is_listed(tokens, i, t.key)]
        if not strange:
            return [Stretch(i, i + 1, (), "unknown", _LISTED) for i in listed]
        forms = self.a.written.forms(tokens)
        found: list[Stretch] = []
        taken = -1
        for i in strange:
            if i < taken:
                continue
            stretch = self._fuzzy(tokens, forms, free, i) or self._unknown(tokens, forms, i)
            if stretch is not None:
                if found and found[-1].last > stretch.first:
                    continue
                found.append(stretch)
                taken = stretch.last
        told = {i for s in found for i in range(s.first, s.last)}
        found += [Stretch(i, i + 1, (), "unknown", _LISTED) for i in listed if i not in told]
        return sorted(found, key=lambda s: s.first)

    def _is_strange(self, key: str) -> bool:
        """Whether a word is long enough to be a misspelt name, and no word of the languages."""
        letters = beginning(key)
        if len(letters) < LEAST or letters in self._plain or letters in self.words.classes:
            return False
        return self.a.words.get(letters) is None and not has_fingerprint(self.a.dictionary, letters)

    def _is_listed(self, tokens: Tokens, i: int, key: str) -> bool:
        """Whether a word that dictionaries have, though it is not frequent, ends as names of drugs do and stands beside
        evidence (``citalopram 20 mg``)."""
        return (
            len(key) >= _LEAST_LISTED
            and key.endswith(self.words.stems)
            and key not in self._plain
            and key not in self.words.classes
            and key == tokens.tokens[i].marked
            and self.a.words.get(key) is None
            and has_fingerprint(self.a.dictionary, key)
            and self.checker.evidence.beside(tokens, i, i + 1)
        )

    # --- fuzzy ---

    def _fuzzy(self, tokens: Tokens, forms: list[str], free: list[bool], i: int) -> Stretch | None:
        key = beginning(tokens.keys[i])
        near = self._near(forms[i] if forms[i].isalpha() else self.a.written.joined(key), [key])
        if near and (stretch := self._named(tokens, forms, free, i, i + 1, near)):
            return stretch
        for first in (i, i - 1):  # run together with the next word, or the one before: a name may have been split
            other = i + 1 if first == i else first
            if not (0 <= other < len(forms) and free[other] and self._gap(tokens, first)):
                continue
            left, right = forms[first], forms[first + 1]
            if len(left) + len(right) < _LEAST_JOINED or not (left.isalpha() and right.isalpha()):
                continue
            strange = self._is_strange(tokens.keys[other])
            if first < i and strange:
                continue  # tried when it was the other's turn
            if not strange and min(len(left), len(right)) < _LEAST_PIECE:
                continue
            if not self.index.begins(left + right):
                continue
            near = self._near(left + right, tokens.keys[first : first + 2])
            near = near if strange else [n for n in near if n.distance <= 1]
            if near and (stretch := self._named(tokens, forms, free, first, first + 2, near)):
                return stretch
        return None

    def _near(self, form: str, keys: list[str]) -> list[Near]:
        """Near words, but not those that share all but their endings with a name: that name with a made-up ending is
        another name, though the catalogue has it with an ending much like it (acitretin, acitretinum, acitretinium)."""
        near = safest(self.index.find(form, *plain_forms(self.a.plain, keys)))
        if not near:
            return near
        stems = [stem for cut in _ENDINGS if len(stem := form[:-cut]) >= _STEM and self.a.keys.row(stem) >= 0]
        return [n for n in near if not any(n.key.startswith(stem) for stem in stems)]

    @staticmethod
    def _gap(tokens: Tokens, i: int) -> bool:
        return tokens.text[tokens.tokens[i].end : tokens.tokens[i + 1].start] in {" ", "-"}

    def _named(
        self, tokens: Tokens, forms: list[str], free: list[bool], first: int, last: int, near: list[Near]
    ) -> Stretch | None:
        """The names that have one of the near words in the place of the typed one; the longest names alone."""
        a = self.a
        best: dict[int, Named] = {}
        where: tuple[int, int] | None = None
        parts = any(n.flags & PART for n in near)
        for begin, end in self._windows(tokens, free, first, last) if parts else ((first, last),):
            for n in near:
                key = "".join([*forms[begin:first], n.key, *forms[last:end]])
                for entry in a.keys.get(key) or ():
                    alias = a.entry_alias[entry]
                    drug = a.drug[alias]
                    if drug == NO_DRUG or drug in best:
                        continue
                    score = round(1 - max(n.distance, 0.5) / len(n.key), 3)
                    named = Named(alias, "fuzzy", self._why(n), score)
                    if self.checker.stands(tokens, begin, end, named):
                        best[drug] = named
            if best:
                where = (begin, end)
                break
        if where is None:
            return None
        names = tuple(sorted(best.values(), key=lambda n: (-n.score, n.alias))[:MOST])
        reason = names[0].why if len(names) == 1 else "near to several names"
        return Stretch(*where, names, "fuzzy", reason)

    def _windows(self, tokens: Tokens, free: list[bool], first: int, last: int) -> Iterator[tuple[int, int]]:
        """Stretches around the word, the longest first, that nothing else holds and no punctuation breaks."""
        text, items = tokens.text, tokens.tokens
        begin = first
        while begin > 0 and first - begin < _REACH and free[begin - 1]:
            if not JOINTS.issuperset(text[items[begin - 1].end : items[begin].start]):
                break
            begin -= 1
        end = last
        while end < len(items) and end - last < _REACH and free[end]:
            if not JOINTS.issuperset(text[items[end - 1].end : items[end].start]):
                break
            end += 1
        for size in range(end - begin, last - first - 1, -1):
            for start in range(begin, first + 1):
                if start + size >= last and start + size <= end:
                    yield start, start + size

    @staticmethod
    def _why(near: Near) -> str:
        if near.distance == 0:
            return "equal under spelling rules that are off for this pair of names"
        letters = "one letter" if near.distance == 1 else "two letters"
        return f"{letters} away, same first letter and consonants"

    # --- unknown ---

    def _unknown(self, tokens: Tokens, forms: list[str], i: int) -> Stretch | None:
        """A word that must be a drug's name: announced as one, followed by a dose, or with the ending of one."""
        key = tokens.keys[i]
        if len(key) < _UNKNOWN_LEAST or tokens.tokens[i].key != tokens.tokens[i].marked:
            return None
        evidence = self.checker.evidence
        if evidence.announced(tokens, i):
            return Stretch(i, i + 1, (), "unknown", "announced as a drug, and the catalogue has none like it")
        if evidence.asked(tokens, i, i + 1):
            return Stretch(i, i + 1, (), "unknown", "asked about as drugs are, and the catalogue has none like it")
        if evidence.dosed(tokens, i + 1):
            return Stretch(i, i + 1, (), "unknown", "followed by a dose, and the catalogue has none like it")
        stem = forms[i][:-_ADDED]
        if len(stem) >= _LEAST_STEM and key[-_ADDED:] not in self.words.inflections and self.a.keys.row(stem) >= 0:
            return Stretch(i, i + 1, (), "unknown", "a drug's name with an ending that makes another of it")
        if key.endswith(self.words.stems):
            ending = max((s for s in self.words.stems if key.endswith(s)), key=len)
            if len(key) >= len(ending) + self.words.stem_letters:
                return Stretch(i, i + 1, (), "unknown", f"ends as names of drugs do (-{ending})")
        return None
