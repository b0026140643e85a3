"""The relationships of a SNOMED CT release: which count, and between which concepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dragoman.protocols import RelationRow, RelationRows, Report, Row
from dragoman.readers.rf2_blocks import Places, numbers, read_blocks
from dragoman.readers.sources import decoded
from dragoman.readers.tables import Table
from dragoman.readers.values import NO_FLAG, data

_COLUMNS = ("active", "sourceId", "destinationId", "typeId", "characteristicTypeId")
_INACTIVE = "inactive relationship"
_NOT_INFERRED = "relationship that is not inferred"
_NO_CONCEPT = "relationship of a concept that is inactive or in no file"


class Relationships:
    """The rules by which rows are taken. ``live``: whether a concept counts, by id."""

    def __init__(self, live: Mapping[str, bool], report: Report) -> None:
        self.live = live
        self.report = report
        self.names: Mapping[str, str] = data("rf2")["relations"]
        self.kept = frozenset(data("rf2")["characteristic"]["kept"])

    @property
    def numeric(self) -> bool:
        """Whether ``blocks`` can tell the concepts by their ids as numbers."""
        return Places.possible(self.live)

    def rows(self, table: Table, rows: Iterator[tuple[int, list[str]]]) -> Iterator[Row]:
        """The relations of these rows of ``table``."""
        report, live, names, kept = self.report, self.live, self.names, self.kept
        source = str(table.entry)
        active_at, source_at, target_at, type_at, character_at = table.places(*_COLUMNS)
        for line, values in rows:
            if values[active_at] != "1":
                if values[active_at] == "0":
                    report.skip(_INACTIVE)
                else:
                    report.reject(source, line, NO_FLAG)
            elif values[character_at] not in kept:
                report.skip(_NOT_INFERRED)
            elif live.get(values[source_at]) and live.get(values[target_at]):
                type_ = values[type_at]
                yield RelationRow(values[source_at], names.get(type_, type_), values[target_at])
            else:
                report.skip(_NO_CONCEPT)

    def blocks(self, table: Table) -> Iterator[Row]:
        """The same of a whole table, many at a time."""
        import numpy as np

        kept = np.array([int(id_) for id_ in self.kept])
        columns, places = table.places(*_COLUMNS), Places(self.live)
        for block in read_blocks(table.entry, table.line):
            found = numbers(block, len(table.columns), columns)
            if found is None or found[0].max() > 1:
                lines = decoded(table.entry, block.raw)
                yield from self.rows(table, table.split(lines, block.line, self.report))
                continue
            active, source, target, type_, character = found
            (one, here), (other, there) = places.find(source), places.find(target)
            standing = np.select([active == 0, ~np.isin(character, kept), ~(here & there)], [1, 2, 3])
            for number, reason in enumerate((_INACTIVE, _NOT_INFERRED, _NO_CONCEPT), 1):
                if count := int((standing == number).sum()):
                    self.report.skip(reason, count)
            for kind in np.unique(type_[standing == 0]).tolist():
                of = (standing == 0) & (type_ == kind)
                yield RelationRows(self.names.get(str(kind), str(kind)), places.ids, one[of], other[of])
