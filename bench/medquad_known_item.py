"""A known-item task from MedQuAD: can the pages about a disease be found under another of its names?

    python bench/medquad_known_item.py --medquad medquad.jsonl.gz --hpo hp.obo --doid DOID_FOLDER --out DIR
    dragoman build --project DIR
    dragoman eval-retrieval --project DIR --queries DIR/queries.jsonl --qrels DIR/qrels.trec --pages DIR/pages.jsonl \
        --retriever sqlite,dense,fused --cache DIR/vectors.sqlite --tune --report DIR/report.html

Data (fetch it yourself): MedQuAD (Ben Abacha and Demner-Fushman, 2019; CC BY 4.0) as JSON lines with id, source, focus,
synonyms, question, answer; the Human Phenotype Ontology (hp.obo); the Disease Ontology's HumanDO.tsv and .obo slims.

A page is a question with its answer. For every focus that has synonyms one of them is the query, picked by a hash; the
relevant pages are those of its focus (of all foci that have the synonym). **All queries are taken out of the
terminology first**, so that a run has to find its way by the other names of the disease; `--ceiling` leaves them in,
which shows what a complete terminology would give, and is no result. `--pages-without` also takes out a query's words
where they stand in a page of its own focus. Foci are split in halves by hash: weights are chosen on the one, and the
other is reported.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from dragoman.protocols import ConceptRow, Report, Source, TermRow
from dragoman.readers import reader_for
from dragoman.text.tokens import fold_key

PROJECT = """\
[project]
name      = "medquad"
profile   = "hospital"
languages = ["en"]

[[terminology]]
name   = "hpo"
format = "csv"
path   = "hpo/"

[[terminology]]
name   = "doid"
format = "csv"
path   = "doid/"
"""


def read_medquad(path: Path) -> list[dict[str, Any]]:
    """The pages, with ids that are unique: those of MedQuAD repeat between its sources."""
    open_ = gzip.open if path.suffix == ".gz" else open
    with open_(path, "rt", encoding="utf-8") as file:
        pages = [json.loads(line) for line in file]
    for i, page in enumerate(pages):
        page["id"] = f"{page['source'].split('_')[0]}-{page['id']}-{i}"
    return pages


def digest(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


def known_items(pages: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str, str, list[str]]]:
    """``(id, split, query, page ids)`` for every focus with a synonym that is not the focus itself."""
    of_focus: dict[str, list[str]] = defaultdict(list)
    of_name: dict[str, set[str]] = defaultdict(set)
    synonyms: dict[str, set[str]] = defaultdict(set)
    for page in pages:
        focus = fold_key(page["focus"])
        of_focus[focus].append(page["id"])
        for synonym in page["synonyms"]:
            key = fold_key(synonym)
            if len(key) > 3 and key != focus:
                synonyms[focus].add(synonym)
                of_name[key].add(focus)
    taken: set[str] = set()
    for number, (focus, names) in enumerate(sorted(synonyms.items())):
        query = min(names, key=lambda n: digest(f"{focus}\t{n}"))
        key = fold_key(query)
        if key in taken:
            continue
        taken.add(key)
        foci = of_name[key] | ({key} if key in of_focus else set())
        yield (
            f"f{number}",
            ("dev" if digest(focus) & 1 else "test"),
            query,
            sorted(p for f in foci for p in of_focus[f]),
        )


def terms(source: Source) -> list[TermRow]:
    """The live terms of a terminology."""
    rows = list(reader_for(source)(source, Report()))
    retired = {r.id for r in rows if isinstance(r, ConceptRow) and not r.active}
    return [r for r in rows if isinstance(r, TermRow) and r.active and r.concept_id not in retired]


def disease_ontology(folder: Path) -> list[TermRow]:
    """Names of all diseases, and what the slims say of their synonyms."""
    found: dict[tuple[str, str], TermRow] = {}
    for slim in sorted(folder.glob("*.obo")):
        for row in terms(Source(name="doid", format="obo", path=slim)):
            found.setdefault((row.concept_id, row.term), row)
    with (folder / "HumanDO.tsv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            row = TermRow(line["id"], line["label"], "en", "preferred")
            found.setdefault((row.concept_id, row.term), row)
    return list(found.values())


def write_terms(folder: Path, rows: Iterable[TermRow], without: set[str]) -> tuple[int, int]:
    """A csv terminology; returns how many terms were written, and how many were left out."""
    folder.mkdir(parents=True, exist_ok=True)
    written = left = 0
    with (folder / "terms.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["concept_id", "term", "language", "type", "active"])
        for row in rows:
            if fold_key(row.term) in without:
                left += 1
                continue
            out.writerow([row.concept_id, row.term, "en", row.type, 1])
            written += 1
    return written, left


def strip(text: str, queries: Iterable[str]) -> str:
    for query in queries:
        text = re.sub(rf"(?<!\w){re.escape(query)}(?!\w)", " ", text, flags=re.IGNORECASE)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--medquad", type=Path, required=True)
    parser.add_argument("--hpo", type=Path, required=True)
    parser.add_argument("--doid", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--ceiling", action="store_true")
    parser.add_argument("--pages-without", action="store_true")
    given = parser.parse_args()
    pages = read_medquad(given.medquad)
    items = list(known_items(pages))
    without = set() if given.ceiling else {fold_key(query) for _, _, query, _ in items}
    out: Path = given.out
    out.mkdir(parents=True, exist_ok=True)
    (out / "dragoman.toml").write_text(PROJECT, "utf-8")
    hpo = terms(Source(name="hpo", format="obo", path=given.hpo))
    for name, rows in (("hpo", hpo), ("doid", disease_ontology(given.doid))):
        written, left = write_terms(out / name, rows, without)
        print(f"{name}: {written} terms, {left} left out")
    own: dict[str, list[str]] = defaultdict(list)
    with (out / "queries.jsonl").open("w", encoding="utf-8") as queries, (out / "qrels.trec").open("w") as qrels:
        for id_, split, query, relevant in items:
            print(json.dumps({"id": id_, "text": query, "split": split}, ensure_ascii=False), file=queries)
            for page_id in relevant:
                print(id_, 0, page_id, 1, file=qrels)
                own[page_id].append(query)
    with (out / "pages.jsonl").open("w", encoding="utf-8") as file:
        for page in pages:
            text = page["answer"]
            if given.pages_without:
                text = strip(text, own[page["id"]])
            made = {"id": page["id"], "title": page["question"], "text": text}
            print(json.dumps(made, ensure_ascii=False), file=file)
    print(f"{len(items)} queries, {sum(s == 'test' for _, s, _, _ in items)} of them held out; {len(pages)} pages")


if __name__ == "__main__":
    main()
