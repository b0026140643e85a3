"""A part of a name that is not known, or misspelt, is too little where the word beside it names a kind of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.index.terms_support import World

from dragoman.index.term_values import MISSPELT
from dragoman.protocols import ConceptRow, RelationRow, Row, TermRow
from dragoman.readers.deployment import Entity, Taxonomy

# id: Dutch name | English names | what it is a kind of
CONCEPTS = {
    "growth": "gezwel|tumour;cancer|",
    "womb": "baarmoedergezwel|uterine neoplasm|growth",
    "skin": "huidgezwel|skin growth of pigment|growth",
    "ache": "pijn|pain|",
    "flank": "flankpijn|pain in the flank|ache",
    "fever": "koorts|fever|",
    "bump": "zwelling|swelling;enlargement|",
    "gland": "klierzwelling|swelling of the parotid|bump",
}


def _rows() -> Iterator[Row]:
    for id_, line in CONCEPTS.items():
        dutch, english, parent = line.split("|")
        yield ConceptRow(id_, True, "aandoening")
        yield TermRow(id_, dutch, "nl", "preferred")
        for term in english.split(";"):
            yield TermRow(id_, term, "en", "synonym")
        if parent:
            yield RelationRow(id_, "is_a", parent)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("bare"), [("made", _rows())])


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("uterne cancer", "gezwel"),
        ("cancer of the uterne", "gezwel"),
        ("pain flnak", "pijn"),
        ("parottid swelling", "zwelling"),
        ("enlargment of the parotid", "zwelling"),  # the name misspelt, beside a word as it should be
    ],
)
def test_a_part_is_not_told_where_the_word_beside_it_names_a_kind(bare: World, text: str, label: str) -> None:
    assert label not in bare.added(text)
    whys = [c.why or "" for c in bare.candidates(text) if c.name == label]
    assert whys
    assert all(why.endswith(MISSPELT) for why in whys)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("uterine cancer", "gezwel"),  # nothing is misspelt: what is known of it is told
        ("cancer and fever, uterne", "gezwel"),
        ("cancer tretment", "gezwel"),  # no kind of it
        ("fever uterne", "koorts"),
        ("cancer or uterne", "gezwel"),
        ("cancer since some long years uterne", "gezwel"),  # out of reach
        ("enlargment", "zwelling"),
    ],
)
def test_a_part_is_told_all_the_same(bare: World, text: str, label: str) -> None:
    assert label in bare.added(text)


def test_with_pages_the_broader_page_is_an_answer(tmp_path: Path) -> None:
    page = Entity(entity_id="p", type="condition", name="Kanker", concept_ids=("growth",))
    world = World(tmp_path, [("made", _rows())], Taxonomy(entities=(page,)))
    assert world.added("uterne cancer") == ["Kanker"]


def test_a_short_words_first_letter_is_the_right_one(bare: World) -> None:
    assert bare.added("skin growth of pigmant") == ["huidgezwel"]
    assert bare.added("qain in the flank") == []
