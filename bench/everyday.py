"""Sentences that speak of no health: on how many of them is anything appended, and what?

    python bench/everyday.py PROJECT.toml ... [--language nl] [--catalogues /usr/share] [--count 10000]

The sentences are translated messages of the software on this machine (``gettext`` catalogues), of four to thirty words,
drawn with a fixed seed. Prints one JSON document with every expansion, so that each can be judged. What a machine has
differs from the next, so that ``found`` and ``digest`` say what was drawn from.
"""

from __future__ import annotations

import argparse
import gettext
import hashlib
import json
import random
import re
from pathlib import Path

from dragoman import Dragoman

SEED = 20_261_130
_MARKUP = re.compile(r"<[^>]*>|%[-\d.]*[a-zA-Z]|%\(\w+\)s|\{\w*\}|[_&](?=\w)|\\\w")
_END = re.compile(r"(?<=[.!?])\s+|\n+")


def sentences(place: Path, language: str) -> list[str]:
    """Every sentence of the catalogues of ``language`` below ``place``, sorted."""
    found: set[str] = set()
    for path in place.rglob(f"{language}/LC_MESSAGES/*.mo"):
        with path.open("rb") as file:
            messages = gettext.GNUTranslations(file)
        for source, text in messages._catalog.items():  # type: ignore[attr-defined]  # there is no other way to list them
            if source and isinstance(text, str):
                for part in _END.split(_MARKUP.sub("", text)):
                    sentence = " ".join(part.split())
                    if 4 <= len(sentence.split()) <= 30 and sum(c.isalpha() or c == " " for c in sentence) > 0.8 * len(
                        sentence
                    ):
                        found.add(sentence)
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+")
    parser.add_argument("--language", default="nl")
    parser.add_argument("--catalogues", type=Path, default=Path("/usr/share"))
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args()
    found = sentences(options.catalogues, options.language)
    drawn = random.Random(SEED).sample(found, min(options.count, len(found)))
    digest = hashlib.sha256("\n".join(found).encode()).hexdigest()[:16]
    result: dict[str, object] = {"found": len(found), "digest": digest, "asked": len(drawn)}
    for project in options.projects:
        demo = project.removeprefix("demo-")
        opened = Dragoman.demo(demo) if demo != project else Dragoman.open(project)
        listed = {}
        for text in drawn:
            terms = [(e.term, text[e.span.start : e.span.end], e.layer) for e in opened.enrich(text).expansions]
            if terms:
                listed[text] = terms
        result[project] = {"expanded": len(listed), "share": round(len(listed) / len(drawn), 4), "sentences": listed}
    print(json.dumps(result, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
