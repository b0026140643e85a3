"""How vocabularies write their terms: what stands in one line as one term, and is several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from dragoman.folder import Language
from dragoman.index.term_values import EPONYM, FSN, SYNONYM
from dragoman.index.terms_read import Term
from dragoman.text.abbreviations import pair
from dragoman.text.tokens import fold_key, tokenize

SPECIALITY = 7  # letters of a speciality's name
_SIGNS = frozenset(",/&+")  # what stands between specialities
SURNAME = 4  # letters of a surname that stands alone behind a title


class TermsTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``terms.toml`` of a language: how its vocabularies write.

    ``types``: semantic tag or top-level concept's name → semantic type. ``brackets``: synonyms stand in ``[ ]`` and
    ``( )`` inside terms. ``eponyms``: what stands before or (behind ``…``) after a person's name that is a term by
    itself. ``titles``: what may stand before a person's name. A department's name may have several
    ``specialities`` (which end so), with one of ``joins`` or a sign between them.
    """

    types: dict[str, str] = {}
    brackets: bool = False
    eponyms: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    specialities: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()


class Writing:
    """The habits of the project's languages."""

    def __init__(self, languages: Sequence[Language]) -> None:
        self.tables = {pack.code: pack.table("terms.toml", TermsTable) for pack in languages}
        self.types = {fold_key(name): type_ for table in self.tables.values() for name, type_ in table.types.items()}
        self._titles = {fold_key(t): t for table in self.tables.values() for t in table.titles}
        # of each language how the names begin, and how those end that begin anyhow: most terms do neither
        edges = {code: [pattern.partition("…") for pattern in table.eponyms] for code, table in self.tables.items()}
        self._edges = {
            code: (
                tuple(before for before, _, _ in of if before),
                tuple(after for before, _, after in of if not before),
            )
            for code, of in edges.items()
        }

    def split(self, terms: Iterable[Term], tags: list[str | None]) -> list[Term]:
        """Terms that hold several: a short form with its long form, synonyms in brackets, a tag at the end (which goes
        into ``tags``, where its owner has none)."""
        found: list[Term] = []
        for term in terms:
            text = term.text.strip()
            if term.type == FSN and text.endswith(")") and (at := text.rfind(" (")) > 0:
                if tags[term.owner] is None:
                    tags[term.owner] = text[at + 2 : -1]
                found.append(term._replace(text=text[:at]))
                continue
            if " - " in text or " – " in text:
                both = pair(text)
                if both:
                    found += [term._replace(text=both[1]), term._replace(text=both[0], type=SYNONYM)]
                    continue
            table = self.tables.get(term.language)
            if table is not None and table.brackets and text[-1:] in ")]":
                found += [
                    term._replace(text=t, type=term.type if i == 0 else SYNONYM) for i, t in enumerate(_inner(text))
                ]
                continue
            found.append(term if text == term.text else term._replace(text=text))
            name = self.eponym(text, term.language)
            if name:
                found.append(term._replace(text=name, type=EPONYM))
        return found

    def eponym(self, text: str, language: str) -> str | None:
        """``Parkinson`` of ``ziekte van Parkinson``, ``Parkinson's disease``."""
        ahead, afters = self._edges.get(language, ((), ()))
        low = text.casefold()
        if len(low) == len(text) and not (low.startswith(ahead) or low.endswith(afters)):  # folded letter by letter
            return None
        table = self.tables.get(language)
        for pattern in table.eponyms if table is not None else ():
            before, _, after = pattern.partition("…")
            if text[: len(before)].casefold() == before and text.casefold().endswith(after):
                name = text[len(before) : len(text) - len(after)].strip().removesuffix("'s").removesuffix("'")
                if name[:1].isupper() and name.isalpha() and len(name) > 2:
                    return name
        return None

    def specialities(self, name: str, language: str) -> list[str]:
        """The specialities that a department's name joins: ``Gynaecologie en verloskunde`` is each of the two."""
        table = self.tables.get(language)
        tokens = tokenize(name)
        if table is None or len(tokens) < 2:
            return []
        found: list[str] = []
        keys, last = tokens.keys, len(tokens) - 1
        for at, key in enumerate(keys):
            begins = at == 0 or keys[at - 1] in table.joins or not _SIGNS.isdisjoint(tokens.gap(at - 1))
            ends = at == last or keys[at + 1] in table.joins or not _SIGNS.isdisjoint(tokens.gap(at))
            if begins and ends and len(key) >= SPECIALITY and key.endswith(table.specialities):
                found.append(tokens.surface(at, at + 1))
        return found

    def person(self, name: str) -> list[str]:
        """A person's name without initials, or first names, and under other titles, where it begins with a title."""
        tokens = tokenize(name)
        keys = tokens.keys
        size = next((n for n in (3, 2, 1) if " ".join(keys[:n]) in self._titles and len(keys) > n), 0)
        if not size:
            return []
        rest = [tokens.surface(i, i + 1) for i in range(size, len(tokens)) if len(keys[i]) > 1]
        full = [tokens.surface(i, i + 1) for i in range(size, len(tokens))]
        last = [word for word in rest[1:] if word == rest[-1] and word[:1].isupper() and len(word) >= SURNAME]
        return [
            f"{title} {' '.join(words)}" for title in self._titles.values() for words in (rest, full, last) if words
        ]


def parts(name: str) -> list[str]:
    """The words that a name with shared parts stands for: ``Neus- en oorziekten`` → ``neusziekten``, ``oorziekten``.

    Of the last word each ending may be the shared part; what is no word in the end is never typed.
    """
    words = name.replace(",", " ").split()
    hanging = [w[:-1] for w in words if w.endswith("-") and len(w) > 3]
    if not hanging or words[-1].endswith("-") or len(words[-1]) < 7:
        return []
    last = words[-1]
    shared = [last[at:] for at in range(2, len(last) - 4)]
    return [last, *(part + ending for part in hanging for ending in shared)]


def _inner(text: str) -> list[str]:
    """``a [b] (c)`` → ``a``, ``b``, ``c``: a term and the synonyms in brackets at its end."""
    inner: list[str] = []
    while text[-1:] in (")", "]"):
        opening = "(" if text[-1] == ")" else "["
        at = text.rfind(opening)
        if at <= 0 or not text[:at].strip():
            break
        inner.append(text[at + 1 : -1].strip())
        text = text[:at].strip()
    parts = [p.strip() for group in reversed(inner) for p in group.replace(";", ",").split(",")]
    return [text, *(p for p in parts if len(p) > 2)]
