"""A qualifier that no term has makes something else of a name that is short for a fuller one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.index.terms_support import World

from dragoman.enrich.pages import page_terms
from dragoman.index.found import Found
from dragoman.index.term_values import QUALIFIED
from dragoman.protocols import ConceptRow, RelationRow, Row, TermRow
from dragoman.readers.deployment import Entity, Taxonomy
from dragoman.text.qualifiers import Qualifiers
from dragoman.text.tokens import Tokens

TERMS = {
    "sugar": (
        "aandoening",
        "nl:diabetes mellitus;nl:diabetes;nl:gestationele suiker;en:diabetes mellitus;en:diabetes",
    ),
    "pressure": ("aandoening", "nl:arteriële hypertensie;nl:hypertensie;en:hypertension"),
    "disc": ("aandoening", "nl:discushernia;nl:rughernia;en:herniated disc"),
    "groin": ("aandoening", "nl:hernia inguinalis"),
    "mind": ("aandoening", "nl:dementie;en:dementia"),
    "node": ("aandoening", "nl:hodgkinlymfoom;nl:ziekte van Hodgkin"),
    "gout": ("aandoening", "nl:jicht;en:gout"),
    "low": ("aandoening", "nl:depressieve stoornis;nl:unipolaire depressie;nl:depressie"),
    "reflux": ("aandoening", "nl:gastro-oesofageale reflux;nl:reflux;en:reflux"),
}
PAGES = {
    "p-sugar": ("Suikerziekte", "sugar", ()),
    "p-pressure": ("Hoge bloeddruk", "pressure", ()),
    "p-disc": ("Hernia in de rug", "disc", ("hernia",)),
    "p-groin": ("Liesbreuk", "groin", ()),
    "p-mind": ("Geheugenziekte", "mind", ()),
    "p-node": ("Lymfeklierziekte", "node", ()),
    "p-gout": ("Jichtaanval", "gout", ()),
    "p-low": ("Neerslachtigheid", "low", ()),
    "p-reflux": ("Maagzuur", "reflux", ()),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    rows: list[Row] = []
    for id_, (tag, terms) in TERMS.items():
        rows.append(ConceptRow(id_, True, tag))
        for place, term in enumerate(terms.split(";")):
            language, _, text = term.partition(":")
            rows.append(TermRow(id_, text, language, "synonym" if place else "preferred"))
    rows.append(RelationRow("mind", "is_a", "mind"))
    entities = [
        Entity(entity_id=id_, type="condition", name=name, concept_ids=(concept,), synonyms=synonyms)
        for id_, (name, concept, synonyms) in PAGES.items()
    ]
    path: Path = tmp_path_factory.mktemp("qualified")
    return World(path, [("made", rows)], Taxonomy(entities=tuple(entities)))


@pytest.mark.parametrize(
    "text",
    [
        "diabetes insipidus",
        "mijn zus heeft diabetes insipidus, wat nu?",
        "wat is pulmonale hypertensie",
        "nefrogene diabetes",
        "PULMONALE HYPERTENSIE",
        "mijn oom heeft een hernia femoralis",
        "portale hypertensie",
        "pulmonale arteriële hypertensie",  # the fuller name, and one thing more
        "I was told that I have pulmonary hypertension",
        "is ocular hypertension dangerous?",
        "mijn broer heeft non-hodgkin",
        "een non-hodgkinlymfoom",
        "pseudo-jicht",
        "pseudo gout",
        "mijn tante is manisch-depressief",
    ],
)
def test_another_qualifier_means_something_else(made: World, text: str) -> None:
    enriched = made.enrich(text).enrichment
    assert enriched.expansions == ()
    assert {o.outcome for o in enriched.concept_outcomes} <= {"no_page"}
    assert made.candidates(text)
    assert all((c.why or "").endswith(QUALIFIED) for c in made.candidates(text))


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("diabetes type 2", "Suikerziekte"),
        ("diabetes melitus", "Suikerziekte"),
        ("diabetes mellitus", "Suikerziekte"),
        ("juveniele diabetes", "Suikerziekte"),
        ("ernstige hypertensie", "Hoge bloeddruk"),
        ("essentiële hypertensie", "Hoge bloeddruk"),
        ("arteriele hypertensie", "Hoge bloeddruk"),
        ("hypertensie, speciaal bij ouderen", "Hoge bloeddruk"),
        ("hypertensie medicatie", "Hoge bloeddruk"),
        ("chronic hypertension", "Hoge bloeddruk"),
        ("lumbale hernia", "Hernia in de rug"),
        ("hernia inguinalis", "Liesbreuk"),
        ("vasculaire dementie", "Geheugenziekte"),  # dementia is short for nothing: a kind of it
        ("frontotemporale dementie", "Geheugenziekte"),
        ("postnatale depressie", "Neerslachtigheid"),
        ("chronisch-depressief", "Neerslachtigheid"),
        ("gastroesophageal reflux", "Maagzuur"),  # the fuller name's own, in another language
    ],
)
def test_kinds_degrees_and_the_names_own_qualifiers_do_not(made: World, text: str, page: str) -> None:
    assert made.added(text) == [page]


def test_a_name_beside_it_qualifies_nothing(made: World) -> None:
    assert made.added("dokter Marinus Hypertensius en hypertensie") == ["Hoge bloeddruk"]


# names that speak of a place, or of the whole body, though they do not say so
PLACED = {
    "pressure": (
        "aandoening",
        "nl:hoge bloeddruk;nl:hypertensie;en:high blood pressure;vi:tăng huyết áp;de:Bluthochdruck",
    ),
    "flu": ("aandoening", "nl:griep;en:flu;vi:cúm;de:Grippe"),
    "stroke": ("aandoening", "nl:beroerte;en:stroke;vi:đột quỵ;de:Schlaganfall"),
    "fever": ("bevinding", "nl:koorts;en:fever;vi:sốt;de:Fieber"),
    "cough": ("bevinding", "nl:hoest;en:cough;vi:ho;de:Husten"),
    "lung": ("lichaamsstructuur", "nl:long;en:lung;vi:phổi;de:Lunge"),
    "belly": ("lichaamsstructuur", "nl:buik;en:belly;vi:bụng;de:Bauch"),
    "obstructed": ("aandoening", "nl:COPD;vi:phổi tắc nghẽn mạn tính"),
    "dengue": ("aandoening", "nl:knokkelkoorts;vi:sốt xuất huyết"),
}


@pytest.fixture(scope="module", params=["nl", "en", "vi", "de"])
def placed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    rows: list[Row] = []
    for id_, (tag, terms) in PLACED.items():
        rows.append(ConceptRow(id_, True, tag))
        for term in terms.split(";"):
            language, _, text = term.partition(":")
            rows.append(TermRow(id_, text, language, "preferred"))
    types = dict.fromkeys(PLACED, "condition") | {"fever": "symptom", "cough": "symptom"}
    entities = [
        Entity(entity_id=f"p-{id_}", type=types[id_], name=f"Page {id_}", concept_ids=(id_,))
        for id_ in PLACED
        if id_ not in {"lung", "belly"}
    ]
    codes = (request.param, *(c for c in ("en", "nl") if c != request.param))
    path: Path = tmp_path_factory.mktemp("placed")
    return World(path, [("made", rows)], Taxonomy(entities=tuple(entities)), codes)


OTHERWHERE = {
    "nl": (
        (
            "hoge bloeddruk in de longen",
            "griep op mijn maag",
            "buikgriep",
            "beroerte in het oog",
            "gele koorts",
            "longhypertensie",
        ),
        (
            ("hoge bloeddruk, en iets in de longen", "pressure"),
            ("hoge bloeddruk door stress", "pressure"),
            ("griep in de winter", "flu"),
            ("beroerte in de familie", "stroke"),
            ("hoge koorts", "fever"),
        ),
    ),
    "en": (
        ("high blood pressure in the lungs", "stomach flu", "heat stroke", "hay fever", "flu in my belly"),
        (
            ("high blood pressure in the morning", "pressure"),
            ("flu in the winter", "flu"),
            ("stroke in the family", "stroke"),
            ("high fever", "fever"),
        ),
    ),
    "vi": (
        (
            "tăng huyết áp phổi",
            "tang huyet ap phoi",
            "tăng huyết áp tĩnh mạch cửa",
            "sốt rét",
            "ho gà",
            "đột quỵ tim",
            "cúm dạ dày",
        ),
        (
            ("tăng huyết áp do căng thẳng", "pressure"),
            ("bị sốt rét run", "fever"),
            ("ho nhiều", "cough"),
            ("đột quỵ não", "stroke"),
            ("sốt xuất huyết", "dengue"),  # a name of its own
            ("tăng huyết áp phổi tắc nghẽn mạn tính", "pressure"),  # two diseases without a comma
        ),
    ),
    "de": (
        ("Bluthochdruck in der Lunge", "Magengrippe", "Schlaganfall im Auge", "gelbes Fieber"),
        (
            ("Bluthochdruck in der Familie", "pressure"),
            ("Grippe im Winter", "flu"),
            ("hohes Fieber", "fever"),
        ),
    ),
}


def test_a_phrase_beside_a_name_makes_another_of_it(placed: World) -> None:
    pages = {f"Page {id_}" for id_ in PLACED}
    for text in OTHERWHERE[placed.packs[0].code][0]:
        assert not pages & set(placed.added(text)), text


def test_other_phrases_leave_it_what_it_is(placed: World) -> None:
    for text, page in OTHERWHERE[placed.packs[0].code][1]:
        assert f"Page {page}" in placed.added(text), text


class NoDrugs:
    """A catalogue without drugs."""

    def match(self, tokens: Tokens, message: int = -1) -> Found:
        return Found()

    def aliases(self, drug_id: str) -> tuple[str, ...]:
        return ()


def test_a_page_is_not_marked_with_what_it_is_not_about(made: World) -> None:
    drugs = NoDrugs()
    text = "Pulmonale hypertensie"
    assert page_terms(f"{text} is zeldzaam.", made.terms, drugs, title=text) == ()
    assert page_terms("Het is niet zeldzaam.", made.terms, drugs, title="Hypertensie") != ()


def test_before_and_behind_are_different_places(made: World) -> None:
    words = Qualifiers(made.packs)
    assert words.qualifies("pulmonale", before=True)
    assert words.qualifies("insipidus", before=False)
    assert not words.qualifies("insipidus", before=True)
    assert not words.qualifies("speciale", before=True)  # frequent
    assert words.qualifies("pulmonary", before=True)  # frequent, and qualifies all the same
    assert not words.qualifies("viraal", before=True)  # harmless
