"""``eval-retrieval`` and ``annotate``, from the command line, on the small hospital."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("ir_measures", reason="the extra eval is not installed")


class Files(NamedTuple):
    queries: Path
    qrels: Path
    pages: Path

    @property
    def options(self) -> tuple[object, ...]:
        return ("--queries", self.queries, "--qrels", self.qrels, "--pages", self.pages)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    pages = [
        {"id": "traag", "title": "Trage schildklier", "text": "De schildklier maakt te weinig hormoon."},
        {"id": "rug", "title": "Pijn in de rug", "text": "Gaat meestal vanzelf over."},
        {"id": "parkeren", "title": "Parkeren", "text": "Achter het gebouw."},
    ]
    found = Files(tmp_path / "q.tsv", tmp_path / "qrels.trec", tmp_path / "pages.jsonl")
    found.queries.write_text("1\trug\n2\tparkeren\n3\tschildklier\n4\tonbekend\n", "utf-8")
    found.qrels.write_text("1 0 rug 1\n2 0 parkeren 1\n3 0 traag 1\n", "utf-8")
    found.pages.write_text("".join(json.dumps(p, ensure_ascii=False) + "\n" for p in pages), "utf-8")
    return found


Dragoman = Callable[..., Any]


def test_json_is_one_document(dragoman: Dragoman, hospital: Path, files: Files):
    ran = dragoman("eval-retrieval", *files.options, "--project", hospital, "--json")
    assert ran.code == 0, ran.err
    found = ran.json
    assert (found["queries"], found["unjudged"]) == (3, 1)
    assert found["outcomes"][0]["run"] == "plain"
    assert {"terminology", "all", "full-weight", "random", "condensed", "documents", "together"} <= {
        o["run"] for o in found["outcomes"]
    }
    plain, *others = found["outcomes"]
    assert plain["means"]["RR@10"]["mean"] == 1.0
    assert plain["effects"] == {}
    assert set(others[0]["effects"]["nDCG@10"]) >= {
        "difference",
        "interval",
        "p",
        "p_holm",
        "wins",
        "losses",
        "touched",
    }
    assert "enriching" in ran.err


def test_tables_for_a_person_and_a_report(dragoman: Dragoman, hospital: Path, files: Files, tmp_path: Path):
    report, kept = tmp_path / "report.html", tmp_path / "runs"
    ran = dragoman(
        "eval-retrieval", *files.options, "--project", hospital, "--runs", "all,documents", "--report", report,
        "--save-runs", kept,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    for word in ("nDCG@10", "R@100", "RR@10", "plain", "documents", "1 queries without"):
        assert word in ran.out
    assert "<svg" in report.read_text("utf-8")
    assert sorted(p.name for p in kept.iterdir()) == ["sqlite.all.trec", "sqlite.documents.trec", "sqlite.plain.trec"]
    assert (kept / "sqlite.plain.trec").read_text("utf-8").startswith("1 Q0 rug 1 ")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--runs", "al"), "there is no run 'al'"),
        (("--retriever", "lucene"), "there is no retriever 'lucene'"),
        (("--report", "/nonexistent/r.html"), "cannot be written"),
    ],
)
def test_what_is_wrong_is_said(dragoman: Dragoman, hospital: Path, files: Files, options: tuple[str, ...], what: str):
    ran = dragoman("eval-retrieval", *files.options, "--project", hospital, *options)
    assert ran.code == 2
    assert what in ran.err
    assert ran.out == ""


def test_the_files_are_checked_first(dragoman: Dragoman, hospital: Path, files: Files):
    files.qrels.write_text("1 0 rug 1\n1 rug\n", "utf-8")
    ran = dragoman("eval-retrieval", *files.options, "--project", hospital)
    assert ran.code == 2
    assert f"{files.qrels}:2: is no judgement" in ran.err


def test_annotate_and_what_it_wrote_is_used(dragoman: Dragoman, hospital: Path, files: Files, tmp_path: Path):
    out = tmp_path / "pages.terms.jsonl"
    ran = dragoman("annotate", files.pages, out, "--project", hospital, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["pages"] == 3
    pages = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert all(isinstance(p["terms"], list) for p in pages)
    again = dragoman("annotate", files.pages, out, "--project", hospital)
    assert again.code == 0
    assert "3 were there" in again.err
    pages[2]["terms"] = ["onbekend"]
    out.write_text("".join(json.dumps(p) + "\n" for p in pages), "utf-8")
    files.qrels.write_text("4 0 parkeren 1\n", "utf-8")
    used = files._replace(pages=out)
    found = dragoman(
        "eval-retrieval", *used.options, "--project", hospital, "--runs", "documents", "--json"
    ).json["outcomes"]  # fmt: skip
    assert [o["means"]["RR@10"]["mean"] for o in found] == [0.0, 1.0]
