"""The words of the vocabulary: which are one word in several forms, and what else leads to a term.

Tokens that are inflections of one word share a *class*; terms are looked up by the classes of their tokens. Further
tables hold the dictionary forms that no term uses, spellings, compounds as pairs of modifier and head, and what fuzzy
matching needs.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from xxhash import xxh3_64_intdigest

from dragoman.folder import Language
from dragoman.index.arrays import Writer
from dragoman.index.term_values import LISTED, digest32
from dragoman.text.compounds import Compounds
from dragoman.text.morphology import EVERYWHERE, NAMING, Kind, Morphology, Spelling
from dragoman.text.words import words

LEAST_COMPOUND = 6  # letters of a word that is taken apart
LEAST_PART = 3
SPLITS = 3  # readings of one compound
BEGINS = 7  # letters that tell whether words that run together may be one
JOINED = 8  # letters of a term that is also found when its words are run together
HEAD = 8  # letters of a word that is found as the head of a longer term
HEADED = 3  # owners that a head may have and still say which is meant
OTHER = 1 << 30  # stands for a language that the project has no pack of
SHORT = 4  # letters up to which a word is found by its own spelling alone
COMMON = "commonwords.txt"  # frequent words of a pack
OTHERS = "otherwords.txt"  # further words of a pack, names among them
FUZZY = 2  # letters of a word that fuzzy matching knows
NOUNS: frozenset[Kind] = frozenset({"noun", "diminutive"})


class WordClasses:
    """The vocabulary's words in classes of one word each."""

    def __init__(self, packs: Sequence[Language], everyday: frozenset[str], stops: frozenset[str]) -> None:
        shared = [p for p in packs if p.code == EVERYWHERE]
        self.packs = packs
        self.everyday = everyday
        self.stops = stops
        self.morphologies = {p.code: Morphology([p, *shared]) for p in packs if p.code != EVERYWHERE}
        self._shared = Morphology(shared)
        self._common = {p.code: frozenset(p.lines(COMMON)) for p in packs}
        self._words = {p.code: own for p in packs if len(own := words([p])) > LISTED}
        self.vocabulary: dict[str, int] = {}
        self.languages: list[set[str]] = []
        self._parts: list[bool] = []
        self._parent: list[int] = []
        # "<language>:<dictionary form>" → classes, for forms that no term has
        self.forms: dict[str, list[int]] = {}

    def morphology(self, language: str) -> Morphology:
        """The rules of ``language``, or those that hold in all."""
        return self.morphologies.get(language, self._shared)

    def learn(self, terms: Iterable[tuple[list[str], str]], proper: frozenset[str] = frozenset()) -> None:
        """Take in the words of all terms, once. ``proper`` names do not inflect."""
        vocabulary = self.vocabulary
        for keys, language in terms:
            last = len(keys) - 1
            for place, key in enumerate(keys):
                number = vocabulary.get(key)
                if number is None:
                    number = vocabulary[key] = len(vocabulary)
                    self.languages.append(set())
                    self._parts.append(False)
                self.languages[number].add(language)
                if place < last:
                    self._parts[number] = True
        self._parent = list(range(len(vocabulary)))
        pending: list[tuple[str, int]] = []
        for word, number in vocabulary.items():
            if word in self.stops or word in proper:
                continue
            for language, lemma in self._lemmas(word, number):
                other = vocabulary.get(lemma)
                if other is None:
                    pending.append((f"{language}:{lemma}", number))
                elif lemma not in self.stops and language in self.languages[other]:
                    self._join(number, other)
        for lemma, number in pending:
            classes = self.forms.setdefault(lemma, [])
            if (found := self.class_of(number)) not in classes:
                classes.append(found)

    def _lemmas(self, word: str, number: int) -> list[tuple[str, str]]:
        """``(language, dictionary form)``. Names are no finite verbs, and their last word is no adjective."""
        found: list[tuple[str, str]] = []
        parts = NAMING if self._parts[number] else NOUNS
        for language in sorted(self.languages[number]):
            morphology, common = self.morphology(language), self._common.get(language, frozenset())
            # a small thing that has a name of its own is not the thing: "strontje" and what it is called after
            lemmas = list(
                dict.fromkeys(
                    f.word
                    for f in morphology.lemmas(word, parts)
                    if f.word in self.vocabulary
                    or not (morphology.is_homograph(f.word) or (f.part == "diminutive" and f.word in common))
                )
            )
            everyday = self._words.get(language, self.everyday)
            known = [w for w in lemmas if w in self.vocabulary or w in everyday]
            # where no list knows any of them, the first readings are as good as the rules can tell
            found += [(language, w) for w in known or lemmas[:2]]
        return found

    def _join(self, one: int, other: int) -> None:
        a, b = self.class_of(one), self.class_of(other)
        if a != b:
            self._parent[max(a, b)] = min(a, b)

    def class_of(self, number: int) -> int:
        """The class of a word, by its number."""
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number


