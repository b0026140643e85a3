"""Reads a formulary: drugs, their aliases, names known elsewhere, look-alike pairs.

Files are UTF-8 tables with a header, comma or tab separated by their ending (see ``readers.tables``). What is wrong
with a file as a whole is a ``DataError``; a single bad row is rejected with its line and the rest is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.deployment import Alias, Catalog, Drug
from dragoman.readers.sources import Entry, lines
from dragoman.readers.tables import Table, by_ending
from dragoman.readers.values import tag

ACTIVE = "active"
KINDS = frozenset({"generic", "brand", "abbreviation", "spelling"})
_MAX_NAME = 400


def read_catalog(
    *,
    drugs: Path,
    aliases: Path | None = None,
    known: Path | None = None,
    confusable: Path | None = None,
    report: Report,
) -> Catalog:
    """The catalogue of these files, in file order; only drugs whose status is ``active`` (or empty) count.

    Raises ``DataError`` where a file is missing, empty, not UTF-8 or lacks a column, and where no active drug is left.
    """
    found, inactive = _drugs(drugs, report)
    if not found:
        raise DataError("holds no active drug", where=str(drugs), advice="one row a drug, status active or empty")
    ids = {drug.drug_id for drug in found}
    return Catalog(
        drugs=tuple(found),
        aliases=tuple(_aliases(aliases, ids, inactive, report)) if aliases else (),
        known=tuple(_known(known, report)) if known else (),
        confusable=tuple(_pairs(confusable, report)) if confusable else (),
    )


def _drugs(path: Path, report: Report) -> tuple[list[Drug], set[str]]:
    table = _table(path, report)
    id_, name = table.places("drug_id", "name")
    ingredients, atc, status = (table.place(c) for c in ("ingredients", "atc", "status"))
    found: list[Drug] = []
    lines_of: dict[str, int] = {}
    inactive: set[str] = set()
    for line, row in table.rows(report):
        drug_id, text, state = _cell(row, id_), _cell(row, name), _cell(row, status).casefold()
        if not drug_id:
            report.reject(path, line, "empty drug_id")
        elif fault := _name_fault(text):
            report.reject(path, line, f"the name {fault}")
        elif drug_id in lines_of:
            report.reject(path, line, "this drug_id stands in an earlier row")
        else:
            lines_of[drug_id] = line
            if state and state != ACTIVE:
                inactive.add(drug_id)
                report.skip("drugs that are not active")
                continue
            parts = tuple(p for part in _cell(row, ingredients).split("|") if (p := part.strip()))
            found.append(Drug(drug_id=drug_id, name=text, ingredients=parts, atc=_cell(row, atc) or None))
    return found, inactive


def _aliases(path: Path, ids: set[str], inactive: set[str], report: Report) -> Iterator[Alias]:
    table = _table(path, report)
    id_, alias = table.places("drug_id", "alias")
    kind, language, rank = (table.place(c) for c in ("kind", "language", "display_rank"))
    seen: set[tuple[str, str]] = set()
    for line, row in table.rows(report):
        drug_id, text = _cell(row, id_), _cell(row, alias)
        kind_, rank_ = _cell(row, kind).casefold() or "generic", _cell(row, rank)
        code = tag(_cell(row, language)) if _cell(row, language) else None
        if drug_id in inactive:
            report.skip("aliases of drugs that are not active")
        elif drug_id not in ids:
            report.reject(path, line, "no drug has this drug_id")
        elif fault := _name_fault(text):
            report.reject(path, line, f"the alias {fault}")
        elif kind_ not in KINDS:
            report.reject(path, line, f"the kind is none of {', '.join(sorted(KINDS))}")
        elif rank_ and not rank_.isdigit():
            report.reject(path, line, "display_rank is no whole number")
        elif _cell(row, language) and code is None:
            report.reject(path, line, "the language is not a language tag")
        elif (drug_id, text) in seen:
            report.skip("aliases that stand twice")
        else:
            seen.add((drug_id, text))
            short = code.split("-")[0] if code else None
            yield Alias(
                drug_id=drug_id, alias=text, kind=kind_, language=short, display_rank=int(rank_) if rank_ else None
            )


def _known(path: Path, report: Report) -> Iterator[str]:
    """One name a line; empty lines and lines that begin with ``#`` are none."""
    report.read(path)
    seen: set[str] = set()
    for number, line in enumerate(lines(_entry(path)), 1):
        text = normalize("NFC", line.strip())
        if not text or text.startswith("#"):
            continue
        if fault := _name_fault(text):
            report.reject(path, number, f"the name {fault}")
        elif text in seen:
            report.skip("known names that stand twice")
        else:
            seen.add(text)
            yield text


def _pairs(path: Path, report: Report) -> Iterator[tuple[str, str]]:
    table = _table(path, report)
    a, b = table.places("a", "b")
    for line, row in table.rows(report):
        pair = _cell(row, a), _cell(row, b)
        if not all(pair):
            report.reject(path, line, "one of the pair is empty")
        elif pair[0] == pair[1]:
            report.reject(path, line, "a name is paired with itself")
        else:
            yield pair


def _table(path: Path, report: Report) -> Table:
    entry = _entry(path)
    table = Table(entry, by_ending(entry))
    report.read(path)
    return table


def _entry(path: Path) -> Entry:
    if not path.is_file():
        raise DataError("there is no such file", where=str(path), advice="correct [catalog] in the project file")
    return Entry(path)


def _cell(row: list[str], place: int) -> str:
    return normalize("NFC", row[place].strip()) if place >= 0 else ""


def _name_fault(text: str) -> str | None:
    if not text:
        return "is empty"
    if len(text) > _MAX_NAME:
        return f"is longer than {_MAX_NAME} characters"
    if not any(c.isalnum() for c in text):
        return "has neither a letter nor a digit"
    return None
