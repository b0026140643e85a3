"""A small catalogue, built and opened."""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from dragoman.folder import language
from dragoman.index.arrays import Part, Writer
from dragoman.index.drugs import DrugIndex
from dragoman.index.drugs_build import compile_drugs
from dragoman.index.drugs_report import DrugReport
from dragoman.index.found import Found
from dragoman.readers.deployment import Alias, Catalog, Drug
from dragoman.text.tokens import tokenize
from dragoman.types import Candidate, Mention

VIETNAMESE = ("vi", "en", "nl", "mul")
DUTCH = ("nl", "en", "mul")


class Opened:
    """An index with its report, asked as the engine asks: match, then near on what is left."""

    def __init__(self, catalog: Catalog, codes: Sequence[str] = VIETNAMESE) -> None:
        folder = Path(mkdtemp(prefix="dragoman-drugs-"))
        atexit.register(rmtree, folder, ignore_errors=True)
        packs = [language(code) for code in codes]
        self.report: DrugReport = compile_drugs(catalog, packs, Writer(folder))
        self.folder = folder
        self.index = DrugIndex.open(Part(folder), packs)

    def found(self, text: str) -> Found:
        tokens = tokenize(text)
        found = self.index.match(tokens)
        near = self.index.near(tokens, -1, [m.span for m in found.mentions])
        return Found(found.candidates + near.candidates, found.mentions + near.mentions)

    def candidates(self, text: str) -> dict[str, Candidate]:
        return {c.id: c for c in self.found(text).candidates}

    def kinds(self, text: str) -> dict[str, str]:
        return {c.id: c.match for c in self.found(text).candidates}

    def mentions(self, text: str) -> tuple[Mention, ...]:
        return self.found(text).mentions

    def status(self, text: str) -> list[tuple[str, str]]:
        return [(m.text, m.status) for m in self.mentions(text)]

    def unknown(self, text: str) -> list[str]:
        return [m.text for m in self.mentions(text) if m.status == "unknown"]


def catalog(
    names: Iterable[str] | dict[str, Sequence[str]],
    *,
    known: Iterable[str] = (),
    confusable: Iterable[tuple[str, str]] = (),
    ingredients: dict[str, Sequence[str]] | None = None,
    language: str | None = "vi",
) -> Catalog:
    """Drugs by name, each with aliases written ``alias`` or ``alias/kind``; the id is the name in lower case."""
    table = names if isinstance(names, dict) else dict.fromkeys(names, ())
    parts = ingredients or {}
    drugs, aliases = [], []
    for name, others in table.items():
        drugs.append(Drug(drug_id=name.lower(), name=name, ingredients=tuple(parts.get(name, ()))))
        for other in others:
            alias, _, kind = other.partition("/")
            aliases.append(Alias(drug_id=name.lower(), alias=alias, kind=kind or "generic", language=language))
    return Catalog(drugs=tuple(drugs), aliases=tuple(aliases), known=tuple(known), confusable=tuple(confusable))
