"""Lay English terms of HPO to their Dutch labels, as written and with one typo: reached, missed, and wrong.

    python bench/hpo_typos.py hp.obo HP-NL.babelon.tsv [--all-scopes] [--wrong FILE]

The corpus is Dutch (translated rows alone) and there is no taxonomy, so what is appended is a concept's Dutch label.
2,000 lay synonyms are drawn with a fixed seed; the whole query is the synonym. A typo is one letter more, less or
other, or two swapped, in a word of at least five letters, never its first letter; such queries count where the term is
long (eight letters or more). ``--all-scopes`` draws narrow and broad synonyms, too, which the reader does not take for
names: what is asked then is partly unknown as it stands. *Wrong*: something is appended, and the concept asked for is
not among what it names.
Prints one JSON document. The files are not shipped: see https://hpo.jax.org for their licence.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from dragoman import Dragoman

SEED = 20_260_216
SAMPLE = 2_000
LONG = 8  # letters of a term that is asked with a typo
WORD = 5  # letters of a word that has one
_LAY = re.compile(r'synonym: "((?:[^"\\]|\\.)*)" (?:EXACT|RELATED) layperson')  # as the reader takes them
_ANY = re.compile(r'synonym: "((?:[^"\\]|\\.)*)" \w+ layperson')
PROJECT = """
[project]
profile = "hospital"
languages = ["nl", "en"]
index = "index"
[[terminology]]
name = "hp"
format = "obo"
path = "{obo}"
[[terminology]]
name = "hp"
format = "babelon"
path = "{babelon}"
languages = ["nl"]
[build]
max_rejects = 1.0
"""


def lay_terms(obo: Path, pattern: re.Pattern[str] = _LAY) -> list[tuple[str, str]]:
    """``(lay synonym, concept id)`` of every live concept."""
    found: list[tuple[str, str]] = []
    for stanza in obo.read_text("utf-8").split("\n\n"):
        if "[Term]" in stanza and "is_obsolete: true" not in stanza:
            concept = stanza.split("id: ", 1)[1].split("\n", 1)[0].strip()
            found += [(m[1], concept) for m in pattern.finditer(stanza)]
    return sorted(set(found))


def misspelt(term: str, rng: random.Random) -> str | None:
    """``term`` with one typo; ``None`` where no word is long enough."""
    words = [m for m in re.finditer(r"[A-Za-z]+", term) if len(m[0]) >= WORD]
    if not words or sum(c.isalpha() for c in term) < LONG:
        return None
    word = rng.choice(words)
    at = rng.randrange(word.start() + 1, word.end())
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    kind = rng.randrange(4)
    if kind == 0:
        typed = term[:at] + letter + term[at:]
    elif kind == 1:
        typed = term[:at] + term[at + 1 :]
    elif kind == 2:
        typed = term[:at] + letter + term[at + 1 :]
    else:
        at = min(at, word.end() - 2)
        typed = term[:at] + term[at + 1] + term[at] + term[at + 2 :]
    return typed if typed.lower() != term.lower() else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("obo", type=Path)
    parser.add_argument("babelon", type=Path)
    parser.add_argument("--wrong", type=Path, help="write the wrong ones here, as TSV")
    parser.add_argument("--all-scopes", action="store_true", help="draw narrow and broad synonyms, too")
    parser.add_argument("--seed", type=int, default=SEED, help="another draw, to work on: the figure is the default's")
    parser.add_argument("--project", type=Path, help="a folder to build in, and to use again")
    options = parser.parse_args()
    home: Path = options.project or Path(tempfile.mkdtemp())
    project = home / "dragoman.toml"
    if not project.exists():
        home.mkdir(parents=True, exist_ok=True)
        project.write_text(
            PROJECT.format(obo=options.obo.resolve(), babelon=options.babelon.resolve()), encoding="utf-8"
        )
        subprocess.run([sys.executable, "-m", "dragoman", "build", "--project", str(project)], check=True, stdout=2)
    opened = Dragoman.open(project)
    rng = random.Random(options.seed)
    everything = lay_terms(options.obo, _ANY if options.all_scopes else _LAY)
    owners: dict[str, set[str]] = {}
    for term, concept in everything:
        owners.setdefault(term.lower(), set()).add(concept)
    names = {}
    rows: list[tuple[str, str, str, str]] = []
    counts = {"asked": 0, "reached": 0, "typo_asked": 0, "typo_reached": 0, "typo_wrong": 0}
    for term, concept in rng.sample(everything, SAMPLE):
        dutch = _dutch(opened, concept)
        if dutch is None:
            continue
        names[concept] = dutch
        counts["asked"] += 1
        counts["reached"] += bool(_reached(opened, term) & owners[term.lower()])
        typed = misspelt(term, rng)
        if typed is None or typed.lower() in owners:
            continue
        counts["typo_asked"] += 1
        found = _reached(opened, typed)
        if found & owners[term.lower()]:
            counts["typo_reached"] += 1
        elif found:
            counts["typo_wrong"] += 1
            rows.append((typed, term, concept, "|".join(sorted(found))))
    if options.wrong:
        options.wrong.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    shares = {
        "reached": counts["reached"] / counts["asked"],
        "typo_reached": counts["typo_reached"] / counts["typo_asked"],
        "typo_wrong": counts["typo_wrong"] / counts["typo_asked"],
    }
    print(json.dumps({"counts": counts, "shares": {k: round(v, 4) for k, v in shares.items()}}, indent=1))


def _dutch(opened: Dragoman, concept: str) -> str | None:
    """A Dutch label of the concept, if it has one."""
    found = opened.lookup(concept).concepts
    terms = found[0]["terms"] if found else []
    return next((t["term"] for t in terms if t["language"] == "nl"), None)


def _reached(opened: Dragoman, text: str) -> set[str]:
    """What the appended terms name, and what the text holds already."""
    answer = opened.enrich(text)
    held = {o.concept_id for o in answer.concept_outcomes if o.outcome == "already_present" and o.concept_id}
    return held | {e.concept_id for e in answer.expansions if e.concept_id}


if __name__ == "__main__":
    main()
