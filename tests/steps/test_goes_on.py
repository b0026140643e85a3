"""Turns that go on with the one before: with what it named, or with a name that takes the place of one."""

from __future__ import annotations

from typing import Any

import pytest
from tests.steps.readings import FORMULARY, HOSPITAL, frame

from dragoman.types import QueryFrame

GOUT: dict[str, Any] = {
    "turn_type": "condition_info",
    "condition": {"name": "Jicht", "concept_ids": ["c1"]},
    "entities": {"conditions": ["podagra"]},
}
GOUT_SAID = "user: Wat is {podagra=c1}?"
DOSE: dict[str, Any] = {
    "turn_type": "dosing_calc",
    "drugs": ["cefixim"],
    "attribute": "lieu_luong",
    "population": "tre_em",
    "weight_kg": 17.0,
}
PAIR: dict[str, Any] = {"turn_type": "interaction", "drugs": ["digoxin", "amiodaron"], "attribute": "tuong_tac_thuoc"}


def after_gout(text: str, prior: dict[str, Any] = GOUT, said: str = GOUT_SAID) -> QueryFrame:
    return frame(text, said, prior=prior, where=HOSPITAL)


@pytest.mark.parametrize(
    ("text", "turn_type"),
    [
        ("En bij welke dienst kan ik daarmee terecht?", "department_lookup"),
        ("Waar moet hij dan naartoe?", "department_lookup"),
        ("Naar welke dokter moeten we dan?", "department_lookup"),
        ("Wie kan me daarmee helpen?", "department_lookup"),
        ("Who can help him with that?", "department_lookup"),
        ("Welke artsen behandelen dat?", "doctor_lookup"),
        ("Wie zijn daar de dokters?", "doctor_lookup"),
        ("Hoe wordt dat behandeld?", "condition_info"),
        ("Is het besmettelijk?", "condition_info"),
        ("Wat kan ik ertegen doen?", "condition_info"),
        ("Which department treats it?", "department_lookup"),
        ("Where should she go then?", "department_lookup"),
        ("Is that contagious?", "condition_info"),
    ],
)
def test_a_follow_up_is_of_the_condition_before(text: str, turn_type: str) -> None:
    got = after_gout(text)
    assert got.turn_type == turn_type
    assert got.depends_on_previous_turn
    assert got.condition is not None
    assert got.condition.concept_ids == ("c1",)
    assert got.entities.conditions == ("podagra",)


def test_the_concept_before_counts_though_its_name_is_not_the_persons() -> None:
    got = after_gout("Is dat erfelijk?", {**GOUT, "entities": {}})
    assert got.condition is not None
    assert got.condition.name == "c1"  # the concept's own name, whatever the caller called it


def test_what_nobody_named_before_is_not_gone_on_with() -> None:
    made_up = {
        "turn_type": "condition_info",
        "condition": {"name": "Lepra", "concept_ids": ["c9"]},
        "entities": {"conditions": ["lepra"], "procedures": ["amputatie"]},
    }
    got = after_gout("Welke artsen behandelen dat?", made_up)
    assert got.condition is None
    assert got.entities.conditions == got.entities.procedures == ()


@pytest.mark.parametrize(
    "text", ["Iets anders: waar kan ik parkeren?", "Dank u, dat volstaat", "Is dit ziekenhuis op zondag open?"]
)
def test_what_does_not_go_on_has_nothing_of_it(text: str) -> None:
    got = after_gout(text)
    assert got.condition is None
    assert got.entities.conditions == ()


def test_a_condition_of_the_turn_s_own_is_the_only_one() -> None:
    got = after_gout("En bij welke dienst met {astma=c2}?")
    assert got.entities.conditions == ("astma",)
    assert got.condition is None


