"""Whose fact it is: only what is said of who takes the drug is kept."""

from __future__ import annotations

import pytest

from dragoman.evidence.persons import bound_to_taker
from dragoman.folder import language
from dragoman.text.tokens import tokenize
from dragoman.types import Span


def kept(code: str, text: str, fact: str, drug: str) -> bool:
    def span(words: str) -> Span:
        return Span(text.index(words), text.index(words) + len(words))

    return bound_to_taker(tokenize(text), language(code), [span(drug)])(span(fact))


OTHERS = [
    ("vi", "mẹ tôi dị ứng penicilin, con tôi uống amoxicilin được không", "penicilin", "amoxicilin"),
    ("vi", "chồng tôi bị suy thận, vợ tôi uống metformin được không", "suy thận", "metformin"),
    ("vi", "tôi nặng 60 kg, con tôi uống amoxicilin liều bao nhiêu", "60 kg", "amoxicilin"),
    ("vi", "bà ngoại bị tiểu đường, cháu uống amoxicilin được không", "tiểu đường", "amoxicilin"),
    ("en", "My mother is allergic to penicillin, can my son take amoxicillin?", "penicillin", "amoxicillin"),
    ("en", "my husband has kidney failure, can my wife take metformin", "kidney failure", "metformin"),
    ("en", "I am allergic to penicillin, may I give amoxicillin to my son", "penicillin", "amoxicillin"),
    ("en", "my son has asthma, can my daughter take ibuprofen", "asthma", "ibuprofen"),
    ("en", "I am allergic to aspirin, can my 5 year old take ibuprofen", "aspirin", "ibuprofen"),
    ("nl", "mijn moeder is allergisch voor penicilline, mag mijn zoon amoxicilline", "penicilline", "amoxicilline"),
    ("nl", "mijn man heeft nierfalen, mag mijn vrouw metformine", "nierfalen", "metformine"),
    (
        "de",
        "meine Mutter ist allergisch gegen Penicillin, darf mein Sohn Amoxicillin nehmen",
        "Penicillin",
        "Amoxicillin",
    ),
    ("de", "mein Mann hat Nierenversagen, darf meine Frau Metformin nehmen", "Nierenversagen", "Metformin"),
]
OWN = [
    ("vi", "con tôi dị ứng aspirin, bé uống ibuprofen được không", "aspirin", "ibuprofen"),
    ("vi", "mẹ tôi bị suy thận, uống ibuprofen được không", "suy thận", "ibuprofen"),
    ("vi", "em bị hen, đang cho bé bú, uống ibuprofen được không", "hen", "ibuprofen"),
    ("vi", "bé trai 5 tuổi bị hen, cho cháu uống ibuprofen được không", "hen", "ibuprofen"),
    ("en", "my son is allergic to amoxicillin, can he take cefalexin", "amoxicillin", "cefalexin"),
    ("en", "my mother has kidney failure, can she take ibuprofen", "kidney failure", "ibuprofen"),
    ("en", "my baby has asthma, can a child take ibuprofen", "asthma", "ibuprofen"),
    ("en", "my son has asthma. Can I give ibuprofen?", "asthma", "ibuprofen"),
    ("en", "I have asthma and am breastfeeding my baby, is ibuprofen safe", "asthma", "ibuprofen"),
    ("en", "I have asthma. I am 30 years old. Is ibuprofen safe?", "asthma", "ibuprofen"),
    ("en", "my 5 year old has asthma, can my son take ibuprofen", "asthma", "ibuprofen"),
    ("nl", "mijn man heeft nierfalen, mag hij metformine", "nierfalen", "metformine"),
    ("nl", "ik heb astma, mag ik ibuprofen", "astma", "ibuprofen"),
    ("de", "mein Sohn ist allergisch gegen Amoxicillin, darf er Cefalexin nehmen", "Amoxicillin", "Cefalexin"),
]


@pytest.mark.parametrize(("code", "text", "fact", "drug"), OTHERS)
def test_what_is_said_of_another_person_is_left_out(code: str, text: str, fact: str, drug: str):
    assert not kept(code, text, fact, drug)


@pytest.mark.parametrize(("code", "text", "fact", "drug"), OWN)
def test_what_is_said_of_the_taker_is_kept(code: str, text: str, fact: str, drug: str):
    assert kept(code, text, fact, drug)


def test_two_takers_leave_out_what_is_said_of_one():
    text = "my son has asthma, my son takes ibuprofen and my daughter takes aspirin"
    spans = [Span(text.index(n), text.index(n) + len(n)) for n in ("ibuprofen", "aspirin")]
    bound = bound_to_taker(tokenize(text), language("en"), spans)
    assert not bound(Span(text.index("asthma"), text.index("asthma") + 6))


def test_without_a_drug_everything_is_kept():
    text = "my mother is allergic to penicillin, and my son?"
    assert bound_to_taker(tokenize(text), language("en"), [])(Span(25, 35))
