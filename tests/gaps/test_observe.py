"""What one turn lacks."""

from __future__ import annotations

import pytest
from tests.gaps import support

from dragoman import Dragoman, Turn
from dragoman.gaps import Missing, observe
from dragoman.pipeline import finish, prepare
from dragoman.types import Message


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Dragoman:
    return support.engine(tmp_path_factory.mktemp("gappy"), more="")


def missing(
    engine: Dragoman, turn: Turn | str, *, without: frozenset[str] = frozenset(), reply: object = None
) -> Missing:
    v = engine.vocabularies
    prepared = prepare(Turn(turn) if isinstance(turn, str) else turn, engine.project, v, without)
    answer = finish(prepared, engine.project, v, reply=reply)  # type: ignore[arg-type]
    return observe(prepared.reading, answer.enrichment, answer.frame, v.terms, v.drugs)


def test_a_concept_without_a_page(engine: Dragoman) -> None:
    assert missing(engine, "ik heb een KNARSVOET").concepts == (("made", "k3", "knarsvoet"),)


def test_a_concept_with_a_page_is_no_gap(engine: Dragoman) -> None:
    assert missing(engine, "ik heb een zwelvoet").size == 0


def test_a_page_that_a_layer_did_not_bring_is_no_gap(engine: Dragoman) -> None:
    assert missing(engine, "ik heb een zwelvoet", without=frozenset({"terminology", "near"})).size == 0


def test_what_is_denied_is_not_asked_for(engine: Dragoman) -> None:
    assert missing(engine, "ik heb geen knarsvoet").concepts == ()


@pytest.mark.parametrize(
    ("said", "listed"),
    [("Morvaxil", "Morvaxil"), ("MORVAXIL", "Morvaxil"), ("plixobrand", None), ("Zorbalin", ...)],
)
def test_a_drug_that_the_catalogue_lacks(engine: Dragoman, said: str, listed: object) -> None:
    found = missing(engine, support.LISTED.format(said)).drugs
    assert [d.listed for d in found] == ([] if listed is ... else [listed])


def test_a_drug_is_counted_once_however_often_it_is_said(engine: Dragoman) -> None:
    assert len(missing(engine, "mag het geneesmiddel Morvaxil, of toch morvaxil 5 mg?").drugs) == 1


def test_a_name_that_only_the_model_took_for_a_drugs(engine: Dragoman) -> None:
    reply = {"turn_type": "practical_info", "unknown_drugs": ["grundel"]}
    assert missing(engine, "helpt grundel daartegen?").drugs == ()
    assert [d.key for d in missing(engine, "helpt grundel daartegen?", reply=reply).drugs] == ["grundel"]


def test_earlier_messages_were_counted_when_they_were_the_turn(engine: Dragoman) -> None:
    turn = Turn("en wat nu?", history=(Message(role="user", text=support.LISTED.format("Morvaxil")),))
    assert missing(engine, turn).drugs == ()


def test_turns_of_one_conversation_are_one_request(engine: Dragoman) -> None:
    first = support.UNLISTED.format("a")
    turn = Turn(support.UNLISTED.format("b"), history=(Message(role="user", text=first),))
    assert missing(engine, turn).request == missing(engine, first).request == first


def test_a_term_between_whose_concepts_nothing_decides(engine: Dragoman) -> None:
    found = missing(engine, "last van WROTEL")
    assert found.ambiguous == (("wrotel", ("made:k4", "made:k5")),)  # in the vocabulary's spelling
    assert found.concepts == ()


def test_a_turn_about_an_animal_lacks_nothing(engine: Dragoman) -> None:
    assert missing(engine, Turn("knarsvoet", subject_scope="veterinary")).size == 0


def test_without_a_catalogue_no_drug_is_missing_from_it() -> None:
    hospital = Dragoman.demo("hospital")
    assert missing(hospital, "mag ik het geneesmiddel plixobrand nemen?").drugs == ()


def test_dyslipidemie_has_no_page_in_the_demo_hospital() -> None:
    found = missing(Dragoman.demo("hospital"), "wat te doen bij dyslipidemie?")
    assert [c.name for c in found.concepts] == ["dyslipidemie"]
