from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import DataError
from dragoman.evaluate.trec import Page, Query, read_pages, read_qrels, read_queries, run_lines
from dragoman.types import Message


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_queries_as_json_lines(tmp_path: Path):
    found = read_queries(
        write(
            tmp_path / "q.jsonl",
            '\ufeff{"id": "1", "text": "rugpijn", "language": "nl", "note": "x"}\n\n'
            '{"id": "2", "text": "en dan?", "history": [{"role": "user", "text": "jicht"}], "split": "dev"}\r\n',
        )
    )
    assert found[0] == Query(id="1", text="rugpijn", language="nl")
    assert found[1].turn.history == (Message(role="user", text="jicht"),)
    assert found[1].split == "dev"


def test_queries_as_lines(tmp_path: Path):
    assert read_queries(write(tmp_path / "q.tsv", "1\tlow back pain\n2\tx\ty\n")) == [
        Query(id="1", text="low back pain"),
        Query(id="2", text="x\ty"),
    ]


def test_pages(tmp_path: Path):
    first, second = read_pages(
        write(
            tmp_path / "p.jsonl", '{"id": "a", "text": "t"}\n{"id": "b", "text": "t", "title": "T", "terms": ["u"]}\n'
        )
    )
    assert (first.whole, first.terms) == ("t", None)
    assert (second.whole, second.terms) == ("T\nt", ("u",))
    assert Page(id="a", text="t") == first


def test_judgements_keep_the_relevant(tmp_path: Path):
    judged = read_qrels(write(tmp_path / "qrels", "1 0 a 2\n1 0 b 0\n2\t0\tc\t1\n3 0 d -1\n"))
    assert judged == {"1": {"a": 2}, "2": {"c": 1}}


@pytest.mark.parametrize(
    ("read", "name", "content", "line", "what"),
    [
        (read_queries, "q.tsv", "1 low back pain\n", 1, "is no query"),
        (read_queries, "q.tsv", "1\ta\n1\tb\n", 2, "stands twice"),
        (read_queries, "q.jsonl", '{"id": "1", "text": "a"}\n{"id": "1", "text": "b"}', 2, "stands twice"),
        (read_queries, "q.jsonl", '{"id": "1"}', 1, "is no query"),
        (read_queries, "q.jsonl", '{"id": "1", "text": "a", "split": "train"}', 1, "is no query"),
        (read_queries, "q.jsonl", '{"id": "1 2", "text": "a"}', 1, "has a space"),
        (read_pages, "p.jsonl", '\n{"id": "1", "text": 3}', 2, "is no page"),
        (read_pages, "p.jsonl", "{", 1, "is not JSON"),
        (read_qrels, "r.trec", "1 0 a\n", 1, "is no judgement"),
        (read_qrels, "r.trec", "1 0 a 1\n1 0 a yes\n", 2, "is no judgement"),
        (read_qrels, "r.trec", "1 0 a 1\n1 0 a 1\n", 2, "judged twice"),
    ],
)
def test_a_fault_names_its_line(tmp_path: Path, read, name: str, content: str, line: int, what: str):
    path = write(tmp_path / name, content)
    with pytest.raises(DataError, match=what) as caught:
        read(path)
    assert caught.value.where == f"{path}:{line}"
    assert caught.value.advice


@pytest.mark.parametrize("read", [read_queries, read_pages, read_qrels])
def test_files_that_cannot_be_used(tmp_path: Path, read):
    for path, what in (
        (tmp_path / "none.jsonl", "cannot be read"),
        (write(tmp_path / "latin.jsonl", b"\xff\xfe"), "UTF-8"),
        (write(tmp_path / "empty.jsonl", "\n"), "empty|no relevant"),
    ):
        with pytest.raises(DataError, match=what):
            read(path)


def test_a_run_in_the_format_of_trec():
    lines = list(run_lines({"1": [("a", 2.5), ("b", 1.0)], "2": []}, "sqlite.plain"))
    assert lines == ["1 Q0 a 1 2.500000 sqlite.plain\n", "1 Q0 b 2 1.000000 sqlite.plain\n"]