def write_words(
    writer: Writer,
    classes: WordClasses,
    tokens_of: Sequence[list[str]],
    languages: Sequence[str],
    everyday: frozenset[str],
) -> None:
    """Write every table that finds terms by their words."""
    vocabulary = classes.vocabulary
    number = [classes.class_of(n) for n in range(len(vocabulary))]
    writer.table("terms.vocabulary", {word: (number[n],) for word, n in vocabulary.items()})
    writer.strings("terms.word", vocabulary)
    writer.ints("terms.word.class", number)
    bits = {pack.code: 1 << at for at, pack in enumerate(classes.packs)}
    writer.ints("terms.word.languages", (sum(bits.get(x, OTHER) for x in of) for of in classes.languages), "I")
    writer.table("terms.forms", classes.forms)
    writer.table("terms.folds", _folds(classes, number))
    starts = array("I", bytes(4 * len(vocabulary)))
    spans: dict[str, list[int]] = {}
    for term, keys in enumerate(tokens_of):
        row = [number[vocabulary[k]] for k in keys]
        if not row:
            continue
        starts[row[0]] |= 1 << len(row)
        spans.setdefault(" ".join(map(str, row)), []).append(term)
    writer.ints("terms.starts", starts)
    writer.table("terms.spans", spans)
    del spans
    joined = _joined(tokens_of)
    writer.table("terms.joined", joined)
    longer = (*vocabulary, *(form.partition(":")[2] for form in classes.forms), *joined)
    writer.ints("terms.begins", fingerprints(frozenset(word[:BEGINS] for word in longer if len(word) >= BEGINS)))
    writer.table("terms.pairs", _pairs(classes, tokens_of, languages, everyday))
    writer.table("terms.heads", _heads(classes, tokens_of, languages, number))
    packed = sorted(_deletes(vocabulary, Spelling(classes.packs)))
    writer.ints("terms.deletes", array("I", (one >> 32 for one in packed)))
    writer.ints("terms.deletes.word", array("I", (one & 0xFFFFFFFF for one in packed)))
    seldom = frozenset(word for pack in classes.packs for file in (COMMON, OTHERS) for word in pack.lines(file))
    writer.ints("terms.seldom", fingerprints(seldom))
    for pack in classes.packs:
        writer.ints(f"terms.everyday.{pack.code}", fingerprints(frozenset(words([pack]))))


def _folds(classes: WordClasses, number: Sequence[int]) -> dict[str, list[int]]:
    """Classes by the folded spelling of their words, and, with doubled letters as they are, behind ``=``
    (behind ``~`` those of dictionary forms that no term has)."""
    spelling = Spelling(classes.packs)
    found: dict[str, list[int]] = {}
    words_of = [("=", word, [number[n]]) for word, n in classes.vocabulary.items()]
    words_of += [("~", form.partition(":")[2], of) for form, of in classes.forms.items()]
    for sign, word, of in words_of:
        if len(word) > 3:
            for key in (spelling.fold(word), f"{sign}{spelling.strict(word)}"):
                row = found.setdefault(key, [])
                row += [c for c in of if c not in row]
    return found


def _joined(tokens_of: Sequence[list[str]]) -> dict[str, list[int]]:
    """Terms of two to four words, run together."""
    found: dict[str, list[int]] = {}
    for term, keys in enumerate(tokens_of):
        if 2 <= len(keys) <= 4 and len(key := "".join(keys)) >= JOINED:
            found.setdefault(key, []).append(term)
    return found


def pair_keys(modifiers: Iterable[str], heads: Iterable[str]) -> Iterator[str]:
    """The keys under which a compound of ``modifiers`` (readings of one) and ``heads`` is known."""
    heads = list(heads)
    for modifier in modifiers:
        for head in heads:
            yield f"{modifier}+{head}"


