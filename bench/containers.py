"""Exact look-up of every span of a question, by container: the measurement behind docs/adr/0002.

    python bench/containers.py [--terms 529000] [--questions 2000]

Needs marisa-trie beside the project (`pip install marisa-trie`); it is not a dependency. Terms and questions are made
from syllables with a fixed seed: about 45 characters a term, 3 to 15 tokens a question, a third of them with a term.
Prints microseconds a question (process time), file size and time to open.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import marisa_trie

from dragoman.index.arrays import Part, Writer

SYLLABLES = """
aan be ver ge ont hart long schild klier ader slag ont ste king oog oor neus keel maag darm le ver
nier bot breuk pijn ziek te hyper hypo thyre oi die car dio neu ro lo gie gas tro en te ri tis ose
oom aal isch
""".split()  # noqa: SIM905


def word(rng: random.Random) -> str:
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4)))


def make(terms: int, questions: int) -> tuple[list[str], list[list[str]]]:
    rng = random.Random(7)
    words = list({word(rng) for _ in range(120_000)})
    made = list(
        {" ".join(rng.choice(words) for _ in range(rng.choice((1, 1, 2, 3, 4, 5, 6)))) for _ in range(terms * 2)}
    )[:terms]
    asked = []
    for _ in range(questions):
        tokens = [rng.choice(words) if rng.random() < 0.3 else word(rng) for _ in range(rng.randint(3, 15))]
        if rng.random() < 0.33:
            at = rng.randrange(len(tokens))
            tokens[at:at] = rng.choice(made).split()
        asked.append(tokens)
    return made, asked


def measure(name: str, find: Callable[[list[str]], int], asked: list[list[str]], size: float, opened: float) -> None:
    for tokens in asked[:100]:
        find(tokens)
    times, found = [], 0
    for tokens in asked:
        start = time.process_time_ns()
        found += find(tokens)
        times.append((time.process_time_ns() - start) / 1000)
    times.sort()
    p50, p99 = statistics.median(times), times[int(len(times) * 0.99)]
    print(f"{name:34} {p50:7.1f} {p99:7.1f} {size:8.1f} {opened * 1000:8.2f} {found:8}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--terms", type=int, default=529_000)
    parser.add_argument("--questions", type=int, default=2000)
    options = parser.parse_args()
    terms, asked = make(options.terms, options.questions)
    longest: dict[str, int] = {}
    for term in terms:
        first, *rest = term.split(" ")
        longest[first] = max(longest.get(first, 0), len(rest) + 1)
    print(f"{len(terms)} terms, {len(longest)} first tokens, {len(asked)} questions")
    print(f"{'container':34} {'p50 us':>7} {'p99 us':>7} {'MB':>8} {'open ms':>8} {'found':>8}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        writer = Writer(folder)
        writer.table("t", {term: (i,) for i, term in enumerate(terms)})
        writer.table("f", {first: (length,) for first, length in longest.items()})
        size = sum(p.stat().st_size for p in folder.iterdir()) / 1e6
        start = time.perf_counter()
        part = Part(folder)
        table, firsts = part.table("t"), part.table("f")
        opened = time.perf_counter() - start

        def pruned(tokens: list[str]) -> int:
            found = 0
            for i, first in enumerate(tokens):
                run = firsts.get(first)
                if run is not None:
                    for j in range(min(len(tokens), i + run[0]), i, -1):
                        found += table.get(" ".join(tokens[i:j])) is not None
            return found

        measure("xxh3 table, pruned by first token", pruned, asked, size, opened)
        trie = marisa_trie.Trie(terms)
        trie.save(str(folder / "m"))
        size = (folder / "m").stat().st_size / 1e6
        start = time.perf_counter()
        trie = marisa_trie.Trie()
        trie.mmap(str(folder / "m"))
        opened = time.perf_counter() - start

        def prefixes(tokens: list[str]) -> int:
            found = 0
            for i in range(len(tokens)):
                rest = " ".join(tokens[i:])
                for prefix in trie.prefixes(rest):
                    found += len(prefix) == len(rest) or rest[len(prefix)] == " "
            return found

        measure("marisa-trie, prefixes", prefixes, asked, size, opened)
    held = dict.fromkeys(terms, 1)

    def plain(tokens: list[str]) -> int:
        found = 0
        for i, first in enumerate(tokens):
            length = longest.get(first, 0)
            for j in range(min(len(tokens), i + length), i, -1):
                found += " ".join(tokens[i:j]) in held
        return found

    measure("dict, pruned by first token", plain, asked, 0.0, 0.0)

    def every(tokens: list[str]) -> int:
        return sum(" ".join(tokens[i:j]) in held for i in range(len(tokens)) for j in range(i + 1, len(tokens) + 1))

    measure("dict, every span", every, asked, 0.0, 0.0)


if __name__ == "__main__":
    main()
