"""Understanding without a model: a turn at a time, a batch, and the memory of both.

``python -m dragoman.bench.understanding PROJECT QUESTIONS`` is the fresh process that the memory is measured in.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from dragoman.bench.generate import SEED
from dragoman.bench.timing import child, memory_mb, microseconds, percentiles, rounded
from dragoman.engine import Dragoman
from dragoman.evaluate import cases
from dragoman.offline.encoder import OPENMP
from dragoman.offline.understand import Missing, Offline, find
from dragoman.pipeline import prepare
from dragoman.reading import Reading
from dragoman.types import Turn

WARM = 10  # turns before the clock runs
SINGLE = 200  # turns that are timed one by one; as many more are timed as a batch


def measure(demo: str, place: Path) -> dict[str, Any] | None:
    """``p50`` and ``p99`` in milliseconds of CPU a turn, from its words to the reply, no two turns alike: the golden
    questions of a demo, since what the encoder takes goes with the pieces of words, and made-up words have more.

    ``batch_a_second``: turns in a batch, a second of one core. ``added_mb``: what a process grows by. ``None`` where
    the encoder is not installed. ``place`` is a folder for what the process that grows is asked.
    """
    engine = Dragoman.open(f"demo-{demo}")
    offline = find(engine.project.profile.path)
    if isinstance(offline, Missing):
        return None
    golden = cases.load(engine.project.base / "golden.jsonl")
    texts = list(dict.fromkeys(case.turn.text for case in golden if case.turn.text.isprintable()))
    random.Random(SEED).shuffle(texts)
    readings = [_reading(engine, text) for text in texts[: WARM + 2 * SINGLE]]
    for reading in readings[:WARM]:
        _understand(engine, offline, reading)
    times = microseconds(lambda r: _understand(engine, offline, r), readings[WARM : WARM + SINGLE])
    batch = readings[WARM + SINGLE :]
    start = time.thread_time_ns()
    offline.understand_many(batch, engine.project.profile, engine.vocabularies)
    seconds = (time.thread_time_ns() - start) / 1e9
    asked = place / "offline.txt"
    asked.write_text("\n".join(texts[:WARM]), "utf-8")
    grown = json.loads(child(["-m", __name__, f"demo-{demo}", str(asked)], OPENMP).output)
    return {
        **percentiles([t / 1000 for t in times], 50, 99),
        "batch_a_second": rounded(len(batch) / seconds),
        "added_mb": rounded(grown["added_mb"]),
    }


def _reading(engine: Dragoman, text: str) -> Reading:
    return prepare(Turn(text=text), engine.project, engine.vocabularies, frozenset()).reading


def _understand(engine: Dragoman, offline: Offline, reading: Reading) -> None:
    offline.understand(reading, engine.project.profile, engine.vocabularies)


def main(project: str, questions: str) -> None:
    """Answer by rules, then load the encoder and answer again: print as JSON what that added."""
    engine = Dragoman.open(project)
    texts = Path(questions).read_text("utf-8").splitlines()
    for text in texts:
        engine.ask(text, without=["offline"])
    before, _ = memory_mb()
    offline = find(engine.project.profile.path)
    if not isinstance(offline, Missing):
        for text in texts:
            _understand(engine, offline, _reading(engine, text))
    sys.stdout.write(json.dumps({"added_mb": memory_mb()[0] - before}))


if __name__ == "__main__":
    main(*sys.argv[1:])
