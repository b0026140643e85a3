"""What stands right beside a name: other substances, words that make another product of it, forms run on to it."""

from __future__ import annotations

import pytest
from tests.index.drugs_support import Opened, catalog

NAMES = {
    "Amoxicilin": ("amoxicillin", "Amoxil/brand"),
    "Amlodipin": ("amlodipine",),
    "Diclofenac": (),
    "Hydrocortison": (),
    "Ibuprofen": ("Advil/brand",),
    "Insulin aspart": ("insulin aspart",),
    "Insulin glargin": ("insulin glargine",),
    "Paracetamol": ("Panadol/brand", "Tylenol/brand"),
    "Albumin": ("human albumin",),
}
CODES = ("vi", "en", "nl", "de", "mul")


@pytest.fixture(scope="module")
def shelf() -> Opened:
    return Opened(catalog(NAMES), CODES)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("amoxicillin clavulanate dose", "clavulanate"),
        ("amoxicilline clavulanaat dosering", "clavulanaat"),
        ("Amoxicillin/Clavulanat Dosis", "Clavulanat"),
        ("liều amoxicilin/clavulanat", "clavulanat"),
        ("paracetamol + phenacetin uống được không", "phenacetin"),
        ("paracetamol/xyladrin", "xyladrin"),
    ],
)
def test_a_substance_beside_a_name_that_the_catalogue_lacks_is_said_to_be_unknown(
    shelf: Opened, text: str, missing: str
):
    assert missing in shelf.unknown(text)


@pytest.mark.parametrize(
    "text",
    [
        "paracetamol side effects",
        "paracetamol/koorts",
        "ibuprofen medicine for pain",
        "paracetamol + water",
        "amlodipin bijwerkingen",
        "Ibuprofen Nebenwirkungen",
        "paracetamol/ngày mấy viên",
        "amoxicilin trihydrat 500 mg",
    ],
)
def test_an_ordinary_word_beside_a_name_is_no_substance(shelf: Opened, text: str):
    assert shelf.unknown(text) == []
    assert set(shelf.kinds(text).values()) <= {"exact", "variant"}
    assert shelf.kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "dose of Advil PM",
        "Panadol Night uống mấy viên",
        "Tylenol Flu kids",
        "Panadol Extra dosering",
        "Panadol Nacht innemen",
        "Panadol Grippe Dosis",
    ],
)
def test_a_brand_with_a_word_of_another_product_is_that_product(shelf: Opened, text: str):
    assert shelf.kinds(text) == {}
    assert len(shelf.unknown(text)) == 1


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("tylenol pm side effects", "paracetamol"),
        ("advil cold and sinus", "ibuprofen"),
        ("panadol cảm cúm liều dùng", "paracetamol"),
        ("panadol griep innemen", "paracetamol"),
        ("panadol grippe nehmen", "paracetamol"),
        ("paracetamol forte kopen", "paracetamol"),
        ("Ibuprofen forte liều dùng", "ibuprofen"),
    ],
)
def test_words_that_may_make_another_product_make_a_question(shelf: Opened, text: str, drug: str):
    assert shelf.kinds(text) == {drug: "fuzzy"}
    (candidate,) = shelf.found(text).candidates
    assert candidate.why == "what follows may make another product of it"


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("paracetamol extra nemen", {"paracetamol"}),
        ("paracetamol và ibuprofen", {"paracetamol", "ibuprofen"}),
        ("ibuprofen plus paracetamol", {"paracetamol", "ibuprofen"}),
        ("panadol plus iets anders", {"paracetamol"}),
        ("paracetamol at night", {"paracetamol"}),
        ("Tylenol Extra Strength dose", {"paracetamol"}),
        ("paracetamol voor de nacht", {"paracetamol"}),
        ("paracetamol cold water", {"paracetamol"}),
        ("take Advil PM or AM", {"ibuprofen"}),
    ],
)
def test_words_that_make_no_other_product(shelf: Opened, text: str, drugs: set[str]):
    kinds = shelf.kinds(text)
    assert set(kinds) == drugs
    assert set(kinds.values()) == {"exact"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("insulin glulisine dose", "insulin glulisine"),
        ("liều insulin degludec", "insulin degludec"),
        ("Insulin detemir Dosis", "Insulin detemir"),
    ],
)
def test_a_member_of_a_class_that_the_catalogue_lacks_is_unknown(shelf: Opened, text: str, name: str):
    assert shelf.unknown(text) == [name]
    assert shelf.kinds(text) == {}


@pytest.mark.parametrize(
    "text", ["insulin injection site", "tiêm insulin buổi sáng", "insuline spuiten", "insulin and exercise"]
)
def test_a_class_before_an_ordinary_word_stays_a_class(shelf: Opened, text: str):
    assert shelf.unknown(text) == []


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("Ibuprofensaft für mein Kind", "ibuprofen"),
        ("Paracetamolzäpfchen", "paracetamol"),
        ("paracetamolzetpil", "paracetamol"),
        ("ibuprofentabletten bijwerkingen", "ibuprofen"),
        ("amoxicillinesiroop", "amoxicilin"),
        ("Diclofenacsalbe", "diclofenac"),
        ("hydrocortisoncrème", "hydrocortison"),
        ("Ibuprofentabletten 400 mg", "ibuprofen"),
    ],
)
def test_a_name_with_the_noun_of_its_form_run_on(shelf: Opened, text: str, drug: str):
    assert shelf.kinds(text) == {drug: "variant"}
    assert shelf.unknown(text) == []


def test_a_name_that_the_catalogue_lacks_is_unknown_with_its_form_too():
    shelf = Opened(catalog(("Ibuprofen",), known=("Naproxen",)), CODES)
    assert shelf.unknown("naproxentabletten bijwerkingen") == ["naproxentabletten"]


def test_another_ending_is_no_form(shelf: Opened):
    assert shelf.kinds("paracetamolvergiftiging") == {}
    assert shelf.kinds("ibuprofenallergie") == {}


@pytest.mark.parametrize(
    "text",
    [
        "creatinin 2 mg/dl uống metformin",
        "triglycerid 3.2 mmol/L",
        "ferritine 12 ug/L",
        "Kreatinin 2 mg/dl",
        "creatinine 150 umol/l",
        "fibrinogen 2 g/l",
    ],
)
def test_a_laboratory_value_is_no_unknown_drug(text: str):
    shelf = Opened(catalog(("Metformin",), known=("Fibrinogen",)), CODES)
    assert shelf.unknown(text) == []


def test_what_the_catalogue_has_is_found_whatever_a_laboratory_measures(shelf: Opened):
    assert shelf.kinds("human albumin 20 g/l") == {"albumin": "exact"}
    known = Opened(catalog(("Metformin",), known=("Fibrinogen",)), CODES)
    assert known.unknown("fibrinogen 2 g tiêm") == ["fibrinogen"]


def test_a_name_that_dictionaries_have_is_told_beside_evidence(shelf: Opened):
    assert shelf.unknown("citalopram 20 mg") == ["citalopram"]
    assert shelf.unknown("citalopram dose") == ["citalopram"]
