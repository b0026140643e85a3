"""Concept matching and enrichment over a generated terminology: build, disk, opening, microseconds a question.

    python bench/generate_terms.py FOLDER
    python bench/terms.py FOLDER [--index PLACE]

Nothing is memoised between questions; one process; process time. ``dict`` is a look-up of the same spans in a plain
dictionary, with the same folding and the same pruning by first word. Prints one JSON document.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dragoman import folder
from dragoman.enrich import EnrichSettings, enrich
from dragoman.index.arrays import Part, Writer
from dragoman.index.found import Found
from dragoman.index.layers import Over
from dragoman.index.pages_build import compile_pages
from dragoman.index.terms import TermIndex
from dragoman.index.terms_build import compile_terms
from dragoman.index.terms_report import together
from dragoman.protocols import Report, Source
from dragoman.readers.csv_folder import read
from dragoman.readers.taxonomy import read_taxonomy
from dragoman.reading import Reading
from dragoman.steps.candidates import covered, settle
from dragoman.text.tokens import Tokens, fold_key, tokenize
from dragoman.types import Scope, Turn


def percentiles(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {"p50": round(statistics.median(ordered), 1), "p99": round(ordered[int(len(ordered) * 0.99)], 1)}


def timed(what: Callable[[str], object], texts: list[str]) -> dict[str, float]:
    for text in texts[:50]:
        what(text)
    times = []
    for text in texts:
        began = time.process_time_ns()
        what(text)
        times.append((time.process_time_ns() - began) / 1000)
    return percentiles(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--index", type=Path, help="where the index is kept for the next run")
    options = parser.parse_args()
    home: Path = options.folder
    packs = [folder.language("nl"), folder.language("mul")]
    place = options.index or Path(tempfile.mkdtemp())
    shared, own = place / "shared", place / "own"
    result: dict[str, object] = {}
    place.mkdir(parents=True, exist_ok=True)
    if not any(place.iterdir()):
        report = Report()
        began = time.process_time()
        taxonomy = read_taxonomy(
            entities=home / "taxonomy/entities.csv", relations=home / "taxonomy/relations.csv", report=report
        )
        source = Source(name="made", format="csv", path=home / "terminology", languages=("nl",))
        shared.mkdir()
        own.mkdir()
        below = compile_terms([(source, read(source, report))], packs, Writer(shared))
        counts = together(below, compile_pages(taxonomy, packs, Writer(own), Part(shared))).counts
        result["build"] = {
            "counts": counts,
            "cpu_s": round(time.process_time() - began, 1),
            "disk_mb": round(sum(p.stat().st_size for p in place.rglob("*.*")) / 1e6, 1),
            "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "largest": {
                p.name: round(p.stat().st_size / 1e6, 1)
                for p in sorted(place.rglob("*.*"), key=lambda p: -p.stat().st_size)[:12]
            },
        }
    began = time.perf_counter()
    terms = TermIndex.open(Over(Part(shared), Part(own)), packs)
    result["open_ms"] = round((time.perf_counter() - began) * 1000, 2)
    rows = [json.loads(line) for line in (home / "questions.jsonl").read_text("utf-8").splitlines()]
    texts = [row["text"] for row in rows]
    settings = EnrichSettings(corpus_language="nl")
    exact_settings = EnrichSettings(corpus_language="nl", without=frozenset({"near", "words", "condensing"}))

    def reading(text: str, tokens: Tokens, found: Found) -> Reading:
        return Reading(
            turn=Turn(text),
            language="nl",
            languages=(packs[0],),
            scope=Scope(),
            messages=((-1, tokens),),
            candidates=found.candidates,
            mentions=found.mentions,
        )

    def exact(text: str) -> object:
        tokens = tokenize(text)
        found = settle([terms.match(tokens, -1, whole_words=True)])
        return enrich(reading(text, tokens, found), None, terms, None, exact_settings)

    def everything(text: str) -> object:
        tokens = tokenize(text)
        found = settle([terms.match(tokens, -1)])
        near = terms.near(tokens, -1, covered(found))
        if near.candidates:
            found = settle([found, near])
        return enrich(reading(text, tokens, found), None, terms, None, settings)

    plain: dict[str, int] = {}
    starts: dict[str, int] = {}
    for number in range(len(terms.text)):
        key = fold_key(terms.text[number])
        words = key.split(" ")
        plain[key] = number
        starts[words[0]] = starts.get(words[0], 0) | 1 << len(words)

    def dictionary(text: str) -> list[int]:
        keys = tokenize(text).keys
        found = []
        for first, key in enumerate(keys):
            lengths = starts.get(key, 0)
            for length in range(min(lengths.bit_length() - 1, len(keys) - first), 0, -1):
                if lengths >> length & 1:
                    number = plain.get(" ".join(keys[first : first + length]))
                    if number is not None:
                        found.append(number)
                        break
        return found

    result["dict_us"] = timed(dictionary, texts)
    result["exact_us"] = timed(exact, texts)
    result["match_only_us"] = timed(lambda text: terms.match(tokenize(text), -1, whole_words=True), texts)
    result["all_us"] = timed(everything, texts)
    result["times_dict"] = round(result["exact_us"]["p50"] / result["dict_us"]["p50"], 2)  # type: ignore[index]
    result["all_typos_us"] = timed(everything, [row["typo"] for row in rows if row["typo"]])
    asked = found = 0
    for row in rows:
        if row["typo"]:
            asked += 1
            tokens = tokenize(row["typo"])
            sure = settle([terms.match(tokens, -1)])
            both = settle([sure, terms.near(tokens, -1, covered(sure))])
            wanted = {terms.ids[terms.matcher.owner[plain[fold_key(row["term"])]]]}
            found += bool(wanted & {c.id for c in both.candidates})
    result["typos_found"] = round(found / asked, 3)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
