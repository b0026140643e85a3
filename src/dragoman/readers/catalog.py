"""Reads a formulary: drugs, their aliases, names known elsewhere, look-alike pairs.

Files are UTF-8 tables with a header, comma or tab separated by their ending (see ``readers.tables``). What is wrong
with a file as a whole is a ``DataError``; a single bad row is rejected with its line and the rest is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from unicodedata import normalize

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.deployment import Alias, Catalog, Drug
from dragoman.readers.doubts import Languages, drug_statuses
from dragoman.readers.sources import Entry, lines
from dragoman.readers.tables import Rows, Table, by_ending
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
    inactive: bool = False,
    languages: Collection[str] = (),
) -> Catalog:
    """The catalogue of these files, in file order; only drugs whose status is ``active`` (or empty) count.

    ``languages`` are the project's: an alias of another one is kept, and goes to ``report.doubt``. ``inactive``: keep
    the other drugs as well, with their status. Raises ``DataError`` where a file is missing, empty, not UTF-8 or lacks
    a column, and where no drug is left.
    """
    return catalog_of(
        drugs=_table(drugs, report),
        aliases=_table(aliases, report) if aliases else None,
        known=_lines(known, report) if known else (),
        confusable=_table(confusable, report) if confusable else None,
        report=report,
        inactive=inactive,
        languages=languages,
    )


def catalog_of(
    *,
    drugs: Rows,
    aliases: Rows | None,
    known: Iterable[tuple[str, int, str]],
    confusable: Rows | None,
    report: Report,
    inactive: bool = False,
    languages: Collection[str] = (),
) -> Catalog:
    """The same of tables that are open already; ``known`` are names with where they stand."""
    found, left_out = _drugs(drugs, report, inactive)
    if not found:
        raise DataError("holds no active drug", where=drugs.name, advice="one row a drug, status active or empty")
    ids = {drug.drug_id for drug in found}
    return Catalog(
        drugs=tuple(found),
        aliases=tuple(_aliases(aliases, ids, left_out, report, Languages(report, languages))) if aliases else (),
        known=tuple(_known(known, report)),
        confusable=tuple(_pairs(confusable, report)) if confusable else (),
    )


def _drugs(table: Rows, report: Report, keep: bool) -> tuple[list[Drug], set[str]]:
    id_, name = table.places("drug_id", "name")
    ingredients, atc, status = (table.place(c) for c in ("ingredients", "atc", "status"))
    found: list[Drug] = []
    lines_of: dict[str, int] = {}
    inactive: set[str] = set()
    statuses = drug_statuses(report)
    for line, row in table.rows(report):
        drug_id, text, state = _cell(row, id_), _cell(row, name), _cell(row, status).casefold()
        if not drug_id:
            report.reject(table.name, line, "empty drug_id")
        elif fault := _name_fault(text):
            report.reject(table.name, line, f"the name {fault}")
        elif drug_id in lines_of:
            report.reject(table.name, line, "this drug_id stands in an earlier row")
        else:
            lines_of[drug_id] = line
            statuses.check(state, table.name, line)
            if state and state != ACTIVE and not keep:
                inactive.add(drug_id)
                report.skip("drugs that are not active")
                continue
            parts = tuple(p for part in _cell(row, ingredients).split("|") if (p := part.strip()))
            found.append(
                Drug(
                    drug_id=drug_id,
                    name=text,
                    ingredients=parts,
                    atc=_cell(row, atc) or None,
                    status=state or ACTIVE,
                )
            )
    return found, inactive


def _aliases(table: Rows, ids: set[str], inactive: set[str], report: Report, languages: Languages) -> Iterator[Alias]:
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
            report.reject(table.name, line, "no drug has this drug_id")
        elif fault := _name_fault(text):
            report.reject(table.name, line, f"the alias {fault}")
        elif kind_ not in KINDS:
            report.reject(table.name, line, f"the kind is none of {', '.join(sorted(KINDS))}")
        elif rank_ and not rank_.isdigit():
            report.reject(table.name, line, "display_rank is no whole number")
        elif _cell(row, language) and code is None:
            report.reject(table.name, line, "the language is not a language tag")
        elif (drug_id, text) in seen:
            report.skip("aliases that stand twice")
        else:
            seen.add((drug_id, text))
            languages.check(code or "", table.name, line)
            short = code.split("-")[0] if code else None
            yield Alias(
                drug_id=drug_id, alias=text, kind=kind_, language=short, display_rank=int(rank_) if rank_ else None
            )


def _lines(path: Path, report: Report) -> Iterator[tuple[str, int, str]]:
    """``(file, line, text)`` of each line."""
    report.read(path)
    for number, line in enumerate(lines(_entry(path)), 1):
        yield str(path), number, line


def _known(names: Iterable[tuple[str, int, str]], report: Report) -> Iterator[str]:
    """One name a line; empty lines and lines that begin with ``#`` are none."""
    seen: set[str] = set()
    for where, number, line in names:
        text = normalize("NFC", line.strip())
        if not text or text.startswith("#"):
            continue
        if fault := _name_fault(text):
            report.reject(where, number, f"the name {fault}")
        elif text in seen:
            report.skip("known names that stand twice")
        else:
            seen.add(text)
            yield text


def _pairs(table: Rows, report: Report) -> Iterator[tuple[str, str]]:
    a, b = table.places("a", "b")
    for line, row in table.rows(report):
        pair = _cell(row, a), _cell(row, b)
        if not all(pair):
            report.reject(table.name, line, "one of the pair is empty")
        elif pair[0] == pair[1]:
            report.reject(table.name, line, "a name is paired with itself")
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
