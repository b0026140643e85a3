"""A fresh process that opens an index and answers, as a server's worker does: ``python -m dragoman.bench.worker``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def main(project: str, questions: str) -> None:
    """Open ``project``, answer each line of the file ``questions``, print time to open and memory as JSON."""
    from dragoman.bench.timing import memory_mb
    from dragoman.engine import Dragoman

    before, _ = memory_mb()
    start = time.perf_counter()
    engine = Dragoman.open(project)
    opened = time.perf_counter() - start
    for line in Path(questions).read_text("utf-8").splitlines():
        engine.ask(line)
    resident, private = memory_mb()
    figures = {"open_ms": opened * 1000, "rss_mb": resident, "private_mb": private, "before_mb": before}
    sys.stdout.write(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
