"""Other forms of a term, compounds, abbreviations; and what must not be taken for a term."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.index.terms_support import World, hospital

from dragoman.protocols import RelationRow, Row, TermRow


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return hospital(tmp_path_factory.mktemp("index"))


def why(world: World, text: str) -> dict[str, str | None]:
    return {c.id: c.why for c in world.candidates(text)}


@pytest.mark.parametrize(
    ("text", "id_", "rule"),
    [
        # inflection
        ("twee fracturen", "fracture", "inflection"),
        ("schildklieren", "thyroid", "inflection"),
        ("epileptische aanvallen", "fit", "inflection"),
        ("galsteen", "stones", "inflection"),
        ("een netelroosje", "nettle", "inflection"),
        ("hij snurkt", "snore", "inflection"),
        ("zij heeft gesnurkt", "snore", "inflection"),
        ("de baby heeft gebraakt", "throw", "inflection"),
        ("de baby heeft overgegeven", "vomiting", "inflection"),
        ("ik geef steeds over", "vomiting", "inflection"),
        ("hij gaf vannacht twee keer over", "vomiting", "inflection"),
        ("als zij over geeft", "vomiting", "inflection"),
        ("longontstekingen", "lungs", "inflection"),
        ("pneumonieën", "pneumonia", "inflection"),
        # spelling
        ("hypothyreodie", "hypo", "spelling"),
        ("cholelitiasis", "gallstone", "spelling"),
        ("kolelithiasis", "gallstone", "spelling"),
        ("arthrose", "arthrosis", "spelling"),
        ("pneumonnie", "pneumonia", "spelling"),
        ("vertygo", "dizzy", "spelling"),
        # derivation
        ("een artrotische knie", "arthrosis", "derivation"),
        ("ik ben epilepticus", "epilepsy", "derivation"),
        ("ik ben duizelig", "spin", "derivation"),
        ("de cardioloog", "cardio", "derivation"),
        ("de neurologen", "neuro", "derivation"),
        ("een dermatologe", "skins", "derivation"),
        ("de huidarts", "skins", "derivation"),
        ("de oorarts", "ent", "derivation"),
        # composition
        ("epilepsiemedicatie", "epilepsy", "compound"),
        ("de artrosepatiënten", "arthrosis", "compound"),
        ("galsteenaanvallen", "gallstone", "compound"),
        ("heupfractuur", "fracture", "compound"),
        ("schildklierspecialist", "thyroid", "compound"),
        ("prostaatvergroting", "prostates", "compound"),
        ("vergroting van de prostaat", "prostates", "compound"),
        ("een steen in de nier", "kidneystone", "compound"),
        ("ontsteking van de long", "lungs", "compound"),
        ("knie prothese", "knees", "compound"),
        ("een piep in mijn oor", "buzz", "compound"),
        ("nier steen", "kidneystone", "compound"),
        ("gal stenen", "stones", "compound"),
        ("vallendeziekte", "epilepsy", "compound"),
        ("wintereczeem", "eczema", ""),
        ("een epilepsiedagboek", "epilepsy", "compound"),
        ("een fractuurkliniek", "fracture", "compound"),
        ("winter- en zomereczeem", "eczema", "compound"),
    ],
)
def test_other_forms_of_a_term(world: World, text: str, id_: str, rule: str) -> None:
    found = {c.id: c for c in world.candidates(text)}
    assert id_ in found, [c.id for c in found.values()]
    assert found[id_].match == "variant"
    assert (found[id_].why or "").startswith(rule)


def test_a_part_with_a_hyphen_takes_the_rest_of_its_word(world: World) -> None:
    text = "verschil tussen hypo- en hyperthyreoïdie"
    assert {(c.id, c.text) for c in world.candidates(text)} == {("hypo", "hypo"), ("hyper", "hyperthyreoïdie")}


def test_a_disease_is_known_by_its_eponym(world: World) -> None:
    assert world.ids("mijn zus heeft Graves") == {"graves"}


@pytest.mark.parametrize(
    "text",
    [
        "Leveren jullie ook maaltijden aan huis?",  # lever
        "Mag het licht 's nachts branden?",
        "Mijn rugzak is weg",
        "Wat is de oorzaak van de vertraging?",  # oor
        "Schenken jullie ook een longdrink?",
        "Hoe betaal ik mijn factuur?",  # fractuur
        "Mijn broer speelt trombone",
        "Het is een hartelijk welkom",
        "Ik kies voor de harde weg",
        "Wij vieren feest in de nieuwe zaal",
        "Is er een kniehoogte afgesproken?",
        "Hij stond met zijn hoofd in het water",
        "Waar kan ik kinderboeken ruilen?",
        "Ik heb een afspraak gemaakt voor mijn vrouw",
    ],
)
def test_everyday_words_are_no_terms(world: World, text: str) -> None:
    assert world.candidates(text) == []


def test_a_word_of_the_texts_language_is_no_foreign_term(world: World) -> None:
    assert world.candidates("How long does it take?") == []
    assert world.candidates("Who can cook a nice rug?") == []
    assert world.ids("mijn long") == {"lung"}


def test_a_synonym_elsewhere_in_the_body_is_something_else(tmp_path: Path) -> None:
    rows: list[Row] = [
        TermRow("top", "aandoening", "nl", "preferred"),
        TermRow("1", "obstipatie", "nl", "preferred"),
        TermRow("1", "verstopping", "nl"),
        TermRow("2", "tuberculose", "nl", "preferred"),
        TermRow("n", "neus", "nl", "preferred"),
        TermRow("l", "long", "nl", "preferred"),
        TermRow("1", "obstipatie (aandoening)", "nl", "fsn"),
        TermRow("2", "tuberculose (aandoening)", "nl", "fsn"),
        TermRow("n", "neus (lichaamsstructuur)", "nl", "fsn"),
        TermRow("l", "long (lichaamsstructuur)", "nl", "fsn"),
        RelationRow("1", "is_a", "top"),
        RelationRow("2", "is_a", "top"),
        RelationRow("2", "finding_site", "l"),
    ]
    world = World(tmp_path, [("made", rows)])
    assert world.candidates("ik heb een neusverstopping") == []
    assert world.candidates("ik heb neustuberculose") == []
    assert world.ids("ik heb longtuberculose") == {"2"}


# --- abbreviations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("mijn vader had een CVA", {"stroke"}),
        ("al twee CVA's gehad", {"stroke"}),
        ("CVA's", {"stroke"}),
        ("cva", {"stroke"}),
        ("mijn vader had een cva", {"stroke"}),
        ("ik word behandeld voor bph", {"prostate"}),
        ("Ik heb AF", {"af"}),
    ],
)
def test_abbreviations_with_evidence(world: World, text: str, ids: set[str]) -> None:
    assert world.ids(text) == ids


@pytest.mark.parametrize(
    "text",
    [
        "ik ga af en toe wandelen",
        "dat is af",
        "DAT IS AF EN TOE ZO",
        "advice for men about healthy eating",
        "ADVICE FOR MEN",
        "het gaat om mm en cm",
    ],
)
def test_everyday_words_are_no_abbreviations(world: World, text: str) -> None:
    assert not world.ids(text) & {"af", "neoplasia"}


def test_two_small_letters_are_a_candidate_and_no_more(tmp_path: Path) -> None:
    rows = [TermRow("1", "Qwerty-Zuidersyndroom", "nl", "preferred"), TermRow("1", "QZ", "nl")]
    world = World(tmp_path, [("made", rows)])
    assert why(world, "ik heb last van qz") == {"1": "abbreviation, without evidence"}
    assert world.added("ik heb last van qz") == []
    assert world.added("ik heb last van QZ") == ["Qwerty-Zuidersyndroom"]


def test_an_acronym_in_capitals_may_be_meant(world: World) -> None:
    assert world.ids("is MEN syndrome genetic?") == {"neoplasia"}


def test_the_long_form_beside_it_says_what_an_abbreviation_means(world: World) -> None:
    found = world.found("treatment options for multiple myeloma (MM)")
    assert [c.id for c in found.candidates] == ["myeloma"]
    assert [(m.text, m.status) for m in found.mentions] == [("multiple myeloma", "exact"), ("MM", "suppressed")]


def test_a_word_that_is_everyday_and_a_stray_synonym_needs_more(tmp_path: Path) -> None:
    rows = [TermRow("1", "nier", "nl", "preferred"), TermRow("1", "ren", "nl")]
    world = World(tmp_path, [("made", rows)])
    assert world.candidates("ik ren elke dag een rondje") == []
    assert world.ids("mijn nier doet pijn") == {"1"}


def test_marks_make_a_synonym_another_word_than_the_everyday_one(tmp_path: Path) -> None:
    rows = [TermRow("1", "koorts", "nl", "preferred"), TermRow("1", "sốt", "vi")]  # "sot" is a word in English
    world = World(tmp_path, [("made", rows)])
    assert world.ids("con tôi bị sốt cao") == {"1"}
    assert world.candidates("he is a sot") == []


# --- misspelt words ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("ik heb hyperthyreoxdie", "hyper"),
        ("endocardtis", "endocarditis"),
        ("galstennen", "stones"),
        ("dyslipidemei", "dyslipidemia"),
        ("multiple slcerose", "ms1"),
        ("benigne prostaathyperplasei", "prostate"),
        ("voorkamerfibrilatie", "flutter"),
        ("cerebrovasculair acident", "stroke"),
    ],
)
def test_misspelt_terms_are_near(world: World, text: str, id_: str) -> None:
    found = {c.id: c.match for c in world.candidates(text)}
    assert found.get(id_) in ("fuzzy", "variant")


@pytest.mark.parametrize(
    "text",
    [
        "galblazen",
        "ik heb koortd",
        "een knieprotxesq",
        "de voorkamer",
        "kniepunt",
        "epilepsei.galstenen,x",
        "gewrichtheid",
    ],
)
def test_what_is_too_short_or_too_far_is_not_near(world: World, text: str) -> None:
    assert not [c for c in world.candidates(text) if c.match == "fuzzy" and c.text != "epilepsei"]


def test_a_word_of_the_language_is_never_misspelt(world: World) -> None:
    assert world.terms.everyday("trombone")
    assert world.terms.everyday("aardbeien", "nl")
    assert not world.terms.everyday("hypothyreoxdie")