def _pairs(
    classes: WordClasses, tokens_of: Sequence[list[str]], languages: Sequence[str], everyday: frozenset[str]
) -> dict[str, list[int]]:
    """Terms that are a finding with what it is of, as ``modifier+head``: compounds, phrases, participle with noun.
    A phrase with a preposition of place is also ``modifier < head``.
    Each modifier is a key by itself, ``modifier+``, and so is its beginning, so that a look-up can stop early."""
    found: dict[str, list[int]] = {}
    rules = {
        code: (Compounds([pack], classes.morphology(code)), classes.morphology(code))
        for pack in classes.packs
        if (code := pack.code) != EVERYWHERE
    }

    def known(word: str) -> bool:
        return word in classes.vocabulary or word in everyday

    for term, (keys, language) in enumerate(zip(tokens_of, languages, strict=True)):
        if language not in rules or len(keys) > 5:
            continue
        compounds, morphology = rules[language]
        if not compounds.findings:
            continue
        pairs: list[tuple[list[str], list[str]]] = []
        if len(keys) == 1:
            pairs = _split(keys[0], compounds, morphology, known, classes) if compounds.joined else []
        else:
            located = compounds.phrase(keys, 0, anything=True)
            if located is not None and located[1] == len(keys) and keys[1] in compounds.links:
                for modifier in morphology.bases(keys[located[0]]):
                    found.setdefault(f"{modifier}+", [])
                    for head in morphology.bases(keys[0]):
                        found.setdefault(f"{modifier} < {head}", []).append(term)
            phrase = compounds.phrase(keys, 0)
            if phrase is not None and phrase[1] == len(keys):
                pairs = [(morphology.bases(keys[phrase[0]]), morphology.roots(keys[0]))]
            elif len(keys) == 2 and (roots := morphology.origins(keys[0])):
                pairs = [(morphology.bases(keys[1]), roots)]
        for modifiers, heads in pairs:
            for modifier in modifiers:
                found.setdefault(f"{modifier}+", [])
                found.setdefault(f"{modifier[:LEAST_PART]}>", [])
            for key in pair_keys(modifiers, heads):
                row = found.setdefault(key, [])
                if term not in row:
                    row.append(term)
    return found


def _split(
    word: str, compounds: Compounds, morphology: Morphology, known: Callable[[str], bool], classes: WordClasses
) -> list[tuple[list[str], list[str]]]:
    stops = classes.stops
    found: list[tuple[list[str], list[str]]] = []
    if len(word) < LEAST_COMPOUND:
        return found
    for at in range(LEAST_PART, len(word) - LEAST_PART + 1):
        head = word[at:]
        finding = compounds.head(head, compounds.findings)
        if not finding and not (known(head) and morphology.origins(head)):
            continue
        for first in compounds.bare(word[:at]):
            if first not in stops and (known(first) if finding else first in classes.vocabulary):
                found.append((morphology.bases(first), morphology.roots(head)))
                break
    return found[-SPLITS:]


def _heads(
    classes: WordClasses, tokens_of: Sequence[list[str]], languages: Sequence[str], number: Sequence[int]
) -> dict[str, list[int]]:
    """Long words that end or begin a longer term, where few terms have them. Words of the term's language are not
    among them: a term is more than its everyday words."""
    own: dict[str, frozenset[str]] = defaultdict(frozenset)
    own.update({pack.code: words([pack]) for pack in classes.packs})
    found: dict[int, list[int]] = {}
    for term, keys in enumerate(tokens_of):
        if not 2 <= len(keys) <= 6:
            continue
        for key in dict.fromkeys((keys[0], keys[-1])):
            if len(key) >= HEAD and key not in own[languages[term]]:
                found.setdefault(number[classes.vocabulary[key]], []).append(term)
    return {str(c): row for c, row in found.items() if len(row) <= 4 * HEADED}


def deletes(word: str) -> list[str]:
    """``word`` and what remains of it when one letter is left out; in an order that is the same in any process."""
    return list(dict.fromkeys((word, *(word[:i] + word[i + 1 :] for i in range(len(word))))))


def _deletes(vocabulary: dict[str, int], spelling: Spelling) -> Iterator[int]:
    """Words by what remains of them, as written and in folded spelling, when a letter is left out: digest and number
    of the word in one integer each, unsorted."""
    for word, number in vocabulary.items():
        if len(word) < FUZZY or word.isdigit():
            continue
        forms = deletes(word)
        if len(word) > SHORT and (folded := spelling.fold(word)) != word:
            forms = list(dict.fromkeys((*forms, *deletes(folded))))
        for form in forms:
            yield digest32(form) << 32 | number


@lru_cache(maxsize=16)
def fingerprints(everyday: frozenset[str]) -> array[int]:
    """A set of words as an open-addressed table of 32-bit fingerprints (wrong once in about two million)."""
    bits = max(3, (len(everyday) * 2 - 1).bit_length() if everyday else 3)
    mask = (1 << bits) - 1
    table = array("I", bytes(4 << bits))
    for word in sorted(everyday):
        digest = xxh3_64_intdigest(word.encode())
        mark = (digest >> 32) or 1
        at = digest & mask
        while table[at] and table[at] != mark:
            at = (at + 1) & mask
        table[at] = mark
    return table
