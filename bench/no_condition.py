"""Questions that name no condition: on how many of them is anything appended, and what?

    python bench/no_condition.py PROJECT.toml ... [--count 1000]

Draws distinct questions from ``no_condition.toml`` with a fixed seed and asks each project to enrich them. Prints one
JSON document with every expansion, so that each can be judged.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dragoman import Dragoman

SEED = 20_261_130
_SLOT = re.compile(r"\{(\w+)\}")


def _chosen(slots: dict[str, list[str]], rng: random.Random) -> Callable[[re.Match[str]], str]:
    return lambda found: rng.choice(slots[found[1]])


def questions(count: int) -> list[str]:
    """``count`` distinct questions, six Dutch ones to four English."""
    table: dict[str, Any] = tomllib.loads(Path(__file__).with_name("no_condition.toml").read_text("utf-8"))
    rng = random.Random(SEED)
    found: dict[str, None] = {}
    while len(found) < count:
        language = table["nl" if rng.random() < 0.6 else "en"]
        slots = language["slots"]
        found[_SLOT.sub(_chosen(slots, rng), rng.choice(language["lines"]))] = None
    return list(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+")
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    asked = questions(options.count)
    result = {}
    for project in options.projects:
        demo = project.removeprefix("demo-")
        opened = Dragoman.demo(demo) if demo != project else Dragoman.open(project)
        listed = {}
        for text in asked:
            terms = [(e.term, e.layer, e.via) for e in opened.enrich(text).expansions]
            if terms:
                listed[text] = terms
        result[project] = {"asked": len(asked), "expanded": len(listed), "questions": listed}
    print(json.dumps(result, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
