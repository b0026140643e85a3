"""Names as people write them: apart and misspelt, without a general head, with Flemish diminutives, as they sound."""

from __future__ import annotations

import pytest
from tests.index.terms_support import World

from dragoman.protocols import ConceptRow, Row, TermRow
from dragoman.readers.deployment import Entity, Taxonomy

TERMS = {
    "wrist": ("aandoening", "nl:carpaletunnelsyndroom;en:carpal tunnel syndrome;de:Karpaltunnelsyndrom"),
    "legs": ("aandoening", "nl:rustelozebenensyndroom;en:restless legs syndrome"),
    "exile": ("aandoening", "nl:parijssyndroom;en:paris syndrome"),
    "heads": ("aandoening", "nl:migraine;en:migraine"),
    "section": ("verrichting", "nl:keizersnede;en:caesarean section"),
    "cut": ("aandoening", "nl:snijwond;en:cut"),
    "spot": ("bevinding", "nl:vlek;en:spot"),
    "pimple": ("bevinding", "nl:puist;en:pimple"),
    "piles": ("aandoening", "nl:aambeien;en:piles"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    rows: list[Row] = []
    for id_, (tag, terms) in TERMS.items():
        rows.append(ConceptRow(id_, True, tag))
        for term in terms.split(";"):
            language, _, text = term.partition(":")
            rows.append(TermRow(id_, text, language, "preferred"))
    entities = [Entity(entity_id=f"p-{i}", type="condition", name=f"Page {i}", concept_ids=(i,)) for i in TERMS]
    place = tmp_path_factory.mktemp("runs")
    return World(place, [("made", rows)], Taxonomy(entities=tuple(entities)), ("nl", "en", "de"))


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        # written apart, misspelt or inflected in the first part
        ("carpaal tunnel syndroom", "wrist"),
        ("carpaal tunnelsyndroom", "wrist"),
        ("pijn door carpale tunnel", "wrist"),
        # without the head that says nothing
        ("carpaletunnel", "wrist"),
        ("carpaal tunnel", "wrist"),
        ("I have carpal tunnel in both hands", "wrist"),
        ("ik heb rusteloze benen", "legs"),
        ("restless legs", "legs"),
        ("Karpaltunnel", "wrist"),
        # as they sound
        ("migrène", "heads"),
        ("migreine", "heads"),
        ("een keizersnee", "section"),
        # Flemish diminutives
        ("een vlekske", "spot"),
        ("rode vlekskes", "spot"),
        ("puistekes", "pimple"),
        # one word, the whole question
        ("ambeien", "piles"),
    ],
)
def test_lay_spellings_are_found(made: World, text: str, id_: str) -> None:
    assert id_ in made.ids(text)


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("wij waren in Parijs", "exile"),  # a place
        ("parijs", "exile"),
        ("rusteloos en zere benen", "legs"),
        ("de tunnel onder de weg", "wrist"),
        ("hulp voor migrane in de stad", "heads"),  # migrant? migrate?
        ("breke en spreke", "cut"),
    ],
)
def test_what_only_looks_so_is_not(made: World, text: str, id_: str) -> None:
    assert id_ not in made.ids(text)
