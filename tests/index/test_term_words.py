"""Everyday words, names and letters that only look like a term or one of its forms."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.index.terms_support import World

from dragoman.protocols import ConceptRow, Row, TermRow

TERMS = {
    "spider": ("aandoening", "spin"),
    "aura": ("bevinding", "aura"),
    "touch": ("bevinding", "raken"),
    "thumb": ("lichaamsstructuur", "duim;duimen"),
    "deaf": ("bevinding", "doofheid"),
    "spleen": ("lichaamsstructuur", "milt;lien"),
    "mouse": ("aandoening", "gewrichtsmuis;muisje"),
    "sick": ("bevinding", "braken"),
    "gas": ("bevinding", "flatulentie;winderigheid"),
    "waters": ("aandoening", "syndroom van Waters"),
    "coal": ("aandoening", "ziekte van Kollen"),
    "trace": ("verrichting", "elektrocardiografie;ECG"),
    "nerve": ("aandoening", "amyotrofe laterale sclerose;ALS"),
    "attack": ("aandoening", "korte bloedeloosheid;TBU"),
    "rickets": ("aandoening", "rachitis"),
    "blood": ("bevinding", "bloed ophoesten"),
    "twice": ("bevinding", "dubbelzien"),
    "red": ("bevinding", "bloed plassen"),
    "out": ("bevinding", "overgeven"),
    "itch": ("bevinding", "jeuk"),
    "virus": ("aandoening", "hiv-infectie;HIV"),
    "heartcall": ("aandoening", "acuut myocardinfarct;AMI"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    rows: list[ConceptRow | TermRow] = []
    for id_, (tag, terms) in TERMS.items():
        rows.append(ConceptRow(id_, True, tag))
        rows += [
            TermRow(id_, term, "nl", "synonym" if place else "preferred") for place, term in enumerate(terms.split(";"))
        ]
    rows.append(TermRow("heap", "piles", "en", "preferred"))
    path: Path = tmp_path_factory.mktemp("words")
    return World(path, [("made", rows)])


@pytest.mark.parametrize(
    "text",
    [
        "The spine of this book is torn",  # spin-e, a Dutch adjective
        "spine",
        "He bought two rakes and a spade",  # raken, one rake
        "a pile of old paper",
        "zij duimde voor haar zus",  # a verb made of a part of the body
        "Ik zoek meneer Doove van de receptie",
        "Komt Lien ook naar het feest?",
        "Er loopt een muis in de kamer",
        "Er was een braak in de winkel",
        "Het was een winderige dag aan zee",
        "the waters of the lake",
        "kolen op de barbecue",
        "als het regent blijf ik thuis",
        "Wij bellen Tbu op maandag",  # capitals all or none
        "Is Rachiti al binnen?",
        "Tbu is mijn dochter",
        "Lien heeft vandaag vrij",
        "het gaat over gegeven voorbeelden",  # a preposition, and not overgeven
        "we praten over geven en nemen",
    ],
)
def test_words_and_names_are_no_forms_of_a_term(made: World, text: str) -> None:
    assert made.candidates(text) == []


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("een beet van een spin", "spider"),
        ("mijn duimen doen pijn", "thumb"),
        ("mijn vader is doof", "deaf"),
        ("mijn lien is vergroot", "spleen"),
        ("ik heb muisjes in mijn knie", "mouse"),
        ("ik braak al sinds gisteren", "sick"),
        ("last van winderigheid", "gas"),
        ("is het Waters, dokter?", "waters"),
        ("mijn tante heeft de ziekte van Kolen", "coal"),
        ("kan ik hier een ecg laten maken", "trace"),
        ("mijn broer heeft ALS", "nerve"),
        ("treatment of piles", "heap"),
        ("my auras come before the pain", "aura"),  # a Dutch term that English inflects alike
        ("mijn kind heeft rachiti", "rickets"),
        ("Opa hoest de hele nacht bloed op", "blood"),
        ("sinds gisteren zie ik alles dubbel", "twice"),
        ("mijn zoon plast bloed", "red"),
        ("zij geeft elke ochtend over", "out"),
        ("mijn huid jeukt", "itch"),
        ("zalf voor jeukende armen", "itch"),
        ("ik ben besmet met hiv", "virus"),
        ("mijn vader kreeg een ami", "heartcall"),
    ],
)
def test_their_terms_are_still_found(made: World, text: str, id_: str) -> None:
    assert id_ in made.ids(text)


def test_seven_letters_between_two_terms_are_neither(tmp_path: Path) -> None:
    rows = [TermRow("1", "zuberose", "nl", "preferred"), TermRow("2", "zumerose", "nl", "preferred")]
    world = World(tmp_path, [("made", rows)])
    assert world.candidates("ik heb zuerose") == []
    assert world.ids("ik heb zuberos") == {"1"}


def test_a_short_word_among_words_of_another_language_is_not_appended(made: World) -> None:
    assert made.added("mon ami heeft vakantie") == []
    assert made.added("mijn vader kreeg een ami") == ["acuut myocardinfarct"]


@pytest.mark.parametrize(
    "text",
    [
        "meneer Rachitis heeft een afspraak",  # a form of address
        "dag mevrouw Duim",
        "tbu is mijn nichtje",
        "tbu belt straks terug",
    ],
)
def test_a_form_of_address_and_what_people_do_tell_names(made: World, text: str) -> None:
    assert made.candidates(text) == []


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("dokter, rachitis of niet?", "rickets"),
        ("Dag dokter. Rachitis is dat erg?", "rickets"),
        ("tbu is gevaarlijk", "attack"),
        ("MEVROUW HEEFT RACHITIS", "rickets"),
        ("Mijn Tante Heeft Rachitis", "rickets"),
    ],
)
def test_what_is_no_name_is_still_found(made: World, text: str, id_: str) -> None:
    assert id_ in made.ids(text)


def test_a_set_phrase_names_nothing_and_says_so(tmp_path: Path) -> None:
    rows: list[Row] = [ConceptRow("eye", True, "lichaamsstructuur"), TermRow("eye", "oog", "nl", "preferred")]
    world = World(tmp_path, [("made", rows)])
    found = world.found("met het oog op morgen")
    assert not found.candidates
    assert [(m.status, m.reason) for m in found.mentions] == [("suppressed", "in a set phrase")]
    assert world.ids("iets in het oog") == {"eye"}
    assert world.ids("er komt vocht uit het oog") == {"eye"}


def test_a_name_in_small_letters_is_no_other_spelling(tmp_path: Path) -> None:
    rows = [TermRow("1", "heesheid", "nl", "preferred"), TermRow("1", "hees", "nl", "synonym")]
    world = World(tmp_path, [("made", rows)])
    assert world.candidates("gisteren was heeze er nog") == []
    assert world.ids("ik klink hese en hees") == {"1"}


def test_a_participle_is_not_what_its_noun_names(tmp_path: Path) -> None:
    world = World(tmp_path, [("made", [TermRow("1", "geraaktheid", "nl", "preferred")])])
    assert world.candidates("ik ben geraakt door zijn woorden") == []
    assert world.ids("geraaktheid") == {"1"}


def test_a_long_word_that_two_languages_share_is_found_in_both(tmp_path: Path) -> None:
    rows = [
        TermRow("1", "migraine", "nl", "preferred"),
        TermRow("1", "migraine", "en", "preferred"),
        TermRow("2", "long", "nl", "preferred"),
    ]
    world = World(tmp_path, [("made", rows)])
    assert world.ids("I have migraine and need a doctor") == {"1"}
    assert world.ids("ik heb al jaren migraine") == {"1"}
    assert world.ids("how long have you been here") == set()


def test_the_plural_of_a_word_is_no_misspelt_term(tmp_path: Path) -> None:
    world = World(tmp_path, [("made", [TermRow("1", "tintelingen", "nl", "preferred")])])
    assert world.candidates("alle huidige instellingen tonen") == []
    assert world.ids("last van tintelinegn") == {"1"}
