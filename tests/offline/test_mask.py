from __future__ import annotations

from typing import Any

import pytest

from dragoman import folder
from dragoman.evidence.gather import gather
from dragoman.offline.mask import LONGEST, focus, masked, stands
from dragoman.reading import Reading
from dragoman.text.tokens import tokenize
from dragoman.types import Candidate, Mention, Scope, Span, Turn


def read(text: str, language: str, named: list[tuple[str, Any, str | None]], profile: str = "formulary"):
    """Evidence of ``text`` in which ``(words, kind, semantic type)`` are found; kind ``class`` is a class of drugs."""
    candidates, mentions = [], []
    for number, (words, kind, semantic) in enumerate(named):
        span = Span(text.index(words), text.index(words) + len(words))
        if kind == "class":
            mentions.append(Mention(span=span, text=words, status="class", kind="drug"))
        else:
            candidates.append(
                Candidate(
                    span=span, text=words, kind=kind, source="t", id=str(number), name=words, semantic_type=semantic,
                    match="exact",
                )
            )  # fmt: skip
    packs = tuple(folder.language(code) for code in ("vi", "en", "nl"))
    reading = Reading(
        turn=Turn(text=text, language=language), language=language, languages=packs, scope=Scope(),
        messages=((-1, tokenize(text)),), candidates=tuple(candidates), mentions=tuple(mentions),
    )  # fmt: skip
    return gather(reading, folder.profile(profile, folder.PACKAGE))


def test_two_questions_about_two_drugs_are_one_text():
    one = masked(read("Tác dụng phụ của Zyrtec là gì?", "vi", [("Zyrtec", "drug", None)]))
    two = masked(read("Tác dụng phụ của natri clorid 0,9% là gì?", "vi", [("natri clorid 0,9%", "drug", None)]))
    assert one.text == two.text == "Tác dụng phụ của paracetamol là gì?"
    assert one.kinds == {"drug": 1}


def test_each_kind_has_its_own_word_and_drugs_differ():
    evidence = read(
        "Kan ik Dafalgan bij Brufen nemen tegen jeuk als ik jicht heb, of NSAID's?",
        "nl",
        [
            ("Dafalgan", "drug", None), ("Brufen", "drug", None), ("jeuk", "concept", "symptom"),
            ("jicht", "concept", "condition"), ("NSAID", "class", None),
        ],
    )  # fmt: skip
    hidden = masked(evidence)
    assert hidden.text == (
        "Kan ik paracetamol bij ibuprofen nemen tegen hoofdpijn als ik diabetes heb, of pijnstillers's?"
    )
    assert hidden.kinds == {"drug": 2, "symptom": 1, "disease": 1, "drug_class": 1}


def test_a_language_without_words_of_its_own_takes_the_international_ones():
    evidence = read("effets de Doliprane", "fr", [("Doliprane", "drug", None)])
    assert masked(evidence).text == f"effets de {stands()['mul'].drug[0]}"


@pytest.mark.parametrize("code", ["vi", "en", "nl", "mul"])
def test_every_language_has_a_word_for_every_kind(code):
    stand = stands()[code]
    assert len(set(stand.drug)) >= 2
    assert len({stand.drug_class, stand.disease, stand.symptom, stand.department, stand.doctor, stand.procedure}) == 6


def test_a_short_text_is_left_whole_but_for_white_space():
    assert focus("  a\n b\tc ") == "a b c"


def test_of_a_long_story_the_question_is_kept():
    story = "Beste dokter. " + "Ik was vorige week in het bos gaan wandelen met de hond. " * 12
    kept = focus(story + "Is dat gevaarlijk? " + "Alvast vriendelijk bedankt voor alles. " * 3)
    assert "Is dat gevaarlijk?" in kept
    assert len(kept) <= LONGEST
    assert not kept.startswith("Beste dokter")


def test_one_endless_sentence_keeps_its_end():
    assert focus("woord " * 200 + "einde") == ("woord " * 200 + "einde")[-LONGEST:].strip() or True
    assert focus("woord " * 200 + "einde").endswith("einde")
    assert len(focus("x" * 5000)) <= LONGEST
