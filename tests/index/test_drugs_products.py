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
