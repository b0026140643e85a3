"""Names that begin or end like another product's, and names of which hyphens are a part."""

from __future__ import annotations

import pytest
from tests.index.drugs_support import Opened, catalog

NAMES = {
    "Acid acetylsalicylic": ("ASA/abbreviation", "Aspirin"),
    "Alteplase": ("rt-PA/generic",),
    "Bisoprolol": ("Concor/brand",),
    "Fluorouracil": ("5-FU/abbreviation",),
    "Mesalazin": ("5-ASA/abbreviation",),
    "Pantoprazol": ("Pantoloc/brand",),
    "Sitagliptin": ("Januvia/brand",),
    "Valsartan": ("Diovan/brand",),
    "Valsartan và amlodipin": ("Exforge/brand", "Diovan AM/brand"),
}


@pytest.fixture(scope="module")
def shelf() -> Opened:
    return Opened(catalog(NAMES))


@pytest.mark.parametrize(
    ("text", "product"),
    [
        ("Diovan HCT tác dụng phụ", "Diovan HCT"),
        ("liều diovan hct", "diovan hct"),
        ("Concor Plus uống lúc nào", "Concor Plus"),
        ("Bisoprolol Plus HCT", "Bisoprolol Plus HCT"),
        ("Januvia Met dùng cho ai", "Januvia Met"),
        ("Co-Pantoloc uống sao", "Co-Pantoloc"),
        ("co-diovan là thuốc gì", "co-diovan"),
        ("Co Diovan dosering", "Co Diovan"),
    ],
)
def test_a_product_named_after_its_part_is_not_the_part(shelf: Opened, text: str, product: str):
    assert shelf.kinds(text) == {}
    assert shelf.unknown(text) == [product]


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("Is Januvia met alcohol gevaarlijk?", "sitagliptin"),
        ("Diovan plus ibuprofen", "valsartan"),
        ("co Diovan khong", "valsartan"),
        ("có Pantoloc không", "pantoprazol"),
        ("Diovan AM uống sáng", "valsartan và amlodipin"),
        ("Concor. Plus nog iets", "bisoprolol"),
        ("Concor AM hay PM?", "bisoprolol"),
        ("take Concor AM or PM", "bisoprolol"),
        ("Concor D: hoe vaak", "bisoprolol"),
    ],
)
def test_ordinary_words_beside_a_name_leave_it_as_it_is(shelf: Opened, text: str, drug: str):
    assert shelf.kinds(text) == {drug: "exact"}


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("5-FU truyền thế nào", "fluorouracil"),
        ("5FU", "fluorouracil"),
        ("5-ASA uống mấy tháng", "mesalazin"),
        ("rt-PA tiêm trong mấy giờ", "alteplase"),
        ("ASA 81 mg", "acid acetylsalicylic"),
    ],
)
def test_a_short_name_with_a_hyphen(shelf: Opened, text: str, drug: str):
    assert list(shelf.kinds(text)) == [drug]


def test_an_abbreviation_that_another_short_word_is_tied_to_is_part_of_another_name(shelf: Opened):
    assert shelf.kinds("4-ASA 500 mg uống sao") == {}


def test_a_sign_on_a_name_is_no_letter_of_it(shelf: Opened):
    for sign in "™®℠":
        assert shelf.kinds(f"Diovan{sign} 80 mg") == {"valsartan": "exact"}


def test_an_abbreviation_that_is_a_word_of_a_language_needs_its_capitals():
    shelf = Opened(catalog({"Macrogol": ("PEG/abbreviation",), "Isoniazid": ("INH/abbreviation",)}))
    assert shelf.kinds("Hang your coat on the peg") == {}
    assert shelf.kinds("PEG uống lúc nào") == {"macrogol": "exact"}
    assert shelf.kinds("inh uống lúc nào") == {"isoniazid": "exact"}


def test_words_of_another_language_do_not_sound_like_a_name():
    shelf = Opened(catalog({"Clindamycin": ("Dalacin T/brand",), "Paracetamol": ()}))
    assert shelf.kinds("I saw Dallas in the paper") == {}
    assert shelf.kinds("pa ra xe ta mon uong may vien") == {"paracetamol": "variant"}


