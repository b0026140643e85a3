"""Misspelt words: near is one letter, or two swapped, in a word; in a very long one, two.

A word of the text's language is never a misspelt one, nor is a word that some term has. Edits stay inside one word. A
word alone must be long and begin with the right letter (as 97 to 100% of real misspellings do); inside a longer term,
all of whose other words stand in the text, it need not. A word of seven letters is only near a term where it is no
name, nothing but one concept is near, and no other word of the language either, unless it is the whole question. Words
that are written apart are tried as one where the first of them is no word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from dragoman.index.found import Found
from dragoman.index.term_doubt import Near, too_little
from dragoman.index.term_found import found_by
from dragoman.index.term_runs import stretches
from dragoman.index.term_take import Take
from dragoman.index.term_values import OTHER, deletes
from dragoman.text.morphology import EVERYWHERE, PLURAL
from dragoman.text.tokens import Tokens
from dragoman.types import Candidate, Span

if TYPE_CHECKING:
    from dragoman.index.term_match import Matcher

BARELY = 7  # letters of such a word that is near one concept and nothing else
ALONE = 8  # letters of a misspelt word that is a term of its own, and of a longer term as a whole
ANY_LETTER = 10  # letters from which the first may be the wrong one
FIRST_LETTER = 5  # letters from which it may be inside a longer term
FUZZY_APART = "fuzzy: written apart"
TWO = 12  # letters from which two edits are near
CONTEXT = 5  # words of a term in which even a word of the language may be misspelt ("te" for "the")
SHORT = 3  # letters of such a word
REACH = 30  # words that a misspelt one may stand behind the beginning of its term


def near(
    matcher: Matcher, tokens: Tokens, message: int, covered: Iterable[Span], candidates: Sequence[Candidate]
) -> Found:
    """See ``TermIndex.near``."""
    if not tokens.tokens:
        return Found()
    take = Take(matcher, tokens, message)
    held = list(covered)
    classes: list[int] | None = None
    odd: list[tuple[int, list[Near]]] = []
    for at, key in enumerate(take.keys):
        if len(key) < 2 or key.isdigit() or _known(matcher, take, key):
            continue
        everyday = _everyday(matcher, take, key)
        if everyday and (len(take.keys) < CONTEXT or len(key) > SHORT):
            continue
        if any(_inside(tokens, take.token(at), span) for span in held):
            continue
        if classes is None:
            classes = matcher.classes(take.keys)
        if everyday and not _in_context(classes, at):
            continue
        found = neighbours(matcher, key)
        if found:
            _around(matcher, take, classes, at, everyday, found)
            if not everyday and not take.covered(at, at + 1):
                _apart(matcher, take, at)
            odd.append((at, found))
    made = found_by(take)
    if not odd or matcher.index.has_taxonomy:
        return made  # the page of something broader is what a narrower name leads to as well
    left = [(at, found) for at, found in odd if not take.covered(at, at + 1)]
    return made._replace(doubts=too_little(take, candidates, made.candidates, left, held))


def _in_context(classes: list[int], at: int) -> bool:
    """Whether enough words of the vocabulary stand around the word at ``at``, without a gap."""
    first = last = at
    while first > 0 and classes[first - 1] >= 0:
        first -= 1
    while last + 1 < len(classes) and classes[last + 1] >= 0:
        last += 1
    return last - first + 1 >= CONTEXT


def neighbours(matcher: Matcher, key: str) -> list[Near]:
    """Words of the vocabulary near ``key``, the nearest first."""
    folded = matcher.spelling.fold(key)
    best: dict[int, int] = {}
    limit = 2 if len(key) >= TWO else 1
    for form in dict.fromkeys((*deletes(key), *deletes(folded))):
        for number in matcher.near_words(form):
            if number not in best:
                word = matcher.words[number]
                distance = OSA.distance(key, word, score_cutoff=limit)
                if distance == limit + 1 and OSA.distance(key, word, score_cutoff=limit + 1) == limit + 1:
                    distance = OSA.distance(folded, matcher.spelling.fold(word), score_cutoff=limit)
                best[number] = max(1, distance) if distance <= limit else 0
    found = [Near(matcher.words[n], matcher.class_of[n], d) for n, d in best.items() if d]
    return sorted(found, key=lambda n: (n.distance, n.word))


def _around(matcher: Matcher, take: Take, classes: list[int], at: int, everyday: bool, found: list[Near]) -> None:
    """Offer the terms that the word at ``at``, read as one of its neighbours ``found``, completes."""
    size = len(classes)
    names = [str(c) for c in classes]
    for first in range(max(0, at - REACH), at + 1):
        if first < at and classes[first] < 0:
            continue
        if first < at:
            lengths = matcher.starts[classes[first]]
        else:
            lengths = 0
            for one in found:
                lengths |= matcher.starts[one.class_]
        for length in range(min(lengths.bit_length() - 1, size - first), at - first, -1):
            last = first + length
            if not lengths >> length & 1 or (everyday and length < CONTEXT):
                continue
            if any(classes[i] < 0 for i in range(first, last) if i != at):
                continue
            if length == 1 and len(take.keys[at]) < ALONE:
                if not _sure(matcher, take, at, found):
                    continue
            elif sum(map(len, take.keys[first:last])) < ALONE:
                continue
            _offer(matcher, take, names, (first, at, last), found)


def _apart(matcher: Matcher, take: Take, at: int) -> None:
    """Offer the terms that the word at ``at`` and what follows it are as one word, which may lack a general head."""
    for last, joined in stretches(take, at):
        for whole in (joined, *(joined + head for head in matcher.composer.rules.dropped)):
            near = neighbours(matcher, whole) if len(whole) >= TWO else []
            for one in near:
                terms = matcher.spans.get(str(one.class_))
                if one.word[0] == whole[0] and terms is not None and take.offer(at, last, terms, FUZZY_APART, "fuzzy"):
                    break


def _sure(matcher: Matcher, take: Take, at: int, found: list[Near]) -> bool:
    """Whether a word of ``BARELY`` letters can only be the one term that it is near."""
    key = take.keys[at]
    if len(key) < BARELY or not (key.isascii() and key.isalpha()) or matcher.index.seen(key) or take.named(at, at + 1):
        return False
    classes = {one.class_ for one in found}
    owners = {matcher.owner[t] for class_ in classes for t in matcher.spans.get(str(class_)) or ()}
    if len(owners) > 1 and not _same(matcher, owners):
        return False
    if all(i == at or word in matcher.stops for i, word in enumerate(take.keys)):
        return True  # the whole question is one word, which is no word of the language
    own = {one.word for one in found}
    return not any(word not in own and matcher.index.seen(word) for word in _edits(key))


def _same(matcher: Matcher, owners: set[int]) -> bool:
    """Whether ``owners`` are one concept with the entities that are about it."""
    index = matcher.index
    concepts = [o for o in owners if o < index.count]
    pages = {index.count + e for c in concepts for e in index.pages_of(c)}
    first = concepts[0] if concepts else -1
    return (
        bool(concepts)
        and all(c == first or c in index.same[first] for c in concepts)
        and all(o < index.count or o in pages for o in owners)
    )


def _edits(key: str) -> Iterator[str]:
    """Every word that is one letter more, less or other, or two swapped, away from ``key``."""
    for at in range(len(key) + 1):
        before, after = key[:at], key[at:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in ascii_lowercase:
            yield before + letter + after
            if after:
                yield before + letter + after[1:]


def _offer(matcher: Matcher, take: Take, names: list[str], place: tuple[int, int, int], found: list[Near]) -> None:
    """Offer the terms of one span, for the nearest of the readings that are terms."""
    first, at, last = place
    key = take.keys[at]
    least = 0
    for one in found:
        if least and one.distance > least:
            return
        if one.word[0] != key[0] and len(key) < (ANY_LETTER if last - first == 1 else FIRST_LETTER):
            continue
        if len(one.word) == 2 and last - first < CONTEXT:
            continue
        terms = matcher.spans.get(" ".join([*names[first:at], str(one.class_), *names[at + 1 : last]]))
        if terms is not None:
            why = f"fuzzy: {one.distance} edit{'s' if one.distance > 1 else ''}"
            if take.offer(first, last, terms, why, "fuzzy"):
                least = one.distance


def _known(matcher: Matcher, take: Take, key: str) -> bool:
    """Whether a term of the text's language (where that shows) has the word."""
    number = matcher.vocabulary.row(key)
    if number < 0:
        return False
    language = take.language
    of = matcher.word_languages[number]
    return language is None or bool(of & (OTHER | matcher.bits[language]))


def _everyday(matcher: Matcher, take: Take, key: str) -> bool:
    language = take.language
    if language is not None and not matcher.index.has_words(language):
        language = None
    if key in matcher.stops or matcher.index.everyday(key, language):
        return True
    # where two edits are near, the plural of a word of the language is one too
    return len(key) >= TWO and any(
        matcher.index.everyday(form.word, form.language)
        for form in matcher.morphology.lemmas(key, PLURAL)
        if form.language != EVERYWHERE and matcher.index.has_words(form.language)
    )


def _inside(tokens: Tokens, at: int, span: Span) -> bool:
    token = tokens.tokens[at]
    return token.start < span.end and span.start < token.end
