"""Words that are one word when run together, one word that is a term of several, and terms without their general head.

*Long ontsteking*, *carpal tunnel* for *carpal tunnel syndrome*, *carpaal tunnel* for *carpaletunnelsyndroom*.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dragoman.index.term_values import COMPOUND, JOINED
from dragoman.text.compounds import Compounds

if TYPE_CHECKING:
    from dragoman.index.term_match import Matcher
    from dragoman.index.term_take import Take

MOST = 3  # words that are tried as one


def runs(take: Take, matcher: Matcher, rules: Compounds) -> None:
    """Offer what words of ``take`` are when run together, or taken as a term of several run together."""
    keys = take.keys
    for first, word in enumerate(keys):
        if word in matcher.stops or len(word) < 2 or not word.isalpha():
            continue
        if len(word) >= JOINED and not take.covered(first, first + 1):
            whole = matcher.joined.get(word)
            if whole is not None:
                take.offer(first, first + 1, whole, f"{COMPOUND}: written as one word")
            elif matcher.begins(word) and not matcher.index.seen(word):
                _without_head(take, matcher, rules, first, first + 1, word)
        for last, joined in stretches(take, first):
            if len(joined) < JOINED or take.covered(first, last):
                continue
            if keys[last - 1] in matcher.stops or not matcher.begins(joined):
                continue
            terms = _terms(matcher, joined)
            if not terms:
                before = joined[: len(joined) - len(keys[last - 1])]
                forms = [before + f.word for f in take.lemmas(last - 1) if f.part in (None, "noun")]
                terms = next((found for form in forms if (found := matcher.exact_word(form))), [])
            if terms:
                take.offer(first, last, terms, f"{COMPOUND}: written apart")
            else:
                _without_head(take, matcher, rules, first, last, joined)


def _terms(matcher: Matcher, joined: str) -> list[int]:
    """The terms that are one word, or several run together."""
    return matcher.exact_word(joined) or list(matcher.joined.get(joined) or ())


def stretches(take: Take, first: int) -> Iterator[tuple[int, str]]:
    """The ends of two and three words from ``first`` on that nothing but a blank or a hyphen parts, run together."""
    keys = take.keys
    joined = keys[first]
    for last in range(first + 2, min(first + MOST, len(keys)) + 1):
        if take.gap(last - 2).strip() not in ("", "-", "‑") or not keys[last - 1].isalpha():
            return
        joined += keys[last - 1]
        yield last, joined


def _without_head(take: Take, matcher: Matcher, rules: Compounds, first: int, last: int, joined: str) -> None:
    """Offer the terms that ``joined`` is, but for a general head that people leave out."""
    for head in rules.dropped:
        terms = _terms(matcher, joined + head)
        if terms:
            take.offer(first, last, terms, f"{COMPOUND}: without -{head}")
            return
