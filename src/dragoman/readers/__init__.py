"""Terminology readers, one file a format: ``read(source, report) -> Iterator[Row]``.

A reader is imported when it is first called. Adding a format is adding a file here and its name to ``READERS``.

``[[terminology]]`` tables of one ``name`` are one terminology, whatever their formats: an ontology (``obo``) and its
translation (``babelon``) for instance. A concept that any of them states as inactive is retired with all its terms;
a concept that no table states, but for which there are terms, exists by its terms.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from importlib import import_module

from dragoman.errors import ConfigError
from dragoman.protocols import Reader, Report, Row, Source


class _Lazy:
    """A reader that imports its module on the first call."""

    def __init__(self, module: str) -> None:
        self.module = module

    def __call__(self, source: Source, report: Report) -> Iterator[Row]:
        read: Reader = import_module(f"{__name__}.{self.module}").read
        return read(source, report)

    def __repr__(self) -> str:
        return f"<reader {self.module}>"


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
    near = difflib.get_close_matches(source.format.lower(), READERS, n=1, cutoff=0.5)
    raise ConfigError(
        f"there is no terminology format {source.format!r}",
        where=f"[[terminology]] {source.name}.format",
        advice=f"did you mean {near[0]!r}?" if near else "use one of " + ", ".join(READERS),
    )
