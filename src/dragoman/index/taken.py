"""What a build took from each source, and what it did not: counted, listed, and held against the limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.errors import DataError
from dragoman.index.manifest import SourceInfo, digest_file
from dragoman.protocols import Doubt, Reject, RelationRows, Report, Row, Source
from dragoman.readers import reader_for

Progress = Callable[[str, int, int | None], None]
"""``(what, done, total or None)``: called now and then on long work, never with a line of the data."""

REJECTS = "rejects.tsv"
KEPT = 1_000  # rejects of each source and reason that the report file lists
_TICK = 20_000  # rows between two calls of the progress function


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """One source: what the manifest says of it, the first rejects of each reason, what is odd, and where it is."""

    info: SourceInfo
    rejects: tuple[Reject, ...]
    path: str
    doubts: tuple[Doubt, ...] = ()


class Reading:
    """A source that is being read: an iterator over its rows that counts them."""

    def __init__(self, source: Source, tick: Progress) -> None:
        self.source = source
        self.report = Report(KEPT)
        self.rows = 0
        self._tick = tick

    def __iter__(self) -> Iterator[Row]:
        name, tick = self.source.name, self._tick
        told = _TICK
        for row in reader_for(self.source)(self.source, self.report):
            self.rows += len(row) if isinstance(row, RelationRows) else 1
            if self.rows >= told:
                tick(name, self.rows, None)
                told = self.rows + _TICK
            yield row
        tick(name, self.rows, self.rows)

    def digests(self) -> dict[Path, str]:
        """The SHA-256 of each file that went into the rows."""
        return {path: digest_file(path) for path in self.report.files if path.is_file()}

    def taken(self, base: Path, digests: dict[Path, str] | None = None) -> Taken:
        """What was read. ``base`` is the project's folder: paths in a manifest are relative to it."""
        source, report = self.source, self.report
        files = {_short(path, base): sha for path, sha in (digests or self.digests()).items()}
        info = SourceInfo(
            name=source.name,
            format=source.format,
            version=report.version,
            licence=source.licence,
            files=files | report.digests,
            rows=self.rows,
            rejected=dict(report.rejected),
            skipped=dict(report.skipped),
            noted=dict(report.noted),
            doubted={doubt.what: doubt.count for doubt in report.doubts},
        )
        return Taken(info=info, rejects=tuple(report.examples), path=str(source.path), doubts=report.doubts)


def refuse_rejects(taken: Sequence[Taken], allowed: float) -> None:
    """Raise ``DataError`` for the first source of whose rows a share greater than ``allowed`` was rejected."""
    for one in taken:
        bad = sum(one.info.rejected.values())
        if bad and bad > allowed * (bad + one.info.rows):
            first = one.rejects[0]
            raise DataError(
                f"{bad} of {bad + one.info.rows} rows were rejected, first: {first.reason}",
                where=f"{first.path}:{first.line}" if first.line else one.path,
                advice=f"correct the source, or raise [build] max_rejects above {allowed:g}; see {REJECTS}",
            )


def write_rejects(path: Path, taken: Sequence[Taken]) -> None:
    """The rows that were not taken, for whoever corrects the sources; the file goes where there are none."""
    rejects = [reject for one in taken for reject in one.rejects]
    if not rejects:
        path.unlink(missing_ok=True)
        return
    with path.open("w", encoding="utf-8") as out:
        out.write("file\tline\treason\n")
        out.writelines(f"{e.path}\t{e.line or ''}\t{e.reason}\n" for e in rejects)


def first_of_each(rejects: Sequence[Reject], most: int) -> Iterator[Reject]:
    """The first ``most`` of each reason."""
    seen: dict[str, int] = {}
    for one in rejects:
        seen[one.reason] = seen.get(one.reason, 0) + 1
        if seen[one.reason] <= most:
            yield one


def _short(path: Path, base: Path) -> str:
    """``path`` relative to the project where it lies inside, for a manifest that is the same on every machine."""
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name
