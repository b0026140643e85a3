"""A terminology of the size and shape of a national SNOMED CT edition, made up with a fixed seed.

    python bench/generate_terms.py FOLDER [--terms 529000] [--relations 1400000] [--pages 2000]

Writes ``FOLDER/terminology`` (format csv), ``FOLDER/taxonomy`` (entities and relations) and
``FOLDER/questions.jsonl``: questions of 3 to 15 words, a third with a term, and the same with one typing error. Terms
are Dutch in shape, about 42 characters long, with the near-duplicates (sides, stages, sites) that real descriptions
have. Nothing in it is medicine.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import tomllib
from collections.abc import Iterator
from pathlib import Path

WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FIRST: list[str] = WORDS["first"].split()
MIDDLE: list[str] = WORDS["middle"].split()
LAST: list[str] = WORDS["last"].split()
SITES: list[str] = WORDS["sites"].split()
FINDINGS: list[str] = WORDS["findings"].split()
ADJECTIVES: list[str] = WORDS["adjectives"].split()
SIDES: list[str] = WORDS["sides"]
FILLERS: list[str] = WORDS["fillers"].split()
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def greek(rng: random.Random) -> str:
    """A word as international terms have them."""
    middle = rng.choice(MIDDLE) if rng.random() < 0.35 else ""
    return rng.choice(FIRST) + (rng.choice(FIRST) if rng.random() < 0.3 else "") + middle + rng.choice(LAST)


def dutch(rng: random.Random) -> str:
    """A compound of a part of the body and a finding."""
    return rng.choice(SITES) + rng.choice(FINDINGS)


def term(rng: random.Random) -> str:
    """A term of one to eight words."""
    head = greek(rng) if rng.random() < 0.6 else dutch(rng)
    words = [rng.choice(ADJECTIVES)] if rng.random() < 0.6 else []
    if rng.random() < 0.2:
        words.insert(0, rng.choice(ADJECTIVES))
    words.append(head)
    kind = rng.random()
    if kind < 0.35:
        words += ["van", rng.choice(SITES)]
    elif kind < 0.6:
        words += ["van", rng.choice(SITES), "en", rng.choice(SITES)]
    elif kind < 0.75:
        words += ["door", greek(rng)]
    elif kind < 0.85:
        words += ["bij", greek(rng), "van", rng.choice(SITES)]
    if rng.random() < 0.3:
        words.append(rng.choice(SIDES))
    return " ".join(words)


def terms(count: int, seed: int = 7) -> list[str]:
    """``count`` different terms, the same for the same seed."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found[term(rng)] = None
    return list(found)


def misspell(rng: random.Random, text: str) -> str:
    """``text`` with one letter of a long word left out, put in, changed or swapped; never the first of a word."""
    places = [
        i for i in range(1, len(text) - 1) if text[i].isalpha() and text[i - 1].isalpha() and text[i + 1].isalpha()
    ]
    at = rng.choice(places)
    kind = rng.randrange(4)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + rng.choice(LETTERS) + text[at:]
    if kind == 2:
        return text[:at] + rng.choice(LETTERS.replace(text[at], "")) + text[at + 1 :]
    return (
        text[:at] + text[at + 1] + text[at] + text[at + 2 :] if text[at] != text[at + 1] else text[:at] + text[at + 1 :]
    )


def questions(known: list[str], count: int, seed: int = 11) -> Iterator[dict[str, str | None]]:
    """Questions of 3 to 15 words. ``term`` is what a third of them hold, ``typo`` the question with it misspelt."""
    rng = random.Random(seed)
    for number in range(count):
        words = [rng.choice(FILLERS) for _ in range(rng.randint(3, 12))]
        held = rng.choice(known) if number % 3 == 0 else None
        if held is not None:
            words = words[: max(2, 15 - len(held.split()))]
            at = rng.randrange(len(words) + 1)
            wrong = " ".join([*words[:at], misspell(rng, held), *words[at:]])
            words[at:at] = held.split()
        yield {"text": " ".join(words), "term": held, "typo": wrong if held is not None else None}


def write(folder: Path, count: int, relations: int, pages: int) -> None:
    """Write the terminology, a taxonomy with ``pages`` pages, and 2,000 questions."""
    rng = random.Random(3)
    known = terms(count)
    concepts: list[int] = []
    (folder / "terminology").mkdir(parents=True, exist_ok=True)
    (folder / "taxonomy").mkdir(exist_ok=True)
    with (folder / "terminology/terms.csv").open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow(["concept_id", "term", "language", "type", "active"])
        for number, text in enumerate(known):
            if number % 3 == 0:
                concepts.append(number)
            kind = "preferred" if number % 3 == 0 else "synonym"
            table.writerow([f"{number - number % 3}", text, "nl", kind, "1"])
    with (folder / "terminology/relations.csv").open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow(["source_id", "type", "target_id"])
        for number in range(relations):
            # a tree with some second parents, about nine deep, and attributes, as real terminologies have them
            child = number + 1 if number + 1 < len(concepts) else rng.randrange(1, len(concepts))
            if number < 1.4 * len(concepts):
                table.writerow([concepts[child], "is_a", concepts[rng.randrange(child // 5, child // 4 + 1)]])
            else:
                table.writerow([concepts[child], "finding_site", concepts[rng.randrange(len(concepts))]])
    with (folder / "taxonomy/entities.csv").open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow(["entity_id", "type", "name", "language", "status", "concept_ids", "synonyms", "url"])
        for number in range(pages):
            concept = rng.choice(concepts)
            table.writerow(
                [f"p{number}", "condition", f"Pagina over {known[concept]}", "nl", "published", concept, "", ""]
            )
        for number in range(30):
            table.writerow([f"d{number}", "department", f"Dienst {number}", "nl", "published", "", "", ""])
    with (folder / "taxonomy/relations.csv").open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow(["source_id", "relation", "target_id", "status"])
        for number in range(pages):
            table.writerow([f"d{number % 30}", "TREATS", f"p{number}", "published"])
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as out:
        for row in questions(known, 2000):
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--terms", type=int, default=529_000)
    parser.add_argument("--relations", type=int, default=1_400_000)
    parser.add_argument("--pages", type=int, default=2000)
    options = parser.parse_args()
    write(options.folder, options.terms, options.relations, options.pages)


if __name__ == "__main__":
    main()
