"""The questions of a demo as a retrieval task: `python bench/demo_retrieval.py hospital DIR`.

Writes DIR/queries.jsonl, DIR/qrels.trec and DIR/pages.jsonl for `dragoman eval-retrieval --project demo-hospital`. A
dozen made-up questions on made-up pages: they show what a report looks like, and prove nothing.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dragoman import demo


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=demo.names())
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with (given.out / "pages.jsonl").open("w", encoding="utf-8") as file:
        for page in demo.pages(given.name):
            print(json.dumps({"id": page.id, "title": page.title, "text": page.text}, ensure_ascii=False), file=file)
    with (
        (given.out / "queries.jsonl").open("w", encoding="utf-8") as queries,
        (given.out / "qrels.trec").open("w", encoding="utf-8") as qrels,
    ):
        for number, question in enumerate(demo.questions(given.name), 1):
            row = {"id": f"q{number}", "text": question.text, "language": question.language}
            print(json.dumps(row, ensure_ascii=False), file=queries)
            if question.expects_page is not None:
                print(f"q{number} 0 {question.expects_page} 1", file=qrels)


if __name__ == "__main__":
    main()
