"""The document side: which terms may people use for what a page is about.

The same matching as for a question, run over a page. What the page is about is what its title names or, where the title
names nothing known, what its text names most. The other terms of those concepts go into a field of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from dragoman.index.found import Found
from dragoman.index.term_values import FSN, LAY, QUALIFIED, SHORT_NO_EVIDENCE, TAXONOMY
from dragoman.index.terms import TermIndex
from dragoman.text.tokens import Tokens, fold_key, tokenize
from dragoman.types import Candidate

MOST = 20  # terms of a page
_TITLE = 25  # tokens: a longer first line or sentence is no title
_READ = 20_000  # characters of a text that are looked at: what a page is about stands at its beginning
_OFTEN = 3  # times that a text names what it is about, at least, where the title does not
_SHARE = 0.5  # of the mentions of what the text names most, at least
_SUBJECTS = 3  # concepts that a page is about
_SHORTEST = 3  # letters of a term
_SENTENCE = re.compile(r"[.?!;:]\s|\n")


class DrugTerms(Protocol):
    """What is asked of the catalogue."""

    def match(self, tokens: Tokens, message: int = -1) -> Found:
        """Drugs whose names stand in the text."""
        ...

    def aliases(self, drug_id: str) -> tuple[str, ...]:
        """The drug's names, by display rank."""
        ...


Key = tuple[str, str, str]
"""Kind, source and id of something that a page names."""


def page_terms(
    text: str, terms: TermIndex, drugs: DrugTerms, *, title: str | None = None, most: int = MOST
) -> tuple[str, ...]:
    """Terms that people may use for what a page is about: at most ``most``, in the order of their worth, none twice.

    Those that the title has are among them: in a field of its own a name says that the page is about it, while in the
    text it may only be mentioned. ``title``: the page's own; without one the first line or sentence of ``text`` is
    taken for it, if it is short. Terms of all languages of the index. A page that names nothing known has none.
    """
    head = title if title is not None else _head(text)
    about = _titled(_found(head, terms, drugs)) or _frequent(_found(text[:_READ], terms, drugs))
    rows = [list(_terms(key, terms, drugs)) for key in about[:_SUBJECTS]]
    return tuple(_bounded(rows, most))


def _head(text: str) -> str:
    """The first line or sentence, where it is short enough for a title."""
    found = _SENTENCE.search(text, 0, _READ)
    head = text[: found.start()] if found else text[:_READ]
    return head if len(tokenize(head)) <= _TITLE else ""


def _found(text: str, terms: TermIndex, drugs: DrugTerms) -> list[Candidate]:
    """What the vocabularies know in a text, the longest where several overlap."""
    tokens = tokenize(text)
    if not len(tokens):
        return []
    found = (drugs.match(tokens), terms.match(tokens, -1))
    return _longest(
        c for part in found for c in part.candidates if not (c.why or "").endswith((SHORT_NO_EVIDENCE, QUALIFIED))
    )


def _titled(candidates: Sequence[Candidate]) -> list[Key]:
    """What a title names, the longest name first."""
    ranked = sorted(candidates, key=lambda c: (c.span.start - c.span.end, c.span.start, _key(c)))
    return list(dict.fromkeys(map(_key, ranked)))


def _frequent(candidates: Sequence[Candidate]) -> list[Key]:
    """What a text names most, if it does so often."""
    times = Counter(map(_key, candidates))
    least = max(_OFTEN, max(times.values(), default=0) * _SHARE)
    first = {key: i for i, key in reversed(list(enumerate(map(_key, candidates))))}
    return sorted((key for key, n in times.items() if n >= least), key=lambda key: (-times[key], first[key]))


def _key(candidate: Candidate) -> Key:
    return candidate.kind, candidate.source, candidate.id


def _longest(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Those that no longer one overlaps; on equal spans all stay."""
    kept: list[Candidate] = []
    for c in sorted(candidates, key=lambda c: (c.span.start - c.span.end, c.span.start, c.source, c.id)):
        if all(c.span == other.span or not c.span.overlaps(other.span) for other in kept):
            kept.append(c)
    return sorted(kept, key=lambda c: (c.span, c.source, c.id))


def _terms(key: Key, terms: TermIndex, drugs: DrugTerms) -> Iterator[str]:
    """The terms of a subject: laypersons' words first, then by the source's own order."""
    kind, source, id_ = key
    if kind == "drug":
        yield from _without_strengths(drugs.aliases(id_))
        return
    if source == TAXONOMY:
        entity = terms.entity(id_)
        if entity is None:
            return
        yield from (terms.text[t] for t in terms.terms_of[terms.count + entity])
        if terms.is_department(entity):
            return  # its concept is what it looks after
        concepts = list(terms.entity_concepts[entity])
    else:
        number = terms.number(id_, source)
        if number is None:
            return
        concepts = [number]
        yield from (terms.text[t] for e in terms.pages_of(number) for t in terms.terms_of[terms.count + e])
    concepts = list(dict.fromkeys([*concepts, *(other for c in concepts for other in terms.same[c])]))
    own = [t for c in concepts for t in terms.terms_of[c]]
    yield from (
        terms.text[t] for t in sorted(own, key=lambda t: (terms.term_type[t] != LAY, terms.term_type[t] == FSN))
    )


def _without_strengths(names: Iterable[str]) -> Iterator[str]:
    """Names that differ from an earlier one by more than a number: a strength says nothing about whose page it is."""
    seen: set[str] = set()
    for name in names:
        bare = " ".join(key for key in tokenize(name).keys if not key[0].isdigit())
        if bare not in seen:
            seen.add(bare)
            yield name


def _bounded(rows: Sequence[Sequence[str]], most: int) -> list[str]:
    """The first terms of each subject, each in its turn the larger share of what is left."""
    kept: dict[str, str] = {}
    for i, row in enumerate(rows):
        room = most - len(kept) if i == len(rows) - 1 else max(1, (most - len(kept)) * 2 // 3)
        for term in row:
            key = fold_key(term)
            if len(key) < _SHORTEST or key in kept:
                continue
            if not room:
                break
            kept[key] = term
            room -= 1
    return list(kept.values())
