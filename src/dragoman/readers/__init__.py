"""Terminology readers, one file a format: ``read(source, report) -> Iterator[Row]``.

A reader is imported when it is first called. Adding a format is adding a file here and its name to ``READERS``.

``[[terminology]]`` tables of one ``name`` are one terminology, whatever their formats: an ontology (``obo``) and its
translation (``babelon``) for instance. A concept that any of them states as inactive is retired with all its terms;
a concept that no table states, but for which there are terms, exists by its terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from dragoman.errors import ConfigError, DataError
from dragoman.meant import did_you_mean
from dragoman.protocols import Reader, Report, Row, Source


class _Lazy:
    """A reader that imports its module on the first call."""

    def __init__(self, module: str) -> None:
        self.module = module

    def __call__(self, source: Source, report: Report) -> Iterator[Row]:
        read: Reader = import_module(f"{__name__}.{self.module}").read
        return _some(read(source, report), source, report)

    def __repr__(self) -> str:
        return f"<reader {self.module}>"


def _some(rows: Iterator[Row], source: Source, report: Report) -> Iterator[Row]:
    """The rows, or a ``DataError`` that says where they went if there is none."""
    first = next(rows, None)
    if first is None:
        bad = next((reject for reject in report.examples if reject.line), None)
        reasons = (report.rejected + report.skipped).most_common(3)
        raise DataError(
            "nothing in it can be used: " + (", ".join(f"{why} ({count})" for why, count in reasons) or "it is empty"),
            where=f"{bad.path}:{bad.line}" if bad else str(source.path),
            advice=f"check that it is of format {source.format!r}, and the options of its [[terminology]]",
        )
    yield first
    yield from rows


READERS: dict[str, Reader] = {
    "babelon": _Lazy("babelon"),
    "csv": _Lazy("csv_folder"),  # a module called csv would be mistaken for the standard library's
    "fhir": _Lazy("fhir"),
    "obo": _Lazy("obo"),
    "obograph": _Lazy("obograph"),
    "omop": _Lazy("omop"),
    "rf2": _Lazy("rf2"),
    "rrf": _Lazy("rrf"),
}


def reader_for(source: Source) -> Reader:
    """The reader of the source's format; ``ConfigError`` names the nearest right one for a format there is not."""
    if source.format in READERS:
        return READERS[source.format]
    raise ConfigError(
        f"there is no terminology format {source.format!r}",
        where=f"{source.where}: [[terminology]] {source.name}" if source.where else f"[[terminology]] {source.name}",
        advice=did_you_mean(source.format, READERS),
    )
