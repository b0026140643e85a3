"""Finds terms in text, in three passes over the tokens.

1. *Whole words*: spans of tokens whose classes are a term's, longest first from each token. The first token of a span
   says which lengths are worth a look-up.
2. *Other forms*, for words that nothing holds yet: inflections, spellings and derivations that lead to a class.
3. *Composition*, for words that still stand alone: compounds, phrases, words run together or apart, shared parts
   (``index.term_compose``).

Each pass offers what it finds to ``Take``, which decides by marks, capitals and everyday words whether it counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dragoman.index.found import Found
from dragoman.index.layers import Over
from dragoman.index.term_compose import Composer
from dragoman.index.term_found import found_by
from dragoman.index.term_options import Option, readings
from dragoman.index.term_take import NAME_LENGTH, Take
from dragoman.index.term_values import BEGINS, DERIVED, HEADED, INFLECTION, OTHER, SPELLING, digest32, has
from dragoman.text.context import denials
from dragoman.text.expressions import Expressions
from dragoman.text.morphology import EVERYWHERE, NAMING, Form, Kind, Morphology, MorphologyTable, Spelling
from dragoman.text.names import name_words
from dragoman.text.qualifiers import Qualifiers
from dragoman.text.tokens import Tokens
from dragoman.text.words import stop_words

if TYPE_CHECKING:
    from dragoman.index.terms import TermIndex

LEAST = 3  # letters of a word that is looked for in other forms
LONG = 9  # letters of a word that may be inflected and spelt otherwise, doubled letters and all
WITHIN = 3  # words of a term in which a word of the language may be a doubled letter away
SURE = 5  # letters from which a word of the language may still be another spelling of a term


class Matcher:
    """The tables that find terms, and the rules of the project's languages."""

    def __init__(self, part: Over, index: TermIndex) -> None:
        self.index = index
        self.vocabulary = part.table("terms.vocabulary")
        self.words = part.strings("terms.word")
        self.class_of = part.own.ints("terms.word.class")  # of all words, as are the next two by word
        self.starts = part.own.ints("terms.starts")
        self.word_languages = part.own.ints("terms.word.languages")
        self.spans = part.table("terms.spans")
        self._codes = tuple(pack.code for pack in index.languages if pack.code != EVERYWHERE)
        self.bits = {pack.code: 1 << at for at, pack in enumerate(index.languages)}
        self.forms = part.table("terms.forms")
        self.folds = part.table("terms.folds")
        self._begins = [one.ints("terms.begins") for one in (part.shared, part.own)]
        self.joined = part.table("terms.joined")
        self.pairs = part.table("terms.pairs")
        self.heads = part.table("terms.heads")
        self._deletes = [(one.ints("terms.deletes"), one.ints("terms.deletes.word")) for one in (part.shared, part.own)]
        self.owner = part.ints("terms.owner")
        self.flags = part.ints("terms.flags", "B")
        self.digest = part.ints("terms.digest")
        self.stops = stop_words(index.languages)
        self.stops_of = {pack.code: stop_words([pack]) for pack in index.languages}
        self.term_language = part.ints("terms.language", "B")
        self.marks = any(pack.marks_matter for pack in index.languages)
        self.letters = frozenset(
            letter
            for pack in index.languages
            if pack.marks_matter
            for letter in pack.table("morphology.toml", MorphologyTable).letters
        )
        self.morphology = Morphology(index.languages)
        self.spelling = Spelling(index.languages)
        self.composer = Composer(self)
        self.names = name_words(index.languages)
        self.denials = denials(index.languages)
        self.qualifiers = Qualifiers(index.languages)
        self.expressions = Expressions(index.languages)

    def match(self, tokens: Tokens, message: int, *, whole_words: bool = False) -> Found:
        """See ``TermIndex.match``."""
        if not tokens.tokens:
            return Found()
        take = Take(self, tokens, message)
        classes = self.classes(take.keys)
        self._whole(classes, take)
        if whole_words:
            return found_by(take)
        open_ = take.open(LEAST)
        if open_:
            self._other(classes, open_, take)
        self.composer.compose(take)
        return found_by(take)

    # --- pass 1 -------------------------------------------------------------------------------------------------------

    def classes(self, keys: Sequence[str]) -> list[int]:
        """The class of each key; −1 where no term has the word."""
        row, class_of = self.vocabulary.row, self.class_of
        found = []
        for key in keys:
            number = row(key)
            found.append(class_of[number] if number >= 0 else -1)
        return found

    def _whole(self, classes: list[int], take: Take) -> None:
        starts, get, offer = self.starts, self.spans.get, take.offer
        size = len(classes)
        names = [str(c) for c in classes]
        for first in range(size):
            if classes[first] < 0:
                continue
            lengths = starts[classes[first]]
            if not lengths:
                continue
            length = min(lengths.bit_length() - 1, size - first)
            while length:
                if lengths >> length & 1:
                    last = first + length
                    key = names[first] if length == 1 else " ".join(names[first:last])
                    terms = get(key)
                    if terms is not None and offer(first, last, terms, None):
                        break
                length -= 1

    # --- pass 2 -------------------------------------------------------------------------------------------------------

    def options(self, key: str, lemmas: Sequence[Form] | None = None) -> list[Option]:
        """The classes that ``key`` may belong to beside its own: by inflection, else by spelling, and by derivation."""
        found: dict[int, Option] = {}

        def add(classes: Iterable[int], why: str, *, verb: bool = False, within: bool = False) -> None:
            for class_ in classes:
                found.setdefault(class_, Option(class_, why, verb, within))

        own = self.vocabulary.row(key) >= 0
        if not own and len(key) <= NAME_LENGTH and self.index.seen(key) and not self.index.everyday(key):
            return []  # somebody's or a place's name, or a rare word: nobody's spelling of a term
        if lemmas is None:
            lemmas = self.morphology.lemmas(key)
        elsewhere = self._elsewhere(key)
        if elsewhere:
            # but a word may be inflected alike in both: migraines
            alike = {form.word for form in lemmas if form.language not in elsewhere}
            lemmas = [form for form in lemmas if form.language not in elsewhere or form.word in alike]
        if not own:
            add(self._known(key, besides=elsewhere), INFLECTION)
            for form in lemmas:
                known = self._known(form.word, form.language, elsewhere)
                add(known, f"{INFLECTION}: {form.rule}", verb=form.part == "verb")
        if not found:
            # a word of the language is spelt as it should be: only an older or foreign spelling may be meant, and
            # where all other words of a longer term stand beside it, the name in that
            if self.index.everyday(key):
                if len(key) >= SURE:
                    add(self.folds.get(f"={self.spelling.strict(key)}") or (), SPELLING)
                    add(self.folds.get(self.spelling.fold(key)) or (), SPELLING, within=True)
            else:
                spellings = [self.spelling.fold(key)]
                # an ending that is taken off and a letter that is doubled or not are too much at once in short words
                for form in lemmas:
                    if len(key) >= LONG:
                        spellings.append(self.spelling.fold(form.word))
                    else:
                        strict = self.spelling.strict(form.word)
                        spellings += (f"={strict}", f"~{strict}")
                for folded in spellings:
                    add(self.folds.get(folded) or (), SPELLING)
        for form in self.morphology.sources(key, lemmas):
            add(self._known(form.word, form.language), f"{DERIVED}: {form.rule}")
            if not own and len(form.word) >= SURE:
                add(self.folds.get(self.spelling.fold(form.word)) or (), f"{DERIVED}: {form.rule}")
        return list(found.values())

    def _elsewhere(self, key: str) -> frozenset[str]:
        """The languages whose inflection ``key`` cannot be: it is no word of theirs, and it is one of another's."""
        listed = [code for code in self._codes if self.index.has_words(code)]
        if len(listed) < 2:
            return frozenset()
        of = [code for code in listed if self.index.everyday(key, code)]
        return frozenset(code for code in listed if code not in of) if of else frozenset()

    def _known(self, word: str, language: str | None = None, besides: frozenset[str] = frozenset()) -> list[int]:
        """The classes of a word, or of a dictionary form that no term has; ``language`` as whose rules led to it.
        Dictionary forms of the languages ``besides`` do not count."""
        number = self.vocabulary.row(word)
        anywhere = language is None or language == EVERYWHERE
        if number >= 0:
            of = self.word_languages[number]
            if anywhere or of & OTHER or of & self.bits[language or ""]:
                return [self.class_of[number]]
            return []
        found: list[int] = []
        for code in self._codes if anywhere else (language,):
            if code in besides:
                continue
            found += [c for c in self.forms.get(f"{code}:{word}") or () if c not in found]
        return found

    def _other(self, classes: list[int], open_: list[int], take: Take) -> None:
        choices: list[list[Option]] = [[Option(c, None)] if c >= 0 else [] for c in classes]
        changed: set[int] = set()
        for at in open_:
            more = self.options(take.keys[at], take.lemmas(at))
            if self.morphology.is_homograph(take.keys[at]) and take.beside_subject(at):
                for infinitive in self.morphology.infinitives(take.keys[at]):
                    more += [Option(class_, f"{INFLECTION}: stem", verb=True) for class_ in self._known(infinitive)]
            if more:
                choices[at] = [*choices[at], *more]
                changed.add(at)
        if changed:
            self._walk(choices, changed, take)

    def _walk(self, choices: list[list[Option]], changed: set[int], take: Take) -> None:
        """Offer every span that holds a token of ``changed``, in any reading of its tokens."""
        size = len(choices)
        for first in range(size):
            for option in choices[first]:
                lengths = self.starts[option.class_]
                for length in range(min(lengths.bit_length() - 1, size - first), 0, -1):
                    last = first + length
                    if not lengths >> length & 1 or not any(first <= at < last for at in changed):
                        continue
                    for reading in readings(option, choices[first + 1 : last]):
                        if length < WITHIN and any(o.within for o in reading):
                            continue
                        terms = list(self.spans.get(" ".join(str(o.class_) for o in reading)) or ())
                        if any(o.verb for o in reading):
                            # what a verb is made of is no part of the body: "hij oogt jong"
                            terms = [t for t in terms if not self.composer.is_body(t)]
                        if terms:
                            why = next((o.why for o in reading if o.why is not None), None)
                            take.offer(first, last, terms, why)

    def near_words(self, form: str) -> Iterator[int]:
        """The words of the vocabulary that are ``form``, or are it but for one letter more; now and then another."""
        digest = digest32(form)
        for digests, numbers in self._deletes:
            at = bisect_left(digests, digest)
            while at < len(digests) and digests[at] == digest:
                yield numbers[at]
                at += 1

    # --- single words -------------------------------------------------------------------------------------------------

    def begins(self, word: str) -> bool:
        """Whether any word of the vocabulary, or any term run together, may begin as ``word`` does."""
        beginning = word[:BEGINS]
        return any(has(table, beginning) for table in self._begins)

    def exact_word(self, word: str) -> list[int]:
        """The terms that are this one word, as the vocabulary has it or as a dictionary form of what it has."""
        found: list[int] = []
        for class_ in self._known(word):
            found.extend(self.spans.get(str(class_)) or ())
        return found

    def term_of_word(self, word: str, parts: frozenset[Kind] = NAMING) -> list[int]:
        """The terms that are this one word, in any of its forms (of the kinds ``parts``); not by spelling."""
        found: list[int] = []
        classes = self._known(word)
        if not classes:
            for form in self.morphology.lemmas(word, parts):
                classes.extend(c for c in self._known(form.word, form.language) if c not in classes)
        for class_ in classes:
            found.extend(self.spans.get(str(class_)) or ())
        return found

    def owners(self, keys: Sequence[str]) -> list[int]:
        """What the term with these words names."""
        classes = self.classes(keys)
        if not keys or min(classes) < 0:
            return []
        return list(dict.fromkeys(self.owner[t] for t in self.spans.get(" ".join(map(str, classes))) or ()))

    def headed(self, key: str) -> list[int]:
        """What the longer terms name that ``key`` is the first or last word of; nothing where there are many."""
        number = self.vocabulary.row(key)
        classes = [self.class_of[number]] if number >= 0 else [o.class_ for o in self.options(key)]
        found = (self.heads.get(str(c)) or () for c in classes)
        return list(dict.fromkeys(self.owner[t] for terms in found if len(terms) <= HEADED for t in terms))
