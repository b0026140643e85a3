"""The organisation's pages, searched for people who want to see what enrichment does."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
import pytest

from dragoman import Dragoman
from dragoman.errors import DataError
from dragoman.searching import AROUND, PageSearch, Searched, stamp
from dragoman.types import WeightedTerm

PAGES = [
    {"id": "a", "title": "Gordelroos", "text": "Woord " * 60 + "blaasjes op een rij " + "woord " * 60, "url": "https://x.example/a"},
    {"id": "b", "title": "Koorts", "text": "Drink veel.", "editor": "someone"},
    {"id": "c", "text": "Zona is geen gordelroos op zijn best."},
]  # fmt: skip


@pytest.fixture
def hospital() -> Dragoman:
    return Dragoman.demo("hospital")


@pytest.fixture
def search(hospital: Dragoman, tmp_path: Path):
    file = tmp_path / "pages.jsonl"
    file.write_bytes(b"\n".join(msgspec.json.encode(page) for page in PAGES))
    made = PageSearch(file, hospital.project.languages)
    yield made
    made.close()


def test_the_words_alone_and_the_enriched_query(search: PageSearch) -> None:
    found = search.search(
        "blaren", [WeightedTerm(term="blaren", weight=1.0), WeightedTerm(term="Gordelroos", weight=0.3)]
    )
    assert found.pages == 3
    assert found.plain == ()
    assert [hit.id for hit in found.enriched] == ["c", "a"] or [hit.id for hit in found.enriched] == ["a", "c"]


def test_without_terms_both_are_the_same(search: PageSearch) -> None:
    found = search.search("gordelroos", ())
    assert found.plain == found.enriched
    assert len(found.plain) == 2


def test_a_hit_has_what_a_reader_needs(search: PageSearch) -> None:
    (hit,) = search.search("blaasjes", ()).plain
    assert (hit.title, hit.url) == ("Gordelroos", "https://x.example/a")
    assert "blaasjes" in hit.snippet
    assert hit.snippet.startswith("… ")
    assert hit.snippet.endswith(" …")
    assert len(hit.snippet) <= AROUND + 4
    (untitled,) = search.search("zona", ()).plain
    assert untitled.title == "c"


def test_query_syntax_is_text(search: PageSearch) -> None:
    assert search.search('") OR * NEAR(', ()).plain == ()


def test_threads_share_it(search: PageSearch) -> None:
    found: list[Searched] = []
    threads = [threading.Thread(target=lambda: found.append(search.search("koorts", ()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.plain[0].id for one in found] == ["b"] * 8


def test_a_file_that_is_none_is_told(hospital: Dragoman, tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text('{"id": "a"}\n', "utf-8")
    with pytest.raises(DataError, match="one JSON object a line"):
        PageSearch(file, hospital.project.languages)


def test_which_pages_a_project_has(hospital: Dragoman, tmp_path: Path) -> None:
    project = hospital.project
    there = stamp(project)
    assert there is not None
    assert there.path == project.base / "pages.jsonl"
    assert stamp(msgspec.structs.replace(project, base=tmp_path)) is None
    serve = msgspec.structs.replace(project.file.serve, pages="gone.jsonl")
    named = msgspec.structs.replace(project, base=tmp_path, file=msgspec.structs.replace(project.file, serve=serve))
    with pytest.raises(DataError, match="cannot be read"):
        stamp(named)
