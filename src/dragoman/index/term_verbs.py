"""Finds terms that are a verb whose parts, or whose object, stand apart from it in a sentence.

``ik val flauw``, ``hij geeft steeds over``; ``ik hoest bloed op`` for *bloed ophoesten*, ``ik zie lijnen dubbel`` for
*dubbelzien*, ``opa plast bloed`` for *bloed plassen*.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dragoman.index.term_values import INFLECTION, LEAST_PART

if TYPE_CHECKING:
    from dragoman.index.term_match import Matcher
    from dragoman.index.term_take import Take
    from dragoman.text.compounds import Compounds

_APART = 5  # words between a verb and its first part
_OBJECT = 4  # words between a verb and its object
_ENDS = ".!?;,:"
_TWO = 1 << 2  # the flag of a word with which terms of two words begin
_THREE = 1 << 3


def separated(take: Take, matcher: Matcher, rules: Compounds) -> None:
    """Offer the verbs of the text whose first part stands elsewhere, alone or with their object."""
    keys, particles = take.keys, rules.particles
    if particles.isdisjoint(keys):
        return
    for at in range(len(keys)):
        if keys[at] not in particles:
            continue
        stop = keys[at] in matcher.stops
        if at + 1 < len(keys) and take.gap(at) == " " and (not stop or _ends_clause(take, at + 1, rules)):
            _verb(take, matcher, at, at + 1)  # "dat hij flauw valt"
        if stop and not _ends_clause(take, at, rules):
            continue  # a preposition
        for before in range(at - 1, max(at - _APART, 0) - 1, -1):
            if any(sign in take.gap(before) for sign in _ENDS):
                break
            if len(keys[before]) < LEAST_PART or keys[before] in particles:
                continue
            if _verb(take, matcher, at, before):
                break


def with_object(take: Take, matcher: Matcher) -> None:
    """Offer the terms of an object and a verb, ``bloed plassen``, whose verb the text has in another form."""
    keys, starts, stops = take.keys, matcher.starts, matcher.stops
    objects = {
        at: starts[c]
        for at, c in enumerate(matcher.classes(keys))
        if c >= 0 and starts[c] & (_TWO | _THREE) and keys[at] not in stops
    }
    if not objects:
        return
    last = max(objects)
    for verb in range(len(keys)):
        # "ik zie": a verb may well be a stop word
        if len(keys[verb]) < LEAST_PART or take.covered(verb, verb + 1):
            continue
        if objects.keys().isdisjoint(range(verb - 2, verb + 1 + _OBJECT)):
            continue
        near = [at for at in _near(take, verb, last) if at in objects]
        if not near:
            continue
        infinitives = [i for i in matcher.morphology.infinitives(keys[verb]) if matcher.vocabulary.row(i) >= 0]
        for at in near:
            for infinitive in infinitives:
                if _object(take, matcher, at, verb, infinitive, objects[at]):
                    return


def _near(take: Take, verb: int, last: int) -> Iterator[int]:
    """The places at which what may be the object begins: behind the verb up to ``last``, or right before it."""
    for at in range(verb + 1, min(verb + 1 + _OBJECT, last + 1)):
        gap = take.gap(at - 1)
        if gap != " " and any(sign in gap for sign in _ENDS):
            break
        yield at
    if verb and take.gap(verb - 1) == " ":
        yield verb - 1
        if verb > 1 and take.gap(verb - 2) == " ":
            yield verb - 2


def _object(take: Take, matcher: Matcher, at: int, verb: int, infinitive: str, lengths: int) -> bool:
    """Offer the term of the verb with its object of one word or two that begins at ``at``."""
    keys = take.keys
    if (
        lengths & _TWO
        and at != verb - 2
        and _offer(take, matcher, [keys[at], infinitive], min(at, verb), max(at, verb) + 1)
    ):
        return True
    if not lengths & _THREE or at + 1 in (verb, len(keys)) or take.gap(at) != " ":
        return False
    return _offer(take, matcher, [keys[at], keys[at + 1], infinitive], min(at, verb), max(at + 1, verb) + 1)


def _verb(take: Take, matcher: Matcher, particle: int, verb: int) -> bool:
    """Offer the verb whose first part is at ``particle`` and whose finite form is at ``verb``."""
    keys = take.keys
    for infinitive in matcher.morphology.infinitives(keys[verb]):
        whole = keys[particle] + infinitive
        if not matcher.begins(whole):
            continue
        for at in range(verb + 1, particle):
            if keys[at] not in matcher.stops and _offer(take, matcher, [keys[at], whole], verb, particle + 1):
                return True
        if terms := matcher.exact_word(whole):
            return take.offer(verb, verb + 1, terms, f"{INFLECTION}: {whole}, apart")
    return False


def _offer(take: Take, matcher: Matcher, words: list[str], first: int, last: int) -> bool:
    """Offer the terms of these words for the keys ``first`` up to ``last``."""
    classes = matcher.classes(words)
    if min(classes) < 0:
        return False
    terms = matcher.spans.get(" ".join(map(str, classes)))
    return terms is not None and take.offer(first, last, terms, f"{INFLECTION}: {' '.join(words)}, apart")


def _ends_clause(take: Take, at: int, rules: Compounds) -> bool:
    """Whether nothing of the clause follows the word at ``at``."""
    return take.gap(at).strip() != "" or at + 1 == len(take.keys) or take.keys[at + 1] in rules.joiners
