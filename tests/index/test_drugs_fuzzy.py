"""Which words are near to which."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA
from tests.index.drugs_support import Opened, catalog

from dragoman.index.arrays import Part, Writer
from dragoman.index.drugs_fuzzy import (
    CATALOGUE,
    ELSEWHERE,
    WRITTEN,
    Near,
    NearIndex,
    allowed,
    fingerprints,
    has_fingerprint,
    safest,
    write_near,
)

letters = st.text("abcdeilmnoprst", min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("word", "other", "most"),
    [
        ("omperazol", "omeprazol", 2),  # two letters swapped
        ("losartin", "losartan", 2),  # the consonants agree
        ("xeljanx", "xeljanz", -1),  # a consonant that is another one, in a short word
        ("lorazepan", "lorazepam", 1),  # and in a long one
        ("asprin", "aspirin", 1),
        ("lasix", "lasux", 1),
        ("lasix", "lasit", -1),  # five letters: only vowels
        ("bmoxicilin", "amoxicilin", -1),  # another first letter
        ("aspirinol", "aspirin", -1),  # an ending added
        ("prednison", "prednisolon", -1),  # two letters between
    ],
)
def test_allowed(word: str, other: str, most: int):
    assert allowed(word, other) == most
    assert allowed(other, word) == most


@given(letters, letters)
def test_nearness_is_the_same_in_both_directions(a: str, b: str):
    assert allowed(a, b) == allowed(b, a)


@given(st.lists(letters, min_size=1, max_size=12, unique=True), letters)
def test_the_table_finds_all_that_a_scan_finds(words: list[str], asked: str):
    words = [w for w in words if len(w) >= 5]
    with TemporaryDirectory() as folder:
        write_near(Writer(Path(folder)), {(w, w): CATALOGUE for w in words})
        found = {n.key for n in NearIndex(Part(Path(folder))).find(asked, asked)}
    scanned = {w for w in words if len(asked) >= 5 and OSA.distance(asked, w) <= allowed(asked, w)}
    assert found == scanned


def test_a_word_is_also_found_as_it_is_written(tmp_path: Path):
    write_near(
        Writer(tmp_path), {("metotrexat", "metotrexat"): CATALOGUE, ("methotrexate", "metotrexat"): CATALOGUE | WRITTEN}
    )
    index = NearIndex(Part(tmp_path))
    assert [n.key for n in index.find("metrexat", "methtrexate")] == ["metotrexat"]
    assert index.find("metrexat", "metrexat") == []


SLIPS = ("Cefdinir", "Docetaxel", "Glucosamine", "Methotrexat", "Norfloxacin", "Phenoxymethylpenicilin", "Quetiapin")


@pytest.fixture(scope="module")
def slips() -> Opened:
    return Opened(catalog({**dict.fromkeys(SLIPS, ()), "Ceftazidim": ("Aciclovir phức hợp",)}, known=("Docetaxan",)))


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("doceatxel", "docetaxel"),
        ("docteaxel", "docetaxel"),  # the c comes before another letter
        ("dcoetaxel", "docetaxel"),
        ("norfloxaicn", "norfloxacin"),
        ("norfloxacni", "norfloxacin"),
        ("glucosmaine", "glucosamine"),
        ("glucosamien", "glucosamine"),
        ("methotrexta", "methotrexat"),
        ("metohtrexat", "methotrexat"),  # the th is parted
        ("metohtrexate", "methotrexat"),
        ("methtrexat", "methotrexat"),  # and made another one's
        ("phneoxymethylpenicilin", "phenoxymethylpenicilin"),
        ("pehnoxymethylpenicilin", "phenoxymethylpenicilin"),
        ("queitapin", "quetiapin"),
        ("qeutiapin", "quetiapin"),
        ("quetiapni", "quetiapin"),
        ("cfedinir", "cefdinir"),
        ("cfdinir", "cefdinir"),  # a letter left out
        ("clfdinir", "cefdinir"),  # another one
        ("cfedinire", "cefdinir"),  # beside an ending that a rule takes off
        ("ceftzaidim", "ceftazidim"),
        ("acciclovir phức hợp", "ceftazidim"),  # in one of several words
        ("aicclovir phức hợp", "ceftazidim"),
    ],
)
def test_a_slip_that_changes_what_the_rules_read_is_one_slip(slips: Opened, text: str, drug: str):
    assert drug in slips.kinds(text)
    assert set(slips.kinds(text).values()) <= {"fuzzy", "variant"}


@pytest.mark.parametrize(
    "text",
    [
        "kfedinir",
        "kefdinir",
        "docteaxan",
        "docteaxelol",
        "norfloxaicnum",
        "cfednri",
        "prodocteaxel",
        "odcetaxel",
        "docteaxla",
    ],
)
def test_the_plain_form_is_as_strict(slips: Opened, text: str):
    assert slips.kinds(text) == {}


@pytest.mark.parametrize(("text", "drug"), [("cetoprofen", "ketoprofen"), ("cetamine", "ketamin")])
def test_a_soft_c_may_stand_for_a_k(text: str, drug: str):
    opened = Opened(catalog({"Ketoprofen": (), "Ketamin": ()}))
    assert opened.kinds(text) == {drug: "fuzzy"}


def test_a_nearer_name_elsewhere_takes_all_away():
    near = [Near("abcdef", 2, CATALOGUE), Near("abcdeg", 1, ELSEWHERE)]
    assert safest(near) == []
    assert safest([Near("abcdef", 1, CATALOGUE), Near("abcdeg", 1, ELSEWHERE)]) == [Near("abcdef", 1, CATALOGUE)]
    assert safest([Near("abcdef", 1, ELSEWHERE)]) == []


@given(st.sets(letters), letters)
def test_fingerprints(words: set[str], asked: str):
    table = memoryview(fingerprints(sorted(words)))
    assert all(has_fingerprint(table, word) for word in words)
    assert has_fingerprint(table, asked) == (asked in words)
