"""Does the condensed question search more like an expert's summary of it?

    python bench/meqsum_condense.py --meqsum MeQSum.xlsx --pages pages.jsonl --project PROJECT [--no-stop-words]

MeQSum (Ben Abacha and Demner-Fushman, ACL 2019; CC BY 4.0): 1,000 questions that people sent to the National Library
of Medicine, each with a summary by an expert. There are no relevance judgements, so this is a proxy: of the first ten
pages that the summary finds, how many does the condensed question find among its first ten, against the original
question? The pages are those of `bench/medquad_known_item.py`, the project is the one it writes, the search is BM25.

The cues of the English pack were written looking at half of the questions (those whose summary has an even hash); both
halves are printed.
"""

from __future__ import annotations

import argparse
import zipfile
from collections.abc import Iterator
from hashlib import md5
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from dragoman import Dragoman
from dragoman.evaluate.statistics import bootstrap, randomisation
from dragoman.evaluate.trec import read_pages
from dragoman.retrieve.sqlite import SqliteRetriever
from dragoman.types import Turn

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def read_meqsum(path: Path) -> Iterator[tuple[str, str]]:
    """``(question, summary)``, from the second and third column of the first sheet."""
    with zipfile.ZipFile(path) as book:
        strings = [
            "".join(t.text or "" for t in item.iter(f"{SHEET}t"))
            for item in ElementTree.fromstring(book.read("xl/sharedStrings.xml")).iter(f"{SHEET}si")
        ]
        rows = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml")).iter(f"{SHEET}row")
        for number, row in enumerate(rows):
            cells = [(c.get("t"), c.findtext(f"{SHEET}v") or "") for c in row.iter(f"{SHEET}c")]
            values = [strings[int(v)] if kind == "s" else v for kind, v in cells]
            if number and len(values) >= 3:
                yield values[1], values[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--meqsum", type=Path, required=True)
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--project", required=True)
    parser.add_argument("--no-stop-words", action="store_true", help="search with every word of the question")
    given = parser.parse_args()
    engine = Dragoman.open(given.project)
    stop = () if given.no_stop_words else engine.project.languages[0].lines("stopwords.txt")
    with SqliteRetriever(stop=stop) as search:
        search.index((p.id, p.whole) for p in read_pages(given.pages))

        def first_ten(text: str) -> set[str]:
            return {id_ for id_, _ in search.search([(text, 1.0)], 10)}

        rows = []
        for question, summary in read_meqsum(given.meqsum):
            wanted = first_ten(summary)
            limit = engine.project.file.limits.text
            condensed = engine.enrich(Turn(question[:limit])).queries.condensed
            original = len(wanted & first_ten(question)) / 10
            short = len(wanted & first_ten(condensed)) / 10 if condensed else original
            words = (len(question.split()), len(condensed.split()) if condensed else len(question.split()))
            rows.append((md5(summary.encode()).digest()[0] % 2 == 0, original, short, condensed is not None, *words))
    table = np.array(rows, dtype=float)
    for name, part in (("looked at", table[table[:, 0] == 1]), ("held out", table[table[:, 0] == 0])):
        difference = part[:, 2] - part[:, 1]
        low, high = bootstrap(difference)
        print(
            f"{name}: {len(part)} questions, {int(part[:, 3].sum())} condensed from {part[:, 4].mean():.0f} to "
            f"{part[:, 5].mean():.0f} words; overlap@10 {part[:, 1].mean():.3f} -> {part[:, 2].mean():.3f}, "
            f"{difference.mean():+.3f} ({low:+.3f} to {high:+.3f}), p = {randomisation(difference):.2g}, "
            f"{int((difference > 0).sum())} won, {int((difference < 0).sum())} lost"
        )


if __name__ == "__main__":
    main()
