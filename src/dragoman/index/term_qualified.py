"""Names that a word beside them makes another finding of: *pulmonary* hypertension is no kind of high blood pressure.

Most learned adjectives name a kind (*vascular* dementia is a dementia), so the name alone still leads to the right
page. Not so where the name is short for a fuller one that says which is meant: *diabetes* for *diabetes mellitus*,
*hypertension* for *arterial hypertension*, Dutch *hernia* for *discushernia*. There another qualifier, which no term
has, says that something else is meant. So does a phrase that the packs list for certain names: high blood pressure *in
the lungs*; and a few words (*non*-Hodgkin) say so of any name. Such a find stays a candidate; nothing is told or
appended for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from dragoman.index.term_values import LEAST_PART, content_keys
from dragoman.text.morphology import ADJECTIVE
from dragoman.text.tokens import tokenize

if TYPE_CHECKING:
    from dragoman.index.term_match import Matcher
    from dragoman.index.term_take import Take

_BESIDE = frozenset({" ", "-", "‑"})
FINDINGS = frozenset({"condition", "symptom", "morphology"})
HEAD = 5  # letters of a name that compounds of it are looked for
SPELT = 2  # edits between a qualifier and the one of the fuller name, misspelt
STEM = 6  # letters that a name has in common with its sister in another language: hypertension, hypertensie


def qualified(take: Take, first: int, last: int, owners: Iterable[int]) -> bool:
    """Whether a word beside the keys ``first`` up to ``last`` says that none of ``owners`` is meant."""
    matcher = take.matcher
    if not matcher.qualifiers.begin_other.isdisjoint(take.keys[first:last]) and _in_words(take, first, last, owners):
        return True
    words = [at for at in (first - 1, last) if 0 <= at < len(take.keys) and take.gap(min(at, last - 1)) in _BESIDE]
    if first - 1 in words and take.keys[first - 1] in matcher.qualifiers.opposites:
        return True
    qualifiers = [take.keys[at] for at in words if _qualifies(matcher, take, at, before=at < first)]
    if not qualifiers:
        return False
    keys = take.keys[first:last]
    return any(_other(matcher, keys, owner, qualifiers) for owner in owners)


def _in_words(take: Take, first: int, last: int, owners: Iterable[int]) -> bool:
    """Whether a listed phrase beside the find makes another of it: no phrase that is part of a longer find, nor one
    whose words an owner's own names have."""
    matcher = take.matcher
    findings = [owner for owner in owners if _type(matcher, owner) in FINDINGS]
    for low, high in matcher.qualifiers.phrases(take.tokens, *take.bounds(first, last)) if findings else ():
        longer = any(a < high < b or a < low < b for a, b in (take.bounds(*place) for place in take.hits))
        keys = set(take.tokens.keys[low:high])
        words = keys - matcher.stops or keys
        own = any(words <= set(_keys(matcher, term)) for owner in findings for term in matcher.index.terms_of[owner])
        if not longer and not own:
            return True
    return False


def _keys(matcher: Matcher, term: int) -> Sequence[str]:
    return content_keys(tokenize(matcher.index.text[term]))


def _type(matcher: Matcher, owner: int) -> str | None:
    index = matcher.index
    return index.semantic_type(owner) if owner < index.count else index.entity_types[owner - index.count]


def _qualifies(matcher: Matcher, take: Take, at: int, *, before: bool) -> bool:
    qualifiers, key = matcher.qualifiers, take.keys[at]
    if not qualifiers.qualifies(key, before=before) or key in matcher.stops or take.named(at, at + 1):
        return False
    lemmas = matcher.morphology.lemmas(key, ADJECTIVE)
    return not any(form.word in qualifiers.harmless for form in lemmas)


def _other(matcher: Matcher, keys: Sequence[str], owner: int, qualifiers: list[str]) -> bool:
    """Whether ``keys`` are short for a fuller name of ``owner``, or are one, that has none of ``qualifiers``."""
    index = matcher.index
    concepts = [owner] if owner < index.count else list(index.entity_concepts[owner - index.count])
    if _type(matcher, owner) not in FINDINGS:
        return False
    told = [key for key in keys if matcher.qualifiers.learned(key)]
    for one in dict.fromkeys((owner, *concepts)):
        for term in matcher.index.terms_of[one]:
            told += _beside(matcher, keys, _keys(matcher, term))
    return bool(told) and not any(_alike(matcher, q, t) for q in qualifiers for t in told)


def _alike(matcher: Matcher, one: str, other: str) -> bool:
    """Whether two qualifiers are one, misspelt, in another language or as the end of a longer one."""
    if OSA.distance(one, other, score_cutoff=SPELT) <= SPELT:
        return True
    one, other = matcher.spelling.fold(one), matcher.spelling.fold(other)
    return one[:STEM] in other or other[:STEM] in one


def _beside(matcher: Matcher, keys: Sequence[str], words: Sequence[str]) -> list[str]:
    """The learned words that stand beside ``keys`` in a longer name, and compounds that end as ``keys`` do."""
    size = len(keys)
    found: list[str] = []
    if size == len(words) == 1:
        longer = len(keys[0]) >= HEAD and len(words[0]) >= len(keys[0]) + LEAST_PART and words[0].endswith(keys[0])
        return [words[0]] if longer else []
    for at in range(len(words) - size + 1):
        if all(_kin(key, word) for key, word in zip(keys, words[at : at + size], strict=True)):
            found += [words[i] for i in (at - 1, at + size) if 0 <= i < len(words)]
    return [word for word in found if matcher.qualifiers.learned(word)]


def _kin(key: str, word: str) -> bool:
    return key == word or (len(key) > STEM < len(word) and key[:STEM] == word[:STEM])
