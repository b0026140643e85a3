"""What the readers share below the level of a file: language tags, terms, options, data tables."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import is_normalized, normalize

from dragoman.errors import ConfigError
from dragoman.meant import did_you_mean
from dragoman.protocols import Report, Source, TermRow
from dragoman.readers.sources import Entry, entries, select

# BCP 47 as far as terminologies use it: a language, then any subtags (nl, nl-BE, en-x-nhs-clinical).
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SEMANTIC_TAG = re.compile(r"\S \(([^()]+)\)\Z")

EMPTY_ID = "empty id"
EMPTY_TERM = "empty term"
CONTROL = "control character (a tab or line break?) inside a term"
NO_FLAG = "active is neither 1 nor 0"
NO_TAG = "the language is not a language tag"
COMPOSED = "terms composed to NFC"


@cache
def data(name: str) -> dict[str, Any]:
    """The data table ``<name>.toml`` beside the readers."""
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))


def tag(language: str) -> str | None:
    """``language`` in the usual spelling (``nl_be`` → ``nl-BE``), or None where it is no language tag."""
    if not _TAG.match(language):
        return None
    head, *rest = language.replace("_", "-").split("-")
    return "-".join([head.lower(), *(part.upper() if len(part) == 2 else part for part in rest)])


def semantic_tag(term: str) -> str | None:
    """The tag at the end of a fully specified name: ``disorder`` of ``Asthma (disorder)``."""
    found = _SEMANTIC_TAG.search(term)
    return found[1] if found else None


class Gate:
    """What every term passes on its way in: a language that is wanted, a text that is sound.

    ``nl`` keeps ``nl`` and ``nl-BE``; a source without ``languages`` keeps all. What is left out is counted by its
    language, so that the report says which there are. NFC is the only repair, and it is counted as well.
    """

    def __init__(self, source: Source, report: Report) -> None:
        self.wanted = tuple(tag(w) or w for w in source.languages)
        self.report = report
        self._tags: dict[str, tuple[str | None, bool]] = {}

    def language(self, language: str) -> tuple[str | None, bool]:
        """The tag in its usual spelling (None where it is none), and whether it is wanted."""
        if language not in self._tags:
            name = tag(language)
            wanted = not self.wanted or any(name == w or (name or "").startswith(w + "-") for w in self.wanted)
            self._tags[language] = (name, wanted)
        return self._tags[language]

    def fault(self, concept_id: str, term: str) -> str | None:
        """Why the two cannot be taken, or None."""
        if term.isprintable() and term.strip() and concept_id.strip():  # nearly all, and with no control character
            return None
        if not concept_id or concept_id.isspace():
            return EMPTY_ID
        if not term or term.isspace():
            return EMPTY_TERM
        return CONTROL if _CONTROL.search(term) else None

    def composed(self, term: str) -> str:
        """``term`` in NFC."""
        if term.isascii() or is_normalized("NFC", term):
            return term
        self.report.note(COMPOSED)
        return normalize("NFC", term)

    def term(
        self, place: tuple[str, int], concept_id: str, term: str, language: str, type_: str = "synonym"
    ) -> TermRow | None:
        """The row, or None: then it has been rejected (``place`` is path and line) or skipped."""
        name, wanted = self.language(language)
        fault = NO_TAG if name is None else self.fault(concept_id, term)
        if name is None or fault:
            self.report.reject(*place, fault or NO_TAG)
            return None
        if not wanted:
            self.report.skip(f"another language ({name})")
            return None
        return TermRow(concept_id, self.composed(term), name, type_)


_KEYS = ("name", "format", "path", "languages", "licence")  # which every [[terminology]] has, whatever its format


class Options:
    """The further keys of a ``[[terminology]]`` table, checked against what its reader knows."""

    def __init__(self, source: Source, *known: str) -> None:
        self._source = source
        for key in source.options:
            if key not in known:
                advice = did_you_mean(key, (*_KEYS, *known))
                raise ConfigError(f"format {source.format!r} has no option {key!r}", where=self.where(), advice=advice)

    def where(self, key: str = "") -> str:
        """The place of an option, for an error."""
        place = f"{self._source.where}: " if self._source.where else ""
        return f"{place}[[terminology]] {self._source.name}" + (f".{key}" if key else "")

    def _bad(self, key: str, what: str) -> ConfigError:
        return ConfigError(f"must be {what}", where=self.where(key), advice="correct the project file")

    def text(self, key: str, default: str | None = None) -> str | None:
        """A text option."""
        value = self._source.options.get(key, default)
        if value is not None and not (isinstance(value, str) and value):
            raise self._bad(key, "a text")
        return value

    def choice(self, key: str, default: str, *allowed: str) -> str:
        """One of ``allowed``."""
        value = self._source.options.get(key, default)
        if not isinstance(value, str) or value not in allowed:
            raise self._bad(key, "one of " + ", ".join(allowed))
        return value

    def language(self, default: str | None) -> str | None:
        """The option ``language``: the tag of texts whose file does not state one."""
        value = self.text("language", default)
        if value is not None and tag(value) is None:
            raise self._bad("language", "a language tag such as nl or nl-BE")
        return value and tag(value)

    def texts(self, key: str, default: Iterable[str] | None = None) -> tuple[str, ...] | None:
        """A text or a list of texts; None where it is not given and has no default."""
        value = self._source.options.get(key)
        if value is None:
            return None if default is None else tuple(default)
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._bad(key, "a text or a list of texts")
        return tuple(value)

    def entries(self) -> tuple[list[Entry], bool]:
        """The files of the source, and whether the option ``files`` named them."""
        path, names = self._source.path, self.texts("files")
        found = entries(path)
        return (found, False) if names is None else (select(found, path, names), True)

    def names(self, key: str) -> dict[str, str]:
        """A table of texts, e.g. ``systems = {SNOMEDCT_US = "sct"}``."""
        value = self._source.options.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            raise self._bad(key, "a table of texts")
        return dict(value)
