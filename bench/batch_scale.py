"""Batches at scale: rows a second of one core and of two, what Ray and Spark add, and whether all say the same.

``python bench/batch_scale.py`` makes 200,000 different questions of the golden questions that ship with the demos (or
of the texts of ``--questions FILE``, JSON lines), writes them as JSON lines, and has each engine do them. It prints a
document with, for each run, the seconds, the rows a second, and whether the files of all runs are the same
to the byte. ``--exact`` takes terms as they are written alone. Ray and Spark are measured where they are installed
(``make engines``).
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from dragoman import Dragoman
from dragoman.batch.run import run
from dragoman.demos import opened
from dragoman.enrich.work import FEATURES

EXACT = (*FEATURES, "near", "words")
BEFORE = ("", "Vraag: ", "Hallo, ", "Dokter, ", "Voor mijn moeder: ", "Na mijn operatie: ", "Ik ben {} jaar. ")
AFTER = ("", " Alvast bedankt.", " Graag antwoord.", " Sinds {} weken.", " Het is dringend.")


def texts(given: Path | None) -> list[str]:
    """The texts that questions are made of."""
    if given is not None:
        rows = [json.loads(line) for line in given.read_text("utf-8").splitlines()]
        return [row if isinstance(row, str) else row["text"] for row in rows]
    golden = opened("hospital")[0].base / "golden.jsonl"
    return [json.loads(line)["turn"]["text"] for line in golden.read_text("utf-8").splitlines()]


def questions(given: list[str], count: int) -> list[str]:
    """``count`` different questions: the texts with something before, something behind, and numbers in it."""
    rng = random.Random(11)
    made: dict[str, None] = {}
    while len(made) < count:
        ends = (rng.choice(BEFORE), rng.choice(AFTER))
        before, after = (end.format(rng.randint(18, 99)) for end in ends)
        made[f"{before}{rng.choice(given)}{after} ({rng.randrange(10**6)})"] = None
    return list(made)


def digest(folder: Path) -> str:
    """One digest of all files of an output."""
    state = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        state.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return state.hexdigest()


def timed(source: Path, target: Path, engine: str, workers: int, part_rows: int, without: tuple[str, ...]) -> Any:
    """One run: its seconds on the clock, and processor seconds of this process and its children."""
    project = Dragoman.demo("hospital")
    began, used = time.perf_counter(), _cpu()
    done = run(
        project,
        "demo-hospital",
        str(source),
        str(target),
        engine_name=engine,
        workers=workers,
        part_rows=part_rows,
        without=without,
    )
    seconds, cpu = time.perf_counter() - began, _cpu() - used
    return {
        "engine": engine,
        "workers": workers,
        "rows": done.rows,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "rows_a_second": round(done.rows / seconds),
        "rows_a_cpu_second": round(done.rows / cpu) if cpu else None,
        "digest": digest(target),
    }


def _cpu() -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, kinds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--runs", default="local:1,local:2,ray:2,spark:2", help="ENGINE:WORKERS, in this order")
    parser.add_argument("--part-rows", type=int, default=5_000)
    given = parser.parse_args()
    without = EXACT if given.exact else ()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        source = folder / "questions.jsonl"
        asked = questions(texts(given.questions), given.rows)
        lines = (json.dumps({"id": n, "text": text}, ensure_ascii=False) for n, text in enumerate(asked))
        source.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        runs = []
        for engine, count in (one.split(":") for one in given.runs.split(",")):
            workers = int(count)
            package = {"ray": "ray", "spark": "pyspark"}.get(engine)
            if package and importlib.util.find_spec(package) is None:
                continue
            load = os.getloadavg()[0]
            result = timed(source, folder / f"{engine}{workers}", engine, workers, given.part_rows, without)
            runs.append(result | {"load_before": round(load, 1)})
            print(json.dumps(runs[-1]), file=sys.stderr, flush=True)
        same = len({result["digest"] for result in runs}) == 1
        characters = sum(map(len, asked)) / len(asked)
        told = {"exact": given.exact, "characters_a_question": round(characters), "same": same, "runs": runs}
        print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
