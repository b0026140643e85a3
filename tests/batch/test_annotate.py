from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.batch.annotate import Annotated, annotate
from dragoman.errors import ConfigError, DataError
from dragoman.index.found import Found
from dragoman.text.tokens import Tokens
from dragoman.types import Candidate, Span

Make = Callable[..., Path]


class Catalog:
    """Knows one drug, ``aspirin``, by its first word; counts the texts that it read."""

    def __init__(self) -> None:
        self.read = 0

    def match(self, tokens: Tokens, message: int = -1) -> Found:
        self.read += 1
        at = tokens.text.find("aspirin")
        if at < 0:
            return Found()
        span = Span(at, at + 7)
        named = Candidate(span=span, text="aspirin", kind="drug", source="c", id="1", name="aspirin", match="exact")
        return Found((named,), ())

    def aliases(self, drug_id: str) -> tuple[str, ...]:
        return ("aspirin", "Aspro", "acetylsalicylic acid")


class NoTerms:
    def match(self, tokens: Tokens, message: int) -> Found:
        return Found()


class Known:
    def __init__(self) -> None:
        self.terms = NoTerms()
        self.drugs = Catalog()


PAGES: list[dict[str, Any]] = [
    {"id": "a", "title": "On aspirin", "text": "A page.", "url": "x"},
    {"id": "b", "text": "Parking", "n": 3},
    {"id": "c", "text": "aspirin. And more."},
]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def write(pages: list[Any], name: str = "in.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(b"".join(msgspec.json.encode(p) + b"\n" for p in pages))
        return path

    return write


def read(path: Path) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]


def run(source: Path, target: Path, known: Known | None = None, **options: Any) -> Annotated:
    return annotate(known or Known(), source, target, **options)  # type: ignore[arg-type]


def test_pages_keep_their_order_and_all_they_had(make: Make, tmp_path: Path):
    ticks: list[int] = []
    done = run(make(PAGES), tmp_path / "out.jsonl", progress=ticks.append)
    found = read(tmp_path / "out.jsonl")
    assert [{k: v for k, v in p.items() if k != "terms"} for p in found] == PAGES
    assert [p["terms"] for p in found] == [
        ["aspirin", "Aspro", "acetylsalicylic acid"],
        [],
        ["aspirin", "Aspro", "acetylsalicylic acid"],
    ]
    assert done == Annotated(pages=3, already=0, with_terms=2, terms=6)
    assert ticks == [1, 2, 3]


def test_the_field_and_its_length(make: Make, tmp_path: Path):
    run(make([{"id": "a", "text": "aspirin", "also": ["old"]}]), tmp_path / "out.jsonl", field="also", most=1)
    assert read(tmp_path / "out.jsonl") == [{"id": "a", "text": "aspirin", "also": ["aspirin"]}]


def test_goes_on_where_it_was_stopped(make: Make, tmp_path: Path):
    source, whole, target = make(PAGES), tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    run(source, whole)
    target.write_bytes(whole.read_bytes()[:-20])  # stopped within the last line
    known = Known()
    done = run(source, target, known)
    assert target.read_bytes() == whole.read_bytes()
    assert done == Annotated(pages=3, already=2, with_terms=1, terms=3)
    assert known.drugs.read == 1
    assert run(source, target).already == 3


def test_does_not_go_on_with_other_pages(make: Make, tmp_path: Path):
    target = make([{"id": "z", "text": "", "terms": []}], "out.jsonl")
    before = target.read_bytes()
    with pytest.raises(DataError, match="not the page") as caught:
        run(make(PAGES), target)
    assert caught.value.where == f"{target}:1"
    assert target.read_bytes() == before
    assert run(make(PAGES), target, fresh=True).already == 0
    with pytest.raises(DataError, match="not the page"):
        run(make(PAGES[:2]), target)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"{", "is not JSON"),
        (b'{"id": "b"}', "is no page"),
        (b'{"id": 2, "text": "x"}', "is no page"),
        (b'["b"]', "is no page"),
        (b'{"id": "a", "text": "x"}', "stands twice"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: bytes, what: str):
    source = tmp_path / "in.jsonl"
    source.write_bytes(b'\xef\xbb\xbf{"id": "a", "text": "x"}\n\n' + line + b"\n")
    with pytest.raises(DataError, match=what) as caught:
        run(source, tmp_path / "out.jsonl")
    assert caught.value.where == f"{source}:3"


def test_files_that_do_not_go_together(make: Make, tmp_path: Path):
    source = make(PAGES)
    with pytest.raises(ConfigError, match="same file"):
        run(source, source)
    with pytest.raises(ConfigError, match="Parquet"):
        run(source, tmp_path / "out.parquet")
    with pytest.raises(DataError, match="no such file"):
        run(tmp_path / "none.jsonl", tmp_path / "out.jsonl")
    with pytest.raises(DataError, match="cannot be opened"):
        run(source, tmp_path / "none" / "out.jsonl")


def test_parquet(tmp_path: Path):
    pa = pytest.importorskip("pyarrow", reason="the extra batch is not installed")
    pq = pytest.importorskip("pyarrow.parquet")
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    rows = [{"id": p["id"], "title": p.get("title"), "text": p["text"], "n": p.get("n")} for p in PAGES]
    pq.write_table(pa.Table.from_pylist(rows), source)
    done = run(source, target)
    assert done == Annotated(pages=3, with_terms=2, terms=6)
    found = pq.read_table(target).to_pylist()
    assert [{k: v for k, v in p.items() if k != "terms"} for p in found] == rows
    assert found[0]["terms"] == ["aspirin", "Aspro", "acetylsalicylic acid"]
    run(target, tmp_path / "again.parquet", most=1)  # a field that is there already is written anew
    assert pq.read_table(tmp_path / "again.parquet").to_pylist()[0]["terms"] == ["aspirin"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.parquet", "in.parquet", "out.parquet"]


def test_parquet_that_is_none_or_has_no_text(tmp_path: Path):
    pa = pytest.importorskip("pyarrow", reason="the extra batch is not installed")
    pq = pytest.importorskip("pyarrow.parquet")
    source = tmp_path / "in.parquet"
    source.write_bytes(b"no parquet")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        run(source, tmp_path / "out.parquet")
    pq.write_table(pa.table({"id": ["a"]}), source)
    with pytest.raises(DataError, match="is no page") as caught:
        run(source, tmp_path / "out.parquet")
    assert caught.value.where == f"{source}, row 1"
    assert [p.name for p in tmp_path.iterdir()] == ["in.parquet"]
