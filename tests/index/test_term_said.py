"""What a sentence says of a noun, or does with it, is the term that has the words side by side; denied, it is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.index.terms_support import World

from dragoman.protocols import ConceptRow, Row, TermRow
from dragoman.readers.deployment import Entity, Taxonomy

TERMS = {
    "dry": ("aandoening", "sicca;droge huid"),
    "pale": ("bevinding", "pallor;bleek gelaat"),
    "knee": ("bevinding", "gonitis;gezwollen knie"),
    "arm": ("bevinding", "hangende arm"),
    "sparks": ("bevinding", "fotopsie;felle flitsen zien"),
    "slime": ("bevinding", "sputum;slijm ophoesten"),
    "nuts": ("aandoening", "pindaovergevoeligheid;notenallergie"),
    "games": ("aandoening", "gokverslaving"),
    "specks": ("bevinding", "spikkels voor de ogen"),
    "toe": ("lichaamsstructuur", "grote teen"),
}
PAGES = {
    "women": ("department", "Gynaecologie en verloskunde"),
    "bones": ("department", "Algemene heelkunde, orthopedie & traumatologie"),
    "kidneys": ("department", "Nefrologie en urologie"),
    "bladder": ("department", "Urologie"),
    "mother": ("department", "Moeder en kind"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    rows: list[Row] = []
    for id_, (tag, terms) in TERMS.items():
        rows.append(ConceptRow(id_, True, tag))
        rows += [TermRow(id_, t, "nl", "synonym" if place else "preferred") for place, t in enumerate(terms.split(";"))]
    rows.append(TermRow("toe", "grote teen (lichaamsstructuur)", "nl", "fsn"))
    entities = tuple(Entity(entity_id=i, type=type_, name=name) for i, (type_, name) in PAGES.items())
    path: Path = tmp_path_factory.mktemp("said")
    return World(path, [("made", rows)], Taxonomy(entities=entities))


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("mijn huid is droog", "dry"),
        ("Haar huid voelt altijd zo droog, wat kan ik doen?", "dry"),
        ("zijn gelaat werd plots heel bleek", "pale"),
        ("mijn knie is gezwollen", "knee"),
        ("zijn arm hangt", "arm"),
        ("ik zie felle flitsen", "sparks"),
        ("ik zie sinds gisteren felle flitsen", "sparks"),
        ("felle flitsen zie ik elke avond", "sparks"),
        ("ik hoest slijm op", "slime"),
        ("een allergie voor noten", "nuts"),
        ("allergie tegen noten", "nuts"),
        ("overgevoeligheid voor pinda", "nuts"),
        ("mijn man is verslaafd aan gokken", "games"),
        ("ik zie spikkels voor mijn ogen", "specks"),
    ],
)
def test_a_predicate_says_what_an_adjective_does(made: World, text: str, id_: str) -> None:
    assert made.ids(text) == {id_}


@pytest.mark.parametrize(
    "text",
    [
        "mijn huid is niet droog",
        "mijn huid is nooit erg droog",
        "mijn knie is niet gezwollen",
        "ik hoest geen slijm op",
        "ik zie geen felle flitsen",
        "haar gelaat en de muur zijn bleek",  # who is what?
        "de huid van de appel is droog",
        "mijn teen is groot",  # a part of the body is no finding
    ],
)
def test_what_is_denied_or_said_of_another_is_not(made: World, text: str) -> None:
    assert not made.ids(text)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("waar is gynaecologie?", {"women"}),
        ("ik zoek een gynaecoloog", {"women"}),
        ("afspraak bij verloskunde", {"women"}),
        ("naar de traumatologie", {"bones"}),
        ("de dienst orthopedie", {"bones"}),
        ("de dienst nefrologie", {"kidneys"}),
        ("de dienst urologie", {"bladder"}),  # it has a page of its own
        ("heelkunde", set()),  # not the general one
        ("moeder", set()),
    ],
)
def test_a_department_is_each_of_the_specialities_that_its_name_joins(made: World, text: str, ids: set[str]) -> None:
    assert made.ids(text) == ids
