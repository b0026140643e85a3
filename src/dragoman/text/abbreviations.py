"""What an abbreviation looks like, and whether it stands for a phrase."""

from __future__ import annotations

import re

# Two capitals at least, few letters, no space: AVM, pAVK, HbA1c, T1DM. Source: the usual shape in terminologies.
_SHORT = re.compile(r"[^\W_](?:[^\W_]|[./&-](?=[^\W_])){1,7}\Z")
_WORD = re.compile(r"[^\W\d_]*[a-zà-ÿ]{3}")  # more small letters in a row than an abbreviation has
# "TKP - totale knieprothese", as SNOMED CT writes an abbreviation with its long form
_PAIR = re.compile(r"(?P<short>\S{2,9}) [-–] (?P<long>\S.*)\Z")

SHORTEST, LONGEST = 2, 8


def is_abbreviation(term: str) -> bool:
    """Whether ``term`` is written as an abbreviation."""
    return bool(_SHORT.match(term)) and sum(c.isupper() for c in term) >= 2 and not _WORD.search(term)


def pair(term: str) -> tuple[str, str] | None:
    """``("TKP", "totale knieprothese")`` for a term that gives both forms, else None."""
    found = _PAIR.match(term)
    return (found["short"], found["long"]) if found and is_abbreviation(found["short"]) else None


def initials(short: str, long: list[str], stops: frozenset[str] = frozenset()) -> bool:
    """Whether ``short`` (a folded key) is exactly the first letters of ``long``, with or without ``stops``."""
    if len(long) < 2:
        return False
    return short in ("".join(w[0] for w in long), "".join(w[0] for w in long if w not in stops))


def stands_for(short: str, long: list[str]) -> bool:
    """Whether the letters of ``short`` (a folded key) open the words ``long``, in order; words may be skipped.

    One word may give several letters (``hypertension`` in ``HTN`` does not, ``electrocardiogram`` in ``ECG`` does),
    as long as its own first letter is used.
    """
    if not short or not long or not long[0].startswith(short[0]):
        return False
    return _fits(short, long)


def _fits(short: str, long: list[str]) -> bool:
    if not short:
        return True
    if not long:
        return False
    head, rest = long[0], long[1:]
    if head.startswith(short[0]):
        taken = 1
        at = 1
        while True:
            if _fits(short[taken:], rest):
                return True
            if taken >= len(short):
                return False
            at = head.find(short[taken], at) + 1
            if at == 0:
                return False
            taken += 1
    return _fits(short, rest)
