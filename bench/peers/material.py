"""What the adapters share: n-grams, lookups, and the vocabulary as the files that peers read."""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

Find = Callable[[str], set[str]]
Rows = list[dict[str, str]]
NGRAM = 5  # words; what has no matching of its own is asked for every n-gram


def ngrams(text: str) -> list[str]:
    """All n-grams of up to ``NGRAM`` words, in small letters."""
    words = re.findall(r"\w+", text.lower())
    return [" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + NGRAM, len(words)) + 1)]


def by_term(rows: Rows) -> dict[str, set[str]]:
    """Concept ids by term, in small letters."""
    table: dict[str, set[str]] = {}
    for row in rows:
        table.setdefault(row["term"].lower(), set()).add(row["concept_id"])
    return table


def similar(rows: Rows, score: Callable[[str, str], float], least: float) -> Find:
    """Every term that is at least so similar to an n-gram."""
    table = by_term(rows)

    def find(text: str) -> set[str]:
        return {c for gram in ngrams(text) for term, ids in table.items() if score(gram, term) >= least for c in ids}

    return find


def loose(name: str) -> str:
    """An English INN as other languages write it: no final e, no doubled letters."""
    return re.sub(r"(.)\1", r"\1", name.lower()).rstrip("e")


def cui_of(concept: str) -> str:
    """A concept id in the form of a UMLS one."""
    return f"C{'1' if concept[0] == 'D' else '0'}{concept[1:]:0>6}"


def own_of(cui: str) -> str:
    """The way back from ``cui_of``."""
    return f"{'D' if cui[1] == '1' else 'C'}{int(cui[2:]):02d}"


def rrf(rows: Rows) -> Path:
    """The vocabulary as MRCONSO, MRSTY and MRSAT in a folder."""
    folder = Path(tempfile.mkdtemp())
    conso = [
        f"{cui_of(r['concept_id'])}|ENG|P|L{i}|PF|S{i}|Y|A{i}||||MSH|PT|{i}|{r['term']}|0|N||\n"
        for i, r in enumerate(rows, 1)
    ]
    (folder / "MRCONSO.RRF").write_text("".join(conso), "utf-8")
    ids = sorted({cui_of(r["concept_id"]) for r in rows})
    lines = [f"{c}|T047|B2.2.1.2.1|Disease or Syndrome|AT{i}||\n" for i, c in enumerate(ids)]
    (folder / "MRSTY.RRF").write_text("".join(lines), "utf-8")
    (folder / "MRSAT.RRF").write_text("", "utf-8")
    return folder


def table_of(path: Path, header: str, rows: Sequence[tuple[str, ...]]) -> None:
    """A CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header.split(","))
        writer.writerows(rows)
