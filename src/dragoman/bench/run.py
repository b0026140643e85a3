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

from dragoman.bench import baselines, generate, model_call
from dragoman.bench.timing import child, disk_mb, median_ms, microseconds, percentiles, rounded
from dragoman.engine import Dragoman
from dragoman.text.tokens import tokenize

QUESTIONS = 2_000
WARM = 200  # questions asked before the clock runs, none of them asked again
SLOW = 15  # names that difflib is timed on
STARTS = 5  # fresh processes, of which the median counts

_IMPORT = "import time; t = time.perf_counter(); import dragoman; print(time.perf_counter() - t)"


def run(size: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Measure everything with a terminology of ``size`` terms; ``tell`` hears what is going on.

    Times are wall clock. ``None`` stands for what is not built yet.
    """
    with tempfile.TemporaryDirectory(prefix="dragoman-bench-") as place:
        base = Path(place)
        tell(f"writing {generate.ALIASES:,} drug names and {size:,} terms ...")
        names, fillers = generate.formulary(base / "formulary")
        terms, others = generate.hospital(base / "hospital", size)
        tell("building ...")
        _build(base / "formulary")
        built = _build(base / "hospital")
        tell("resolving drugs ...")
        resolver = _resolver(base / "formulary", names, fillers)
        tell("enriching questions ...")
        enrich, questions = _enrich(base / "hospital", terms, others, size)
        tell("starting ...")
        workers = _workers(base / "hospital", questions)
        start = _start(base / "formulary", questions[0])
    tell("asking a model that is not there ...")
    return {
        "resolver": resolver,
        "enrich": enrich,
        "build": {"rows": size, "relations": generate.relations(size), **built},
        **workers,
        **start,
        "offline_understand_ms": None,
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


def _resolver(folder: Path, names: list[str], fillers: list[str]) -> dict[str, Any]:
    """Whole questions, each with one name of the catalogue: as it is written, and with a typing error."""
    drugs = Dragoman.open(folder).vocabularies.drugs
    rng = random.Random(generate.SEED + 2)
    long = [n for n in names if len(n) >= 5]
    asked = generate.questions(rng, long, fillers, QUESTIONS + WARM)
    wrong = [generate.typo(rng, n) for n in rng.sample(long, QUESTIONS + WARM)]
    mistyped = generate.questions(rng, wrong, fillers, QUESTIONS + WARM)
    for text in (*asked[:WARM], *mistyped[:WARM]):
        drugs.near(tokenize(text), -1, [c.span for c in drugs.match(tokenize(text), -1).candidates])
    resolve = microseconds(lambda text: drugs.match(tokenize(text), -1), asked[WARM:])
    suggest = microseconds(lambda text: drugs.near(tokenize(text), -1, ()), mistyped[WARM:])
    slow = microseconds(lambda name: baselines.suggest(name, names), rng.sample(wrong, SLOW))
    return {
        "aliases": len(names),
        "resolve_us": percentiles(resolve, 50, 99),
        "suggest_us": percentiles(suggest, 50, 99),
        "difflib_us": percentiles(slow, 50),
        "times_faster": rounded(median(slow) / median(suggest)),
    }


def _enrich(folder: Path, terms: list[str], fillers: list[str], size: int) -> tuple[dict[str, Any], list[str]]:
    """Whole questions: matching alone, beside a dictionary that does the same, and the full way to enriched text."""
    engine = Dragoman.open(folder)
    matcher = engine.vocabularies.terms
    plain = baselines.DictMatcher(_terms(folder))
    rng = random.Random(generate.SEED + 3)
    count = min(QUESTIONS, len(terms) // 2 - WARM)
    asked = generate.questions(rng, terms, fillers, count + WARM)
    others = generate.questions(rng, terms, fillers, count + WARM)
    for text in asked[:WARM]:
        matcher.match(tokenize(text), -1)
        plain.match(text)
        engine.enrich(text)
    exact = microseconds(lambda text: matcher.match(tokenize(text), -1), asked[WARM:])
    simple = microseconds(plain.match, asked[WARM:])
    whole = microseconds(engine.enrich, others[WARM:])
    figures = {
        "terms": size,
        "exact_us": percentiles(exact, 50, 99),
        "all_us": percentiles(whole, 50, 99),
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
        "open_ms": rounded(median(f["open_ms"] for f in found)),
        "worker_rss_mb": rounded(median(f["rss_mb"] for f in found)),
        "worker_private_mb": rounded(median(f["private_mb"] for f in found)),
    }


def _start(folder: Path, question: str) -> dict[str, float]:
    """Importing the package, and the command line from nothing to an answer."""
    imports = [float(child(["-c", _IMPORT]).output) * 1000 for _ in range(STARTS)]
    ask = ["-m", "dragoman", "ask", question, "--project", str(folder), "--json"]
    return {"import_ms": rounded(median(imports)), "cli_cold_ms": median_ms(ask, STARTS)}