@pytest.mark.parametrize("text", ["Sorry, ik bedoelde {eczeem=c2}", "Ik vergis me, het was {eczeem=c2}"])
def test_another_condition_in_its_place(text: str) -> None:
    got = after_gout(text, {**GOUT, "turn_type": "department_lookup"}, "user: Welke dienst behandelt {podagra=c1}?")
    assert got.turn_type == "department_lookup"
    assert got.entities.conditions == ("eczeem",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Nee sorry, ik bedoelde [cefaclor]", "user: Hoeveel [cefixim] voor mijn kind van 17 kg?"),
        ("Oops, I meant [cefaclor]", "user: How much [cefixim] for my child of 17 kg?"),
        ("Ý em là [cefaclor] cơ, không phải [cefixim]", "user: Bé 17 kg uống [cefixim] liều nào?"),
        ("nham roi, toi hoi [cefaclor] chu khong phai [cefixim]", "user: be 17 kg uong [cefixim] lieu nao"),
    ],
)
def test_another_drug_in_its_place_is_asked_the_same(text: str, said: str) -> None:
    got = frame(text, said, prior=DOSE, where=FORMULARY)
    assert got.drugs == ("cefaclor",)
    assert (got.turn_type, got.attribute, got.weight_kg) == ("dosing_calc", "lieu_luong", 17.0)


@pytest.mark.parametrize(
    ("text", "drugs", "attribute"),
    [
        ("Ý em là tác dụng phụ của [cefaclor]", ("cefaclor",), "tac_dung_khong_mong_muon"),
        ("Lỡ uống nhầm [cefaclor]", ("cefaclor",), "qua_lieu"),
        ("Ca mới: ý tôi là [cefaclor]", ("cefaclor",), None),
    ],
)
def test_a_question_of_its_own_takes_nothing_over(text: str, drugs: tuple[str, ...], attribute: str | None) -> None:
    got = frame(text, "user: Bé 17 kg uống [cefixim] liều nào?", prior=DOSE, where=FORMULARY)
    assert (got.drugs, got.attribute, got.weight_kg) == (drugs, attribute, None)


def test_one_of_two_is_replaced_where_it_is_told_which() -> None:
    said = "user: Does [digoxin] interact with [amiodaron]?"
    got = frame("Sorry, I meant [sotalol], not [amiodaron]", said, prior=PAIR, where=FORMULARY)
    assert got.drugs == ("digoxin", "sotalol")
    assert frame("Sorry, I meant [sotalol]", said, prior=PAIR, where=FORMULARY).drugs == ("sotalol",)


@pytest.mark.parametrize(
    "text", ["What if I add [sotalol]?", "En als ik er ook [sotalol] bij neem?", "thêm cả [sotalol] vào nữa thì sao?"]
)
def test_a_third_joins_the_two(text: str) -> None:
    got = frame(text, "user: Does [digoxin] interact with [amiodaron]?", prior=PAIR, where=FORMULARY)
    assert got.turn_type == "interaction"
    assert set(got.drugs) == {"digoxin", "amiodaron", "sotalol"}


@pytest.mark.parametrize(
    "text",
    [
        "Oeps, ze weegt 15 kg in plaats van 17 kg",
        "15 kg, en niet 17 kg",
        "She is 15 kg, not 17 kg",
        "Bé nặng 15 kg chứ không phải 17 kg",
    ],
)
def test_a_weight_that_is_taken_back_is_none(text: str) -> None:
    assert frame(text, "user: Bé 17 kg uống [cefixim] liều nào?", prior=DOSE, where=FORMULARY).weight_kg == 15.0


def test_an_age_that_is_taken_back_is_none() -> None:
    got = frame("Bé 3 tuổi chứ không phải 13 tuổi uống [cefixim] được không?", where=FORMULARY)
    assert got.age_text == "3 tuổi"


@pytest.mark.parametrize("text", ["En waar wordt dat gedaan?", "Where is that done?"])
def test_the_way_to_a_procedure_before(text: str) -> None:
    prior = {"turn_type": "procedure_info", "entities": {"procedures": ["gastroscopie"]}}
    got = after_gout(text, prior, "user: Wat is een {!gastroscopie}?")
    assert got.turn_type == "department_lookup"
    assert got.entities.procedures == ("gastroscopie",)


@pytest.mark.parametrize("text", ["Welke artsen werken daar?", "Which doctors work there?"])
def test_the_doctors_of_a_department_before(text: str) -> None:
    prior = {"turn_type": "department_lookup", "entities": {"departments": ["Urologie"]}}
    got = after_gout(text, prior, "user: Waar is de dienst {@Urologie}?")
    assert got.turn_type == "doctor_lookup"
    assert got.entities.departments == ("Urologie",)


def test_there_is_is_no_there() -> None:
    assert after_gout("Is there wifi?").entities.conditions == ()
