"""``dragoman bench``: generate, build, open, ask, time; one document with the figures."""

from __future__ import annotations

import csv
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from dragoman.bench import baselines, generate, model_call, understanding
from dragoman.bench.timing import best_ms, child, disk_mb, microseconds, percentiles, rounded
from dragoman.engine import Dragoman
from dragoman.enrich import EnrichSettings, enrich
from dragoman.enrich.work import FEATURES
from dragoman.index.found import Found
from dragoman.reading import Reading
from dragoman.steps.candidates import covered, settle
from dragoman.text.tokens import Tokens, tokenize
from dragoman.types import Scope, Turn

QUESTIONS = 2_000
WARM = 200  # questions asked before the clock runs, none of them asked again
SLOW = 50  # names that difflib is timed on, and the suggestions for the same names beside it
STARTS = 5  # fresh processes: the quickest counts, and the median of their memory

_IMPORT = "import time; t = time.perf_counter(); import dragoman; print(time.perf_counter() - t)"


def run(size: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Measure everything with a terminology of ``size`` terms; ``tell`` hears what is going on.

    Microseconds are CPU time, start-up is the best wall time of a few. ``None`` stands for what is not built yet.
    """
    with tempfile.TemporaryDirectory(prefix="dragoman-bench-") as place:
        base = Path(place)
        tell(f"writing {generate.ALIASES:,} drug names and {size:,} terms ...")
        owners, fillers = generate.formulary(base / "formulary")
        terms, others = generate.hospital(base / "hospital", size)
        tell("building ...")
        _build(base / "formulary")
        built = _build(base / "hospital")
        tell("resolving drugs ...")
        resolver = _resolver(base / "formulary", owners, fillers)
        tell("enriching questions ...")
        enrich, questions = _enrich(base / "hospital", terms, others, size)
        tell("starting ...")
        workers = _workers(base / "hospital", questions)
        start = _start(base / "formulary", questions[0])
        tell("understanding without a model ...")
        offline = understanding.measure("formulary", base)
    tell("asking a model that is not there ...")
    return {
        "resolver": resolver,
        "enrich": enrich,
        "build": {"rows": size, "relations": generate.relations(size), **built},
        **workers,
        **start,
        "offline_understand_ms": offline,
        "model_overhead_ms": model_call.overhead(),
    }


def _build(folder: Path) -> dict[str, float]:
    cost = child(["-m", "dragoman", "build", "--project", str(folder), "--json"])
    return {
        "cpu_s": rounded(cost.cpu_s),
        "wall_s": rounded(cost.wall_s),
        "disk_mb": disk_mb(folder / ".dragoman"),
        "peak_rss_mb": rounded(cost.peak_rss_mb),
    }


def _resolver(folder: Path, owners: dict[str, str], fillers: list[str]) -> dict[str, Any]:
    """Lines of twelve words with one name as it is written, beside a dictionary; single names with a typing error,
    beside difflib.

    A name is unseen where neither the names nor their spelling rules have it. ``times_faster`` compares one unseen name
    with the same name, tokenized before the clock runs. ``found`` is the share of the unseen names whose drug is among
    the suggestions.
    """
    drugs = Dragoman.open(folder).vocabularies.drugs
    rng = random.Random(generate.SEED + 2)
    names = list(owners)
    long = [n for n in names if len(n) >= 5]
    lines = generate.questions(rng, long, fillers, QUESTIONS + WARM, length=12)
    mistyped = ((n, tokenize(generate.typo(rng, n))) for n in rng.sample(long, QUESTIONS + WARM))
    unseen = [(n, tokens) for n, tokens in mistyped if not drugs.match(tokens, -1).candidates]
    plain = baselines.DictMatcher(names)
    for tokens in (*map(tokenize, lines[:WARM]), *(tokens for _, tokens in unseen[:WARM])):
        drugs.near(tokens, -1, [c.span for c in drugs.match(tokens, -1).candidates])
        plain.match(tokens.text)
    asked = unseen[WARM:]
    resolve = microseconds(lambda text: drugs.match(tokenize(text), -1), lines[WARM:])
    simple = microseconds(plain.match, lines[WARM:])
    suggest = microseconds(lambda one: drugs.near(one[1], -1, ()), asked)
    slow = microseconds(lambda one: baselines.suggest(one[1].text, names), asked[:SLOW])
    offered = ({c.id for c in drugs.near(tokens, -1, ()).candidates} for _, tokens in asked)
    right = sum(owners[name] in ids for (name, _), ids in zip(asked, offered, strict=True))
    return {
        "aliases": len(names),
        "resolve_us": percentiles(resolve, 50, 99),
        "suggest_us": percentiles(suggest, 50, 99),
        "difflib_us": percentiles(slow, 50),
        "times_faster": rounded(median(slow) / median(suggest[:SLOW])),
        "found": rounded(right / len(asked)),
        "dict_us": percentiles(simple, 50),
        "times_dict": rounded(median(resolve) / median(simple)),
    }


def _enrich(folder: Path, terms: list[str], fillers: list[str], size: int) -> tuple[dict[str, Any], list[str]]:
    """Text to enrichment: terms as they are written, beside a dictionary that finds the same spans; then everything
    switched on, and every third question with a typing error in its term. ``engine_us`` is everything again as people
    call it: with language, scope, drugs and trace.
    """
    engine = Dragoman.open(folder)
    plain = baselines.DictMatcher(_terms(folder))
    terms_index = engine.vocabularies.terms
    corpus = engine.project.corpus_language
    settings = EnrichSettings(corpus_language=corpus)
    bare = EnrichSettings(corpus_language=corpus, without=frozenset({*FEATURES, "near", "words"}))

    def read(text: str, tokens: Tokens, found: Found, how: EnrichSettings) -> None:
        reading = Reading(
            turn=Turn(text),
            language=corpus,
            languages=engine.project.languages,
            scope=Scope(),
            messages=((-1, tokens),),
            candidates=found.candidates,
            mentions=found.mentions,
        )
        enrich(reading, None, terms_index, None, how)

    def as_written(text: str) -> None:
        tokens = tokenize(text)
        read(text, tokens, settle([terms_index.match(tokens, -1, whole_words=True)]), bare)

    def everything(text: str) -> None:
        tokens = tokenize(text)
        found = settle([terms_index.match(tokens, -1)])
        near = terms_index.near(tokens, -1, covered(found))
        read(text, tokens, settle([found, near]) if near.candidates else found, settings)

    rng = random.Random(generate.SEED + 3)
    count = min(QUESTIONS, len(terms) // 2 - WARM)
    asked = generate.questions(rng, terms, fillers, count + WARM)
    mixed = [generate.typo(rng, term) if n % 3 == 0 else term for n, term in enumerate(terms) if len(term) >= 5]
    others = generate.questions(rng, mixed, fillers, count + WARM)
    for text in asked[:WARM]:
        as_written(text)
        everything(text)
        engine.enrich(text)
        plain.match(text)
    exact = microseconds(as_written, asked[WARM:])
    simple = microseconds(plain.match, asked[WARM:])
    whole = microseconds(everything, others[WARM:])
    called = microseconds(engine.enrich, others[WARM:])
    figures = {
        "terms": size,
        "exact_us": percentiles(exact, 50, 99),
        "all_us": percentiles(whole, 50, 99),
        "engine_us": percentiles(called, 50, 99),
        "dict_us": percentiles(simple, 50),
        "times_dict": rounded(median(exact) / median(simple)),
    }
    return figures, others


def _terms(folder: Path) -> Iterator[str]:
    with (folder / "terminology" / "terms.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            yield row["term"]


def _workers(folder: Path, questions: list[str]) -> dict[str, float]:
    """Opening and memory in fresh processes, after a hundred questions."""
    asked = folder / "questions.txt"
    asked.write_text("\n".join(questions[:100]), "utf-8")
    found = [json.loads(child(["-m", "dragoman.bench.worker", str(folder), str(asked)]).output) for _ in range(STARTS)]
    return {
        "open_ms": rounded(min(f["open_ms"] for f in found)),
        "worker_rss_mb": rounded(median(f["rss_mb"] for f in found)),
        "worker_private_mb": rounded(median(f["private_mb"] for f in found)),
    }


def _start(folder: Path, question: str) -> dict[str, float]:
    """Importing the package, and the command line from nothing to an answer."""
    imports = [float(child(["-c", _IMPORT]).output) * 1000 for _ in range(STARTS)]
    ask = ["-m", "dragoman", "ask", question, "--project", str(folder), "--json"]
    return {"import_ms": rounded(min(imports)), "cli_cold_ms": best_ms(ask, STARTS)}
