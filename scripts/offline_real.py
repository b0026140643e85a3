"""What the understanding without a model makes of questions that people really asked.

    python scripts/offline_real.py [--project NAME] [FILE ...]

Without files: the 150 labelled ones of ``training/real``; how many it answers, and how often it is right then. With
files of one question a line: how many it answers. Names are those of the demo projects, which know few.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import heads_data

from dragoman.engine import Dragoman
from dragoman.offline.understand import Missing, of_project
from dragoman.pipeline import prepare
from dragoman.types import Turn

BATCH = 500
LONGEST = 4000  # characters, as a project's [limits]


def told(engine: Dragoman, texts: Sequence[str]) -> list[str | None]:
    """The turn type of each text; ``None`` where it is not understood. About animals: out of scope, as in ``ask``."""
    offline = of_project(engine.project)
    if isinstance(offline, Missing):
        raise SystemExit(offline.why)
    out: list[str | None] = []
    for start in range(0, len(texts), BATCH):
        part = texts[start : start + BATCH]
        readings = [prepare(Turn(t[:LONGEST]), engine.project, engine.vocabularies, frozenset()).reading for t in part]
        replies = offline.understand_many(readings, engine.project.profile, engine.vocabularies)
        out += [
            "out_of_scope" if r.scope.subject == "veterinary" else reply.turn_type
            for r, reply in zip(readings, replies, strict=True)
        ]
    return out


def labelled(profile: str) -> str:
    """One line about the 150."""
    cases = list(heads_data.real(profile))
    kinds = told(Dragoman.demo(profile), [text for _, text, _ in cases])
    answered = [(kind, accepted) for kind, (_, _, accepted) in zip(kinds, cases, strict=True) if kind]
    right = sum(kind in accepted for kind, accepted in answered)
    open_ = sum(accepted == ["none"] for _, _, accepted in cases)
    return (
        f"{profile}: {len(answered)} of {len(cases)} answered, {right} of them right ({right / len(answered):.1%}); "
        f"{open_} can only be asked back"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--project", choices=("formulary", "hospital"), action="append")
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    for profile in given.project or ("formulary", "hospital"):
        if not given.files:
            print(labelled(profile))
        for path in given.files:
            texts = [t for line in path.read_text("utf-8").splitlines() if (t := line.strip())]
            kinds = Counter(told(Dragoman.demo(profile), texts))
            lost = kinds.pop(None, 0)
            print(
                f"{profile}: {path.name}: {len(texts)} questions, understood {1 - lost / len(texts):.1%}", dict(kinds)
            )


if __name__ == "__main__":
    main()
