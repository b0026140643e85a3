"""The tables that lead from words to terms: whole spans, spellings, compounds, and what fuzzy matching needs."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

from dragoman.errors import IndexUnusable
from dragoman.index.arrays import Writer
from dragoman.index.term_lists import fingerprints
from dragoman.index.term_values import BEGINS, OTHER, deletes, digest32
from dragoman.index.words_build import WordClasses
from dragoman.index.words_pairs import heads, joined, pairs
from dragoman.text.morphology import Spelling

SHORT = 4  # letters up to which a word is found by its own spelling alone
FUZZY = 2  # letters of a word that fuzzy matching knows


def write_words(
    writer: Writer,
    classes: WordClasses,
    tokens_of: Sequence[list[str]],
    languages: Sequence[str],
    first: int,
    without: frozenset[str],
) -> list[Sequence[int]]:
    """Write every table that finds terms by their words; returns the terms that share a span with others. ``first`` is
    the number of the first term; ``without`` the ways (``[build] without``) whose tables stay empty."""
    vocabulary = classes.vocabulary
    number = {word: classes.class_of(n) for word, n in vocabulary.items()}
    writer.table("terms.vocabulary", {word: (n,) for word, n in number.items()})
    writer.strings("terms.word", vocabulary)
    _write_by_word(writer, classes, tokens_of, number)
    writer.table("terms.forms", classes.forms)
    writer.table("terms.folds", _folds(classes, number) if "spelling" not in without else {})
    shared = writer.grouped("terms.spans", _spans(classes, tokens_of, number, first))
    compounds = "compounds" not in without
    run = joined(tokens_of, first) if compounds else {}
    writer.table("terms.joined", run)
    longer = (*vocabulary, *(form.partition(":")[2] for form in classes.forms), *run) if compounds else ()
    writer.ints("terms.begins", fingerprints(frozenset(word[:BEGINS] for word in longer if len(word) >= BEGINS)))
    writer.table("terms.pairs", pairs(classes, tokens_of, languages, first) if compounds else {})
    writer.table("terms.heads", heads(classes, tokens_of, languages, number, first) if compounds else {})
    packed = sorted(_deletes(vocabulary, Spelling(classes.packs))) if "fuzzy" not in without else []
    writer.ints("terms.deletes", array("I", (one >> 32 for one in packed)))
    writer.ints("terms.deletes.word", array("I", (one & 0xFFFFFFFF for one in packed)))
    return shared


def _class_of(classes: WordClasses, number: dict[str, int]) -> Callable[[str], int]:
    """The class of a word, whichever part holds it."""
    below = classes.below
    if below is None:
        return number.__getitem__
    return lambda key: number[key] if key in number else below.classes[below.row(key)]


def _spans(
    classes: WordClasses, tokens_of: Sequence[list[str]], number: dict[str, int], first: int
) -> Iterator[tuple[str, int]]:
    """The classes of each term's words as they are looked up, and the term."""
    if classes.below is None:  # millions of words, of which few are different
        name_of: Callable[[str], str] = {word: str(class_) for word, class_ in number.items()}.__getitem__
    else:
        class_of = _class_of(classes, number)
        name_of = lambda key: str(class_of(key))  # noqa: E731
    for term, keys in enumerate(tokens_of, first):
        if keys:
            yield " ".join(map(name_of, keys)), term


def _write_by_word(
    writer: Writer, classes: WordClasses, tokens_of: Sequence[list[str]], number: dict[str, int]
) -> None:
    """Write the arrays by word: of all words, those of the part below included, so that the look-up of a word, which
    every question does for every word, asks one array alone."""
    below, base = classes.below, classes.base
    class_of = array("I", below.classes if below is not None else ())
    class_of.extend(number.values())
    writer.ints("terms.word.class", class_of)
    spoken = array("I", below.languages if below is not None else ())
    spoken.extend(sum(classes.bits.get(x, OTHER) for x in of) for of in classes.languages)
    for word, of in classes.again.items():
        for language in of:
            spoken[word] |= classes.bits.get(language, OTHER)
    writer.ints("terms.word.languages", spoken)
    starts = array("I", below.starts if below is not None else ())
    starts.extend(array("I", bytes(4 * len(classes.vocabulary))))
    if len(starts) != base + len(classes.vocabulary):
        raise IndexUnusable("the compiled terminologies are not whole", advice="build anew")
    class_of_word = _class_of(classes, number)
    for keys in tokens_of:
        if keys:
            starts[class_of_word(keys[0])] |= 1 << len(keys)
    writer.ints("terms.starts", starts)


def _folds(classes: WordClasses, number: dict[str, int]) -> dict[str, list[int]]:
    """Classes by the folded spelling of their words, and, with doubled letters as they are, behind ``=``
    (behind ``~`` those of dictionary forms that no term has)."""
    spelling = Spelling(classes.packs)
    found: dict[str, list[int]] = {}
    words_of = [("=", word, [class_]) for word, class_ in number.items()]
    words_of += [("~", form.partition(":")[2], of) for form, of in classes.forms.items()]
    for sign, word, of in words_of:
        if len(word) > 3:
            for key in (spelling.fold(word), f"{sign}{spelling.strict(word)}"):
                row = found.setdefault(key, [])
                row += [c for c in of if c not in row]
    return found


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
