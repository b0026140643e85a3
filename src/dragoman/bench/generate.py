"""Synthetic vocabularies of any size, the same on every machine."""

from __future__ import annotations

import csv
import json
import random
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

SEED = 20_240_229
DRUGS = 684  # the size of the formulary that the design started from
ALIASES = 10_164
RELATIONS_PER_TERM = 1_400_000 / 529_000  # as in a national edition of SNOMED CT
VOCABULARY = 40_000  # different words that terms are made of
PAGES = 600


@cache
def _pieces() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("syllables.toml").read_text("utf-8"))


def words(rng: random.Random, kind: str, count: int, syllables: Sequence[int]) -> list[str]:
    """``count`` different made-up words of the given lengths in syllables."""
    p = _pieces()[kind]
    endings = p.get("ending", [""])
    made: dict[str, None] = {}
    while len(made) < count:
        parts = [
            rng.choice(p["onset"]) + rng.choice(p["nucleus"]) + rng.choice(p["coda"])
            for _ in range(rng.choice(syllables))
        ]
        made["".join(parts) + rng.choice(endings)] = None
    return list(made)


def typo(rng: random.Random, word: str) -> str:
    """The word with one letter dropped, doubled, replaced, or two swapped; never the first."""
    at = rng.randrange(1, len(word) - 1)
    letter = rng.choice("aeiounrstl")
    return rng.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        )
    )


def formulary(folder: Path) -> tuple[dict[str, str], list[str]]:
    """Write a formulary project; returns its names, each with its drug's id, and made-up words that are none."""
    rng = random.Random(SEED)
    names = words(rng, "drugs", ALIASES, (2, 3, 3, 4))
    fillers = [*_pieces()["terms"]["filler"], *words(rng, "terms", 300, (1, 2, 2))]
    drugs, aliases = names[:DRUGS], names[DRUGS:]
    folder.mkdir(parents=True, exist_ok=True)
    _csv(folder / "drugs.csv", ("drug_id", "name"), ((f"d{n}", name) for n, name in enumerate(drugs)))
    owners = {name: f"d{n}" for n, name in enumerate(drugs)} | {a: f"d{rng.randrange(DRUGS)}" for a in aliases}
    _csv(folder / "aliases.csv", ("drug_id", "alias", "kind"), ((owners[a], a, "brand") for a in aliases))
    _project(folder, "formulary", '[catalog]\ndrugs = "drugs.csv"\naliases = "aliases.csv"\n')
    return owners, fillers


def hospital(folder: Path, size: int) -> tuple[list[str], list[str]]:
    """Write a hospital project whose terminology has ``size`` terms; returns a sample of terms, and filler words.

    Terms are one to eight words from a vocabulary with few frequent and many rare words, as in real terminologies.
    """
    rng = random.Random(SEED + 1)
    vocabulary = words(rng, "terms", min(VOCABULARY, max(2_000, size // 3)), (1, 2, 2, 3, 3, 4, 5))
    weights = [1 / (rank + 20) for rank in range(len(vocabulary))]
    terms: dict[str, None] = {}
    while len(terms) < size:
        lengths = rng.choices((1, 2, 3, 4, 5, 6, 8), (6, 22, 24, 20, 14, 9, 5), k=4096)
        drawn = iter(rng.choices(vocabulary, weights, k=sum(lengths)))
        for length in lengths:
            terms[" ".join(next(drawn) for _ in range(length))] = None
    kept = list(terms)[:size]
    concepts = max(1, size * 2 // 3)
    place = folder / "terminology"
    place.mkdir(parents=True, exist_ok=True)
    header = ("concept_id", "term", "language", "type", "active")
    rows = (
        (f"c{n % concepts}", term, "nl", "preferred" if n < concepts else "synonym", "1") for n, term in enumerate(kept)
    )
    _csv(place / "terms.csv", header, rows)
    links = (
        (f"c{n}", ("is_a", "is_a", "finding_site")[rng.randrange(3)], f"c{rng.randrange(max(1, n))}")
        for n in (1 + rng.randrange(max(1, concepts - 1)) for _ in range(relations(size)))
    )
    _csv(place / "relations.csv", ("source_id", "type", "target_id"), links)
    pages = (
        (
            f"p{n}",
            "condition",
            f"{rng.choice(vocabulary)} {rng.choice(kept)}",
            "nl",
            "published",
            f"c{rng.randrange(concepts)}",
        )
        for n in range(PAGES)
    )
    _csv(folder / "entities.csv", ("entity_id", "type", "name", "language", "status", "concept_ids"), pages)
    _project(
        folder,
        "hospital",
        '[[terminology]]\nname = "synthetic"\nformat = "csv"\npath = "terminology/"\n\n'
        '[taxonomy]\nentities = "entities.csv"\n',
    )
    return rng.sample(kept, min(size, 4_000)), [*_pieces()["terms"]["filler"], *rng.sample(vocabulary, 500)]


def relations(size: int) -> int:
    """How many relations a terminology of ``size`` terms gets."""
    return round(size * RELATIONS_PER_TERM)


def questions(
    rng: random.Random, names: Sequence[str], fillers: Sequence[str], count: int, length: int | None = None
) -> list[str]:
    """``count`` different questions of 3 to 15 words (or of ``length``) that name one of ``names``, each used once."""
    chosen = rng.sample(names, count)
    made = []
    for name in chosen:
        around = max(2, (length or rng.randrange(3, 16)) - len(name.split()))
        before = rng.randrange(around + 1)
        made.append(" ".join([*rng.choices(fillers, k=before), name, *rng.choices(fillers, k=around - before)]))
    return made


def _project(folder: Path, profile: str, tables: str) -> None:
    # the encoder has figures of its own: start-up and memory are those of everything else
    head = f'[project]\nname = "bench"\nprofile = {json.dumps(profile)}\nlanguages = ["nl"]\n\n'
    head += "[offline]\nenabled = false\n\n"
    (folder / "dragoman.toml").write_text(head + tables, "utf-8")


def _csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
