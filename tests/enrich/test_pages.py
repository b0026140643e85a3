from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.enrich.pages import MOST, page_terms
from dragoman.index.build import build
from dragoman.index.store import open_place
from dragoman.project import load
from dragoman.text.tokens import fold_key
from dragoman.vocabularies import Vocabularies

PROJECT = """
[project]
profile = "hospital"
languages = ["nl", "en"]

[[terminology]]
name = "t"
format = "csv"
path = "terms/"

[catalog]
drugs = "drugs.csv"
aliases = "aliases.csv"

[taxonomy]
entities = "entities.csv"
"""
TERMS = """concept_id,term,language,type,active
1,nefrolithiase,nl,preferred,1
1,nierstenen,nl,lay,1
1,niersteenlijden,nl,synonym,1
1,kidney stones,en,synonym,1
1,renal calculus,en,preferred,1
2,koliek,nl,preferred,1
2,buikkramp,nl,lay,1
3,aandoening van de nier,nl,preferred,1
4,urticaria,nl,preferred,1
4,galbulten,nl,lay,1
"""
ENTITIES = """entity_id,type,name,language,status,concept_ids,synonyms,url
e-1,condition,Netelroos,nl,published,4,,
e-2,department,Nierziekten,nl,published,3,nefrologie|nierarts,
"""
DRUGS = "drug_id,name\nx-1,diclofenac\n"
ALIASES = "drug_id,alias,kind\nx-1,Voltaren,brand\nx-1,Voltaren 50mg,brand\nx-1,Cataflam,brand\n"


@pytest.fixture(scope="module")
def vocabularies(tmp_path_factory: pytest.TempPathFactory) -> Vocabularies:
    base: Path = tmp_path_factory.mktemp("pages")
    (base / "terms").mkdir()
    for name, text in (
        ("dragoman.toml", PROJECT),
        ("terms/terms.csv", TERMS),
        ("entities.csv", ENTITIES),
        ("drugs.csv", DRUGS),
        ("aliases.csv", ALIASES),
    ):
        (base / name).write_text(text, "utf-8")
    project = load(base)
    build(project)
    return Vocabularies(open_place(project.index), project)


def terms(vocabularies: Vocabularies, text: str, title: str | None = None, most: int = MOST) -> tuple[str, ...]:
    return page_terms(text, vocabularies.terms, vocabularies.drugs, title=title, most=most)


def test_the_terms_of_what_the_title_names_laypersons_words_first(vocabularies: Vocabularies):
    found = terms(vocabularies, "Stenen die in de nier ontstaan.", "Nefrolithiase")
    assert found[0] == "nierstenen"
    assert set(found) == {"nierstenen", "nefrolithiase", "niersteenlijden", "kidney stones", "renal calculus"}


def test_without_a_title_the_first_sentence_is_one(vocabularies: Vocabularies):
    assert "nierstenen" in terms(vocabularies, "Wat is nefrolithiase? Dat zijn stenen.")
    assert "nierstenen" in terms(vocabularies, "Nefrolithiase\nDat zijn stenen.")


def test_where_the_title_names_nothing_what_the_text_names_most_counts(vocabularies: Vocabularies):
    text = "Nefrolithiase doet pijn. Nefrolithiase geeft soms een koliek. Drink veel bij nefrolithiase."
    found = terms(vocabularies, text, "Over deze klacht")
    assert "nierstenen" in found
    assert "buikkramp" not in found
    assert terms(vocabularies, "Soms is nefrolithiase de oorzaak.", "Over deze klacht") == ()


def test_a_title_that_names_something_decides(vocabularies: Vocabularies):
    text = "Nefrolithiase geeft een koliek. Nefrolithiase. Nefrolithiase."
    assert terms(vocabularies, text, "Koliek") == ("buikkramp", "koliek")


def test_an_entity_brings_the_terms_of_its_concept_a_department_only_its_own(vocabularies: Vocabularies):
    assert set(terms(vocabularies, "", "Netelroos")) == {"Netelroos", "urticaria", "galbulten"}
    assert set(terms(vocabularies, "", "Nierziekten")) == {"Nierziekten", "nefrologie", "nierarts"}


def test_a_drug_brings_its_names_without_strengths(vocabularies: Vocabularies):
    assert terms(vocabularies, "", "Diclofenac") == ("diclofenac", "Voltaren", "Cataflam")


def test_bounded_and_shared_between_subjects(vocabularies: Vocabularies):
    assert len(terms(vocabularies, "", "Nefrolithiase", most=2)) == 2
    found = terms(vocabularies, "", "Nefrolithiase en koliek", most=3)
    assert len(found) == 3
    assert {"nierstenen", "buikkramp"} <= set(found)
    assert terms(vocabularies, "", "Nefrolithiase", most=0) == ()


def test_what_names_nothing_gets_nothing(vocabularies: Vocabularies):
    assert terms(vocabularies, "Parkeren kan achter het gebouw.", "Parkeren") == ()
    assert terms(vocabularies, "") == ()


@given(
    st.lists(st.sampled_from(["nefrolithiase", "koliek", "Diclofenac", "nier", " ", ". ", "\n", "é", "x"])).map("".join)
)
def test_terms_are_few_and_different(vocabularies: Vocabularies, text: str):
    found = terms(vocabularies, text, most=3)
    assert len(found) <= 3
    assert len({fold_key(t) for t in found}) == len(found)
    assert found == terms(vocabularies, text, most=3)
