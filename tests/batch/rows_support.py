"""Questions by the thousand, made of a few words, and what a batch must make of them."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import msgspec

from dragoman import Dragoman
from dragoman.batch.run import Batched, run

PEOPLE = ("ik", "mijn moeder", "mijn zoontje van 4", "een vriendin", "mijn hond", "niemand")
VERBS = ("heb last van", "heeft", "vraagt naar", "had vroeger", "is bang voor", "heeft geen")
THINGS = ("rugpijn", "hypothyreoïdie", "suikerziekte", "hoge bloeddruk", "hoofdpijn", "een knieprothese", "migraine")
ENDS = ("", "?", ", bij welke dokter moet ik zijn?", " en wat nu?", " sinds vorige week", " / 2 maanden")


def questions(count: int, seed: int = 7) -> list[str]:
    """``count`` different questions."""
    rng = random.Random(seed)
    made: dict[str, None] = {}
    while len(made) < count:
        words = (rng.choice(PEOPLE), rng.choice(VERBS), rng.choice(THINGS))
        made[f"{' '.join(words)}{rng.choice(ENDS)} ({rng.randrange(10**6)})"] = None
    return list(made)


def write_jsonl(path: Path, texts: list[Any], column: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.dumps({"id": n, column: text}, ensure_ascii=False) for n, text in enumerate(texts)]
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    return path


def write_csv(path: Path, texts: list[str], separator: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(["id", "text", "note"])
        writer.writerows([n, text, 'two\nlines, and a "quote"' if n % 3 == 0 else ""] for n, text in enumerate(texts))
    return path


def write_parquet(path: Path, texts: list[str | None], group: int) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": list(range(len(texts))), "text": texts}), path, row_group_size=group)
    return path


def batch(source: object, target: object, **options: Any) -> Batched:
    options.setdefault("workers", 1)
    options.setdefault("part_rows", 100)
    return run(Dragoman.demo("hospital"), "demo-hospital", str(source), str(target), **options)


def files(folder: Path) -> dict[str, bytes]:
    """Every file of an output, but for what an engine may do in another order."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def read_jsonl(folder: Path) -> list[Any]:
    found = sorted(p for p in folder.rglob("*.jsonl") if not p.relative_to(folder).parts[0].startswith("_"))
    return [json.loads(line) for p in found for line in p.read_text("utf-8").splitlines()]


def expected(text: str) -> Any:
    return msgspec.json.decode(msgspec.json.encode(Dragoman.demo("hospital").enrich(text)))
