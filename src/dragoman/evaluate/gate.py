"""The golden questions as a gate: asked of a new index before it takes the old one's place."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

import msgspec

from dragoman.engine import Dragoman
from dragoman.evaluate import cases
from dragoman.evaluate.golden import Result, rate, run, shortfalls
from dragoman.index.build_report import Verdict
from dragoman.project import Project
from dragoman.vocabularies import Vocabularies


def gate(project: Project, place: Path) -> Verdict:
    """Ask the questions of ``[build] golden`` of the generation at ``place``.

    No model is called: whether a build passes must not hang on a service, so that cases that need one are skipped
    unless they bring its reply. Raises ``DataError`` where the file of questions cannot be read.
    """
    table = project.file.build
    offline = msgspec.structs.replace(project, file=msgspec.structs.replace(project.file, llm=None))
    results = run(Dragoman(offline, Vocabularies(place, offline)), cases.load(project.at(table.golden or "")))
    missed = shortfalls(results, least=table.min, safety=safety())
    return Verdict(missed=tuple(missed), rates=_rates(results))


def safety() -> frozenset[str]:
    """The categories that are counted, never averaged."""
    return frozenset(tomllib.loads(files("dragoman.evaluate").joinpath("safety.toml").read_text("utf-8"))["categories"])


def _rates(results: list[Result]) -> dict[str, float]:
    """The share of questions that passed, and of those that each layer served."""
    found = {"passed": rate(results).rate or 0.0}
    answers = [r.answer for r in results if r.answer is not None]
    for answer in answers:
        for layer in {e.layer for e in answer.enrichment.expansions if e.layer}:
            found[f"layer {layer}"] = found.get(f"layer {layer}", 0.0) + 1
    return {
        name: round(value / len(answers), 4) if name.startswith("layer ") else value
        for name, value in sorted(found.items())
    }
