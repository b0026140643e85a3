"""Terms as rows of arrays: which are kept, their words, what tells an exact match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

import msgspec

from dragoman.index.arrays import Writer
from dragoman.index.term_values import LONGEST, MARKS, content_keys, digest32
from dragoman.index.terms_read import Term
from dragoman.text.tokens import plain_keys, tokenize


class Rows(msgspec.Struct):
    """The kept terms, in order. ``tokens``: the words of each; ``by_owner``: the places of an owner's terms;
    ``there``: the words of its terms that another part holds."""

    terms: list[Term]
    tokens: list[list[str]]
    flags: list[int]
    digests: list[int]
    by_owner: dict[int, list[int]]
    there: dict[int, list[list[str]]]


def rows(terms: Iterable[Term], marked: Container[str], there: Iterable[Term] = ()) -> Rows:
    """Each term once that has words and not too many. ``marked``: languages in which marks make other words.
    ``there``: terms that another part holds of the same owners; they are not taken again."""
    seen: set[tuple[int, str]] = set()
    one: dict[str, str] = {}  # each word once in memory
    found = Rows([], [], [], [], {}, defaultdict(list))
    for term in there:
        form, content = _words(term, term.language in marked)
        seen.add((term.owner, form))
        found.there[term.owner].append(content)
    for term in terms:
        mark = term.language in marked
        form, content = _words(term, mark)
        if not form:
            continue
        identity = (term.owner, form)
        if identity in seen:
            continue
        seen.add(identity)
        content = [one.setdefault(key, key) for key in content]
        found.by_owner.setdefault(term.owner, []).append(len(found.terms))
        found.terms.append(term)
        found.tokens.append(content)
        found.digests.append(digest32(form.partition("\t")[0]))
        found.flags.append(MARKS if mark else 0)
    return found


def _words(term: Term, marked: bool) -> tuple[str, list[str]]:
    """What tells a term from others of its owner, and its words; an empty form where it has none, or too many."""
    content = plain_keys(term.text) if not marked or term.text.isascii() else None
    if content is not None:
        size, form = len(content), " ".join(content)
    else:
        tokens = tokenize(term.text)
        size, content = len(tokens), content_keys(tokens)
        form = tokens.marked_key(0, size) if marked else tokens.key(0, size)
    if not 0 < size <= LONGEST:
        return "", content
    return (f"{form}\t{term.language}" if marked else form), content


def write_rows(writer: Writer, found: Rows, codes: Sequence[str], new: Sequence[str]) -> None:
    """Write the arrays that are numbered by term. ``codes``: all languages in order; this part adds ``new``."""
    code = {c: n for n, c in enumerate(codes)}
    writer.strings("terms.text", (t.text for t in found.terms))
    writer.strings("terms.languages", new)
    writer.ints("terms.owner", (t.owner for t in found.terms))
    writer.ints("terms.language", (code[t.language] for t in found.terms), "B")
    writer.ints("terms.type", (t.type for t in found.terms), "B")
    writer.ints("terms.flags", found.flags, "B")
    writer.ints("terms.digest", found.digests)
