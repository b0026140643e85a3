"""Format ``rf2``: SNOMED CT's release format, a package's folder or zip.

Snapshot files are preferred to Full, in which the latest ``effectiveTime`` of an id counts (an empty one, not yet
released, is later than all); a Delta is read only on request or on top of another layer. A component that its concept,
its own row or its reference set has retired is not yielded; retired concepts are, as inactive. Only inferred
relationships count. Text definitions are no terms.

Options:

- ``layers``: several packages, later ones win where times are equal; names relative to ``path`` (a folder), or to its
  folder, with ``path`` itself the first layer, where ``path`` is a file. Packages that lie in one folder need it not.
- ``files``: names or ``*`` patterns of the files to read. ``release``: ``snapshot``, ``full`` or ``delta``.
- ``language_refsets``, ``lay_refsets``: see ``rf2_refsets``. ``modules``: only descriptions of these modules.
- ``maps``: reference sets (names or ids) whose maps to take, default all. ``systems``: other names for their targets.

Snapshots of one package stream; Full files and layers hold the time of every id while they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from sys import intern

from dragoman.errors import DataError
from dragoman.protocols import ConceptRow, MapRow, Report, Row, Source, TermRow
from dragoman.readers.rf2_refsets import LAY, OUTSIDE, Naming, Refsets
from dragoman.readers.rf2_relationships import Relationships
from dragoman.readers.rf2_release import ReleaseFile, release_files
from dragoman.readers.values import NO_FLAG, NO_TAG, Gate, Options, data, semantic_tag

NO_ID = "an id is not a number"
NO_TIME = "effectiveTime is not a date (YYYYMMDD)"
_UNRELEASED = "~"  # sorts after every date


def read(source: Source, report: Report) -> Iterator[Row]:
    """Read a package; see the module. Raises ``DataError`` and ``ConfigError``."""
    options = Options(
        source, "layers", "files", "release", "language_refsets", "lay_refsets", "modules", "maps", "systems"
    )
    release = options.choice("release", "", "", "snapshot", "full", "delta") or None
    layers = _layers(source.path, options.texts("layers"))
    files = release_files(layers, release, options.texts("files"), report)
    return _Package(source, report, options, files).rows()


def _layers(path: Path, names: tuple[str, ...] | None) -> list[Path]:
    if not names:
        return [path]
    if path.is_dir():
        return [path / name for name in names]
    return [path, *(path.parent / name for name in names)]


class _Package:
    """One reading: concepts, then reference sets, then what hangs on them."""

    def __init__(self, source: Source, report: Report, options: Options, files: dict[str, list[ReleaseFile]]) -> None:
        self.report = report
        self.files = files
        self.gate = Gate(source, report)
        # RF2 writes the language alone; the dialect of `nl-BE` is a matter of reference sets.
        self.gate.wanted = tuple(dict.fromkeys(w.split("-")[0] for w in self.gate.wanted))
        self.refsets = Refsets(options, self.gate.wanted)
        self.modules = frozenset(options.texts("modules") or ())
        self.maps = options.texts("maps")
        self.systems = options.names("systems")
        self.live: dict[str, bool] = {}
        self.kinds: dict[str, str] = {}
        self.times: set[str] = set()

    def rows(self) -> Iterator[Row]:
        self._concepts()
        self._language_refsets()
        yield from self._descriptions()
        for concept, active in self.live.items():
            yield ConceptRow(concept, active, self.kinds.get(concept))
        yield from self._relationships()
        yield from self._maps()
        self.report.version = max(self.times - {""}, default=None)

    def _plain(self, kind: str) -> bool:
        """Whether every row of the files of a kind counts: the snapshots of one package."""
        files = self.files.get(kind, ())
        return len({f.package for f in files}) < 2 and all(f.release == "snapshot" for f in files)

    def _current(self, kind: str) -> Iterator[tuple[ReleaseFile, Iterator[tuple[int, list[str]]]]]:
        """Each file of a kind with the rows that count: in Full files and layers, the latest of each id."""
        files = sorted(self.files.get(kind, ()), key=lambda f: -f.layer)
        plain = self._plain(kind)
        latest: dict[str, str] = {}
        if not plain:
            for file in files:
                id_at, time_at = file.table.places("id", "effectiveTime")
                for _, values in file.table.rows(Report()):
                    time = values[time_at] or _UNRELEASED
                    if time > latest.get(values[id_at], ""):
                        latest[values[id_at]] = time
        for file in files:
            self.report.read(file.table.entry.path)
            rows = file.table.rows(self.report)
            yield file, rows if plain else self._latest(file, rows, latest)

    def _latest(
        self, file: ReleaseFile, rows: Iterator[tuple[int, list[str]]], latest: dict[str, str]
    ) -> Iterator[tuple[int, list[str]]]:
        id_at, time_at = file.table.places("id", "effectiveTime")
        for line, values in rows:
            if latest.get(values[id_at]) == (values[time_at] or _UNRELEASED):
                del latest[values[id_at]]  # a repeated row is taken once
                yield line, values
            else:
                self.report.skip("earlier version of a row")

    def _timed(self, source: str, line: int, time: str) -> bool:
        """Whether the time is one; the caller has seen that it is new."""
        if time and not (len(time) == 8 and time.isascii() and time.isdecimal()):
            self.report.reject(source, line, NO_TIME)
            return False
        self.times.add(time)
        return True

    def _concepts(self) -> None:
        report, live, times = self.report, self.live, self.times
        for file, rows in self._current("concept"):
            source = str(file.table.entry)
            id_at, time_at, active_at = file.table.places("id", "effectiveTime", "active")
            for line, values in rows:
                concept, active, time = values[id_at], values[active_at], values[time_at]
                if time not in times and not self._timed(source, line, time):
                    continue
                if active not in ("0", "1") or not concept.isdecimal():
                    report.reject(source, line, NO_ID if active in ("0", "1") else NO_FLAG)
                    continue
                live[concept] = active == "1"
                if active == "0":
                    report.skip("inactive concept")

    def _language_refsets(self) -> None:
        for file, rows in self._current("language"):
            places = file.table.places("active", "refsetId", "referencedComponentId", "acceptabilityId")
            self.refsets.add(str(file.table.entry), rows, places, self.report)
        self.refsets.settle()
        if self.refsets.empty and not self.refsets.explicit:
            self.report.note("packages without a language reference set: every term is a synonym")

    def _descriptions(self) -> Iterator[Row]:
        report, live, refsets, times, gate = self.report, self.live, self.refsets, self.times, self.gate
        types = data("rf2")["types"]
        fsn, synonym = types["fsn"], types["synonym"]
        naming, any_row = Naming(refsets), False
        language_of, fault_of, composed, standing_of = gate.language, gate.fault, gate.composed, refsets.standing
        for file, rows in self._current("description"):
            source = str(file.table.entry)
            id_at, time_at, active_at, module_at, concept_at, language_at, type_at, term_at = file.table.places(
                "id", "effectiveTime", "active", "moduleId", "conceptId", "languageCode", "typeId", "term"
            )
            for line, values in rows:
                any_row = True
                concept, active, time = values[concept_at], values[active_at], values[time_at]
                type_, term = values[type_at], values[term_at]
                if time not in times and not self._timed(source, line, time):
                    continue
                if active != "1" or not concept.isdecimal():
                    if active == "0":
                        report.skip("inactive description")
                    else:
                        report.reject(source, line, NO_ID if active == "1" else NO_FLAG)
                    continue
                state = live.get(concept)
                if state is not True:
                    if state is False:
                        report.skip("description of an inactive concept")
                        continue
                    report.note("concepts that no concept file lists, taken as active")
                    live[concept] = True
                language, wanted = language_of(values[language_at])
                if fault := (NO_TAG if language is None else fault_of(concept, term)):
                    report.reject(source, line, fault)
                    continue
                if type_ == fsn:
                    self._tag(concept, term, language)
                elif type_ != synonym:
                    report.skip("text definition" if type_ == types["definition"] else "description of another type")
                    continue
                if not wanted:
                    report.skip(f"another language ({language})")
                    continue
                if self.modules and values[module_at] not in self.modules:
                    report.skip("description of another module")
                    continue
                term = composed(term)
                standing = standing_of(values[id_at])
                if standing == OUTSIDE and refsets.explicit:
                    report.skip("description in none of the language_refsets")
                elif type_ == fsn:
                    yield TermRow(concept, term, language or "", "fsn")
                elif standing < 0:
                    yield TermRow(concept, term, language or "", "lay" if standing == LAY else "synonym")
                else:
                    yield from naming.offer(standing, TermRow(concept, term, language or "", "preferred"))
        if not any_row and not report.rejected:
            first = self.files["description"][0].table
            raise DataError(
                "there is no row below the header", where=f"{first.entry}:{first.line}", advice="fetch it again"
            )
        yield from naming.rest()

    def _tag(self, concept: str, term: str, language: str | None) -> None:
        """The semantic tag of a fully specified name; an English one is the reference, whatever is read first."""
        kind = semantic_tag(term)
        if kind and (language == "en" or concept not in self.kinds):
            self.kinds[concept] = intern(kind)

    def _relationships(self) -> Iterator[Row]:
        reading = Relationships(self.live, self.report)
        if self._plain("relationship") and reading.numeric:
            for file in self.files.get("relationship", ()):
                self.report.read(file.table.entry.path)
                yield from reading.blocks(file.table)
            return
        for file, rows in self._current("relationship"):
            yield from reading.rows(file.table, rows)

    def _maps(self) -> Iterator[Row]:
        report, live, names = self.report, self.live, data("rf2")["maps"]
        for file, rows in self._current("map"):
            source = str(file.table.entry)
            active_at, refset_at, concept_at, target_at = file.table.places(
                "active", "refsetId", "referencedComponentId", "mapTarget"
            )
            for line, values in rows:
                refset, target = values[refset_at], values[target_at].strip()
                system = names.get(refset, refset)
                if values[active_at] != "1":
                    if values[active_at] == "0":
                        report.skip("inactive map row")
                    else:
                        report.reject(source, line, NO_FLAG)
                elif self.maps is not None and system not in self.maps and refset not in self.maps:
                    report.skip(f"map to another system ({system})")
                elif not target:
                    report.skip("map row without a target")
                elif not live.get(values[concept_at]):
                    report.skip("map row of a concept that is inactive or in no file")
                else:
                    yield MapRow(values[concept_at], self.systems.get(system, system), target)
