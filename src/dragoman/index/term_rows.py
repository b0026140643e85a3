"""Terms as rows of arrays: which are kept, their words, what tells an exact match."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

import msgspec

from dragoman.index.arrays import Writer
from dragoman.index.term_values import LONGEST, MARKS, content_keys, digest64
from dragoman.index.terms_read import Term
from dragoman.text.tokens import plain_keys, tokenize


class Rows(msgspec.Struct):
    """The kept terms, in order. ``tokens``: the words of each; ``there``: the words of terms that another part holds,
    by owner."""

    terms: list[Term]
    tokens: list[list[str]]
    flags: bytearray
    digests: array[int]
    there: dict[int, list[list[str]]]


def rows(terms: Iterable[Term], marked: Container[str], there: Iterable[Term] = ()) -> Rows:
    """Each term once that has words and not too many. ``marked``: languages in which marks make other words.
    ``there``: terms that another part holds of the same owners; they are not taken again.

    Terms of one owner are one where their forms share a 64-bit digest.
    """
    seen: set[int] = set()
    one: dict[str, str] = {}  # each word once in memory
    found = Rows([], [], bytearray(), array("I"), defaultdict(list))
    for term in there:
        digest, content = _words(term, term.language in marked)
        seen.add(term.owner << 64 | _identity(digest, term.language, term.language in marked))
        found.there[term.owner].append(content)
    keep = one.setdefault
    for term in terms:
        mark = term.language in marked
        digest, content = _words(term, mark)
        if not digest:
            continue
        identity = term.owner << 64 | _identity(digest, term.language, mark)
        if identity in seen:
            continue
        seen.add(identity)
        found.terms.append(term)
        found.tokens.append(list(map(keep, content, content)))
        found.digests.append(digest & 0xFFFFFFFF)
        found.flags.append(MARKS if mark else 0)
    return found


def _words(term: Term, marked: bool) -> tuple[int, list[str]]:
    """The digest of what tells a term from others, and its words; 0 where it has none, or too many."""
    content = plain_keys(term.text) if not marked or term.text.isascii() else None
    if content is not None:
        size, form = len(content), " ".join(content)
    else:
        tokens = tokenize(term.text)
        size, content = len(tokens), content_keys(tokens)
        form = tokens.marked_key(0, size) if marked else tokens.key(0, size)
    return (digest64(form) if 0 < size <= LONGEST else 0), content


def _identity(digest: int, language: str, marked: bool) -> int:
    """What makes two terms of an owner one: where marks matter, the language as well."""
    return digest ^ digest64(language) if marked else digest


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
