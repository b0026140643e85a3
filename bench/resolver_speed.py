"""How fast the drug resolver is: the speed table of docs/resolver-quality.md.

    python bench/resolver_speed.py [--names FILE] [--aliases 10164] [--large 1000000] [--lines 2000] [--sentences FILE]

Names (unless ``--names`` has them, one a line), lines and typing errors are made up with a fixed seed. Nothing is
memoised and no line is asked twice, but for the warm-up. Times are of the thread (process time), in microseconds, the
text being tokenised already; the plain dictionary is asked for every stretch of up to four words of the same lines in
the same run.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import quantiles
from time import thread_time_ns
from typing import Any

from rapidfuzz.distance import OSA

from dragoman.bench import generate
from dragoman.folder import language
from dragoman.index.arrays import Part, Writer
from dragoman.index.drugs import DrugIndex
from dragoman.index.drugs_build import compile_drugs
from dragoman.index.drugs_fuzzy import allowed
from dragoman.readers.deployment import Alias, Catalog, Drug
from dragoman.text.tokens import Tokens, tokenize

LANGUAGES = ("vi", "en", "nl", "mul")
WORDS = 12
DRUGS = 684
WARM = 200
DIFFLIB = 20


def build(names: Sequence[str], folder: Path) -> DrugIndex:
    rng = random.Random(generate.SEED)
    folder.mkdir()
    packs = [language(code) for code in LANGUAGES]
    drugs = tuple(Drug(drug_id=f"d{i}", name=name) for i, name in enumerate(names[:DRUGS]))
    aliases = tuple(Alias(drug_id=f"d{rng.randrange(DRUGS)}", alias=name, kind="brand") for name in names[DRUGS:])
    compile_drugs(Catalog(drugs=drugs, aliases=aliases), packs, Writer(folder))
    return DrugIndex.open(Part(folder), packs)


def timed(work: Callable[[Any], Any], asked: Sequence[Any]) -> tuple[float, float]:
    """Median and 99th percentile, in microseconds."""
    for item in asked[:WARM]:
        work(item)
    gc.disable()
    spent = []
    for item in asked[WARM:]:
        start = thread_time_ns()
        work(item)
        spent.append((thread_time_ns() - start) / 1000)
    gc.enable()
    cuts = quantiles(spent, n=100)
    return cuts[49], cuts[98]


def spans_in(table: dict[str, int]) -> Callable[[Tokens], list[int]]:
    def look(tokens: Tokens) -> list[int]:
        keys, found = tokens.keys, []
        for i in range(len(keys)):
            for j in range(i + 1, min(len(keys), i + 4) + 1):
                value = table.get(" ".join(keys[i:j]))
                if value is not None:
                    found.append(value)
        return found

    return look


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=Path)
    parser.add_argument("--aliases", type=int, default=generate.ALIASES)
    parser.add_argument("--large", type=int, default=0)
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--sentences", type=Path, help="real sentences, one a line, beside the made-up ones")
    options = parser.parse_args()
    rng = random.Random(generate.SEED)
    pieces: dict[str, Any] = generate._pieces()
    if options.names:
        listed = list(dict.fromkeys(options.names.read_text("utf-8").splitlines()))
        names = rng.sample(listed, options.aliases)
    else:
        names = generate.words(rng, "drugs", options.aliases, (2, 3, 3, 4))
    fillers = [*pieces["terms"]["filler"], *generate.words(rng, "terms", 300, (1, 2, 2))]
    long = [name for name in names if len(name) >= 7 and name.isalpha()]
    count = options.lines + WARM

    def lines(middle: Callable[[], list[str]]) -> list[Tokens]:
        made = []
        for _ in range(count):
            words = middle()
            words += [rng.choice(fillers) for _ in range(WORDS - len(words))]
            rng.shuffle(words)
            made.append(tokenize(" ".join(words)))
            made[-1].keys  # noqa: B018
        return made

    def whole(index: DrugIndex) -> Callable[[Tokens], Any]:
        return lambda t: index.near(t, -1, [m.span for m in index.match(t).mentions])

    with tempfile.TemporaryDirectory(prefix="dragoman-speed-") as place:
        index = build(names, Path(place) / "small")
        plain = lines(list)
        named = lines(lambda: [rng.choice(names)])
        mistyped = lines(lambda: [generate.typo(rng, rng.choice(long))])
        look = spans_in({name: i for i, name in enumerate(names)})
        print("| measure | p50 µs | p99 µs |\n|---|---|---|")
        for what, asked in (("no name", plain), ("a name", named), ("a name with a typing error", mistyped)):
            exact, simple = timed(index.match, asked), timed(look, asked)
            print(f"| exact and variant, line of {WORDS} words with {what} | {exact[0]:.1f} | {exact[1]:.1f} |")
            print(f"| a plain dict, the same lines | {simple[0]:.1f} | {simple[1]:.1f} |")
            print(f"| times the dict | {exact[0] / simple[0]:.2f} | |")
            every = timed(whole(index), asked)
            print(
                f"| everything, the same lines (8 words of 12 are in no language) | {every[0]:.1f} | {every[1]:.1f} |"
            )
        if options.sentences:
            real = [tokenize(s) for s in options.sentences.read_text("utf-8").replace("_", " ").splitlines()[:count]]
            exact, every = timed(index.match, real), timed(whole(index), real)
            mean = sum(map(len, real)) / len(real)
            print(f"| exact and variant, real sentences of {mean:.1f} words | {exact[0]:.1f} | {exact[1]:.1f} |")
            print(f"| everything, the same sentences | {every[0]:.1f} | {every[1]:.1f} |")
        wrong = [(name, generate.typo(rng, name)) for name in rng.sample(long, count)]
        asked = [tokenize(word) for _, word in wrong]
        one = timed(lambda t: index.near(t, -1, ()), asked)
        print(f"| one unseen name, fuzzy | {one[0]:.1f} | {one[1]:.1f} |")
        spent = []
        for _, word in wrong[:DIFFLIB]:
            start = thread_time_ns()
            difflib.get_close_matches(word, names, 5, 0.55)
            spent.append((thread_time_ns() - start) / 1000)
        median = sorted(spent)[len(spent) // 2]
        print(f"| the same with difflib | {median:.0f} | |\n| times slower | {median / one[0]:.0f} | |")
        owner = dict(zip(index._arrays.text, index._arrays.drug, strict=False))
        safe = right = 0
        for name, word in wrong:
            written = index._arrays.written
            a, b = written.joined(word), written.joined(name)
            if OSA.distance(a, b) > 2 or OSA.distance(a, b) > allowed(a, b) or word in owner:
                continue
            safe += 1
            tokens = tokenize(word)
            found = (*index.match(tokens).candidates, *index.near(tokens, -1, ()).candidates)
            right += any(c.id == f"d{owner[name]}" for c in found)
        print(
            f"| right name among the five, of {safe} typing errors that the safety rules allow | {right / safe:.4f} | |"
        )
        if options.large:
            more = generate.words(random.Random(2), "drugs", options.large, (3, 4, 4, 5))
            large = build(more, Path(place) / "large")
            for what, asked in (("no name", plain), ("a name", lines(lambda: [rng.choice(more)]))):
                exact = timed(large.match, asked)
                print(f"| exact and variant, {options.large:,} aliases, {what} | {exact[0]:.1f} | {exact[1]:.1f} |")


if __name__ == "__main__":
    main()
