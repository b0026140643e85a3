"""What the ontology formats share: their options, the files of a source, which synonyms are terms.

``ontology.toml`` beside this has the words.
"""

from __future__ import annotations

import re

from dragoman.errors import DataError
from dragoman.protocols import Report, Source
from dragoman.readers.sources import Entry
from dragoman.readers.values import Gate, Options, data

_DATED = re.compile(r"_\d{4}_\d{2}_\d{2}\Z")
OPTIONS = ("language", "scopes", "lay_scopes", "prefixes", "systems", "semantic_type", "files")


def files(source: Source, options: Options, ending: str) -> list[Entry]:
    """The files that the option names, else the one there is, else those with ``ending``; ``DataError`` for none."""
    found, named = options.entries()
    if not named and (source.path.is_dir() or len(found) > 1):
        found = [e for e in found if e.name.lower().endswith(ending)]
    if not found:
        raise DataError(f"the folder has no {ending} file", where=str(source.path), advice="correct `path`")
    return found


class Synonyms:
    """Which synonyms are terms, and of what type: shared by the ontology formats."""

    def __init__(self, options: Options) -> None:
        table = data("ontology")["synonyms"]
        self._scopes = frozenset(s.upper() for s in options.texts("scopes", table["scopes"]) or ())
        self._lay_scopes = frozenset(s.upper() for s in options.texts("lay_scopes", table["lay_scopes"]) or ())
        self._lay, self._left_out = frozenset(table["lay_types"]), frozenset(table["left_out_types"])

    def type_of(self, scope: str, type_: str | None, report: Report) -> str | None:
        """The term's type, or None (counted) for a synonym that is no term."""
        name = (type_ or "").rpartition("#")[2]
        if name in self._left_out:
            report.skip(f"synonym of type {name}")
            return None
        lay = name in self._lay
        if scope not in (self._lay_scopes if lay else self._scopes):
            report.skip(f"{scope} synonym")
            return None
        return "lay" if lay else "synonym"


class Ontology:
    """What a reader of ontologies knows of its source, and what it has met: ``ids`` with the file that has each,
    ``merged`` ids and ``versions``."""

    def __init__(self, source: Source, report: Report, options: Options) -> None:
        self.report = report
        self.gate = Gate(source, report)
        self.synonyms = Synonyms(options)
        self.language = options.language("en") or "en"
        self.prefixes = options.texts("prefixes")
        self.systems = options.names("systems")
        self.kind = options.text("semantic_type")
        self.relations: dict[str, str] = data("ontology")["relations"]
        self.ids: dict[str, str] = {}
        self.merged: list[str] = []
        self.versions: set[str] = set()


def system_of(prefix: str, systems: dict[str, str]) -> str:
    """A cross-reference prefix without its date, under the name that the project gives it."""
    plain = _DATED.sub("", prefix)
    return systems.get(plain, plain)
