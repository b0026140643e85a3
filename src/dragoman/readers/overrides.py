"""The editor's word: ``overrides``, comma or tab separated by its ending.

``term,language,action,target,reason,author,date``; only term, action and target must be columns. ``never``: the term
does not bring the target (an entity's or a concept's id; empty: anything). ``always``: the term brings the target,
whatever the vocabularies say. ``prefer``: of what the term may mean, it is the target. With a ``language`` the row
counts in texts of that language alone.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.deployment import ACTIONS, Override
from dragoman.readers.doubts import Languages
from dragoman.readers.sources import Entry
from dragoman.readers.tables import Table, by_ending
from dragoman.readers.values import tag

ADVICE = "correct the override"


def read_overrides(path: Path, report: Report, languages: Collection[str] = ()) -> tuple[Override, ...]:
    """Read the file whole. A row of another language than the project's ``languages`` goes to ``report.doubt``.

    An editor's mistake must not pass unseen: any bad row is a ``DataError`` with its line (an unknown action, no term,
    no target where one is needed, the same term and target ruled on twice).
    """
    table = Table(Entry(path), by_ending(Entry(path)))
    report.read(path)
    term, action, target = table.places("term", "action", "target")
    optional = {name: table.place(name) for name in ("language", "reason", "author", "date")}
    before = report.rejected.total()
    spoken = Languages(report, languages)
    found: list[Override] = []
    seen: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for line, row in table.rows(report):
        values = [value.strip() for value in row]
        where = f"{path}:{line}"
        more = {name: values[at] if at >= 0 else "" for name, at in optional.items()}
        more["language"] = (tag(more["language"]) or more["language"]).partition("-")[0]
        one = Override(term=values[term], action=values[action].lower(), target=values[target], where=where, **more)
        if not one.term:
            raise DataError("an override without a term", where=where, advice=ADVICE)
        if one.action not in ACTIONS:
            raise DataError(
                f"the action is {values[action]!r}", where=where, advice=f"it is one of {', '.join(ACTIONS)}"
            )
        if not one.target and one.action != "never":
            raise DataError(f"{one.action} needs a target", where=where, advice="name an entity's or a concept's id")
        others = seen.setdefault((one.term.casefold(), one.target), [])
        earlier = next((at for language, at in others if language == one.language or "" in (language, one.language)), 0)
        others.append((one.language, line))
        if earlier:
            raise DataError(
                f"line {earlier} rules on the same term and target", where=where, advice="keep one of the two"
            )
        spoken.check(one.language, str(path), line)
        found.append(one)
    if report.rejected.total() > before:
        fault = report.examples[-1]
        raise DataError(fault.reason, where=f"{fault.path}:{fault.line}", advice=ADVICE)
    return tuple(found)
