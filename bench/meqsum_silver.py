"""Real long questions with silver judgements.

    python -m bench.meqsum_silver --meqsum MeQSum.xlsx --medquad medquad.jsonl.gz --out DIR

MeQSum's questions as they were sent are the queries. Relevant are the pages of MedQuAD about the diseases that the
expert's summary names, by the name or a synonym that MedQuAD gives (the longest; names of one to three letters and
everyday words do not count). No judge has looked at the pairs, hence silver: a page about another aspect of the disease
counts as well as the one that answers. Writes DIR/queries.jsonl and DIR/qrels.trec, for the pages of
`bench/medquad_known_item.py --ceiling`.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from bench.medquad_known_item import digest, read_medquad
from bench.meqsum_condense import read_meqsum

from dragoman.folder import language
from dragoman.text.tokens import fold_key, tokenize

LONGEST = 10  # tokens of a name
MOST = 100  # pages: a name that so many are about tells nothing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--meqsum", type=Path, required=True)
    parser.add_argument("--medquad", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    common = language("en").words("stopwords.txt")
    about: dict[str, set[str]] = defaultdict(set)
    for page in read_medquad(given.medquad):
        for name in (page["focus"], *page["synonyms"]):
            key = fold_key(name)
            if len(key) > 3 and key not in common:
                about[key].add(page["id"])
    given.out.mkdir(parents=True, exist_ok=True)
    written = 0
    with (
        (given.out / "queries.jsonl").open("w", encoding="utf-8") as queries,
        (given.out / "qrels.trec").open("w", encoding="utf-8") as qrels,
    ):
        for number, (question, summary) in enumerate(read_meqsum(given.meqsum)):
            keys = tokenize(summary).keys
            relevant: set[str] = set()
            at = 0
            while at < len(keys):
                ends = (e for e in range(min(len(keys), at + LONGEST), at, -1) if " ".join(keys[at:e]) in about)
                end = next(ends, None)
                if end is not None:
                    relevant |= about[" ".join(keys[at:end])]
                at = end or at + 1
            if not 0 < len(relevant) <= MOST:
                continue
            split = "dev" if digest(summary) & 1 else "test"
            row = {"id": f"m{number}", "text": question[:4000], "split": split}
            print(json.dumps(row, ensure_ascii=False), file=queries)
            for page_id in sorted(relevant):
                print(f"m{number}", 0, page_id, 1, file=qrels)
            written += 1
    print(f"{written} questions whose summary names a disease that pages are about")


if __name__ == "__main__":
    main()