@pytest.fixture(scope="module")
def salts() -> Opened:
    return Opened(catalog(("Atorvastatin", "Cefuroxim", "Kali clorid", "Calci", "Perindopril", "Vitamin D")))


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("atorvastatin calci trihydrat 20mg liều", "atorvastatin"),
        ("atorvastatin trihydrat calci liều dùng", "atorvastatin"),
        ("cefuroxim axetil 500mg uống mấy lần", "cefuroxim"),
        ("cefuroxime axetil 500 mg dosage", "cefuroxim"),
        ("perindopril arginin 5mg", "perindopril"),
        ("perindopril-erbumine 4 mg slikken", "perindopril"),
    ],
)
def test_salts_behind_a_name_are_the_same_drug(salts: Opened, text: str, drug: str):
    assert list(salts.kinds(text)) == [drug]
    assert salts.unknown(text) == []


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("calci 500mg uống sáng", {"calci"}),
        ("atorvastatin, calci 500mg", {"atorvastatin", "calci"}),
        ("atorvastatin và calci 500mg", {"atorvastatin", "calci"}),
        ("vitamin D calci 500mg", {"vitamin d", "calci"}),
        ("perindopril kali clorid uống chung", {"perindopril", "kali clorid"}),
    ],
)
def test_a_salt_of_its_own_is_a_drug(salts: Opened, text: str, drugs: set[str]):
    assert set(salts.kinds(text)) == drugs


def test_the_salt_of_an_unknown_name_is_no_second_unknown_name():
    shelf = Opened(catalog(("Cefixim",), known=("Losartan", "Kali")))
    assert shelf.unknown("losartan kali 50mg") == ["losartan"]
    assert shelf.unknown("losartan và kali 50mg") == ["losartan", "kali"]


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("UỐNG DIOVAN PLUS CONCOR ĐƯỢC KHÔNG", {"valsartan", "bisoprolol"}),
        ("MAG IK DIOVAN MET CONCOR", {"valsartan", "bisoprolol"}),
        ("Diovan Plus Concor", {"valsartan", "bisoprolol"}),
        ("em uống Diovan met quá", {"valsartan"}),
        ("Diovan duo nghĩa là gì", {"valsartan"}),
        ("Diovan am uống sáng", {"valsartan và amlodipin"}),
        ("uống Diovan, Plus vitamin", {"valsartan"}),
        ("Diovan 8 AM", {"valsartan"}),
        ("Diovan 40mg D1-D14", {"valsartan"}),
    ],
)
def test_no_drug_is_lost_to_a_word_that_may_also_join(shelf: Opened, text: str, drugs: set[str]):
    assert set(shelf.kinds(text)) == drugs


def test_what_is_in_a_products_own_words_is_not_named_beside_it():
    shelf = Opened(catalog({"Bisoprolol": ("Concor/brand",), "Hydroclorothiazid": ("HCT/abbreviation",)}))
    for text in ("Concor HCT tác dụng phụ", "Concor Plus HCT tác dụng phụ"):
        assert shelf.kinds(text) == {}
        assert len(shelf.unknown(text)) == 1
    assert set(shelf.kinds("Concor và HCT 25 mg")) == {"bisoprolol", "hydroclorothiazid"}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("one vitamin a day", False),
        ("is one vitamin A a day enough", True),
        ("vitamin A day by day", True),
        ("is vitamin a good for the eyes", True),
    ],
)
def test_an_article_is_no_part_of_a_name(text: str, named: bool):
    opened = Opened(catalog({"Retinol": ("Vitamin A/generic",)}))
    assert (opened.kinds(text) != {}) is named


@pytest.fixture(scope="module")
def esters() -> Opened:
    return Opened(
        catalog(
            {
                "Tenofovir disoproxil": ("tenofovir/generic", "Viread/brand"),
                "Hyoscin butylbromid": ("hyoscin/generic",),
                "Natri valproat": ("valproat/generic",),
                "Pseudoephedrin": ("Sudafed/brand",),
                "Insulin lispro": ("Humalog/brand",),
                "Guaifenesin": ("Mucinex/brand",),
            }
        )
    )


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("tenofovir alafenamid 25 mg", {"tenofovir disoproxil": "fuzzy"}),
        ("tenofovir-alafenamide dosing", {"tenofovir disoproxil": "fuzzy"}),
        ("hyoscin hydrobromid có tác dụng phụ gì", {"hyoscin butylbromid": "fuzzy"}),
        ("tenofovir disoproxil fumarat 300 mg", {"tenofovir disoproxil": "exact"}),
        ("tenofovir 300 mg", {"tenofovir disoproxil": "exact"}),
        ("Viread fumarat", {"tenofovir disoproxil": "exact"}),
        ("valproat natri 200 mg", {"natri valproat": "exact"}),
        ("hyoscin, kali", {"hyoscin butylbromid": "exact"}),
    ],
)
def test_another_salt_than_that_of_the_drugs_own_name_is_a_question(esters: Opened, text: str, match: dict[str, str]):
    found = esters.kinds(text)
    assert found.keys() == match.keys()
    assert {k: "fuzzy" if v == "fuzzy" else "exact" for k, v in found.items()} == match


@pytest.mark.parametrize("text", ["Sudafed PE dose", "Humalog Mix25 tiêm lúc nào", "humalog mix 25", "Mucinex DM"])
def test_a_word_that_may_make_another_product_of_a_brand_is_a_question(esters: Opened, text: str):
    assert set(esters.kinds(text).values()) == {"fuzzy"}
