"""Bounds: what a reply or a prior frame may say of what the person wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.steps.readings import result

from dragoman.evidence.words import Place
from dragoman.evidence.words import places as words_places
from dragoman.steps import bound
from dragoman.text.tokens import Tokens

TYPE = {"turn_type": "drug_attribute", "attribute": "lieu_luong"}


def drugs(text: str, *named: Any, **more: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found = result(text, reply={**TYPE, "drugs": list(named), **more}).frame
    return found.drugs, found.unknown_drugs


@pytest.mark.parametrize("said", ["acid_folic", "acid folic", "Acid_Folic", "ACID FOLIC", "acid-folic"])
def test_an_id_is_known_in_other_forms(said: str) -> None:
    assert drugs("liều [acid folic]?", said) == (("acid_folic",), ())
    assert drugs("liều [acid folic]?", {"drug_id": said, "text": "acid folic"}) == (("acid_folic",), ())


def test_a_display_name_stands_for_its_id() -> None:
    assert drugs("liều [Panadol=paracetamol]?", "Paracetamol") == (("paracetamol",), ())


def test_a_name_that_also_begins_a_longer_one_is_found_where_it_stands_alone() -> None:
    text = "[Xyz Plus=xyz_va_abc] khác [Xyz=xyz] ra sao?"
    named = [{"drug_id": "xyz_va_abc", "text": "Xyz Plus"}, {"drug_id": "xyz", "text": "Xyz"}]
    assert drugs(text, *named) == (("xyz_va_abc", "xyz"), ())


def test_a_name_said_many_times_is_placed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time it would be looked for in every place: seconds, in the service's event loop, for 4,000 characters."""
    looked: list[str] = []

    def places(words: str, messages: Sequence[tuple[int, Tokens]]) -> Iterator[Place]:
        looked.append(words)
        return words_places(words, messages)

    monkeypatch.setattr(bound, "places", places)
    named = [{"drug_id": "paracetamol", "text": "Panadol"}] * 50
    assert drugs("[Panadol=paracetamol] " * 50, *named) == (("paracetamol",), ())
    assert looked == ["Panadol"]


def test_an_id_that_was_not_shown_becomes_the_words_that_named_it() -> None:
    assert drugs("liều aspirinol?", {"drug_id": "aspirin", "text": "aspirinol"}) == ((), ("aspirinol",))
    assert drugs("liều Aspirinol?", "aspirin") == ((), ("Aspirinol",))
    assert drugs("liều [warfarin] và Xyzol?", "warfarin", "xyzol") == (("warfarin",), ("Xyzol",))


def test_a_shown_id_in_words_that_do_not_name_it_is_not_taken() -> None:
    found = drugs("liều [warfarin] và warfex?", {"drug_id": "warfarin", "text": "warfex"})
    assert found == ((), ("warfex",))


def test_a_drug_of_the_catalogue_that_nobody_wrote_is_dropped() -> None:
    found = result("đau đầu uống gì?", reply={**TYPE, "drugs": ["ibuprofen"]})
    assert found.frame.drugs == ()
    assert found.frame.unknown_drugs == ()
    assert any("not shown" in (row.note or "") for row in found.trace)


def test_a_known_name_outside_the_catalogue_is_unknown_whatever_the_model_says() -> None:
    assert drugs("liều [?rivaroxaban]?") == ((), ("rivaroxaban",))


def test_a_name_called_unknown_that_the_catalogue_has_is_the_drug() -> None:
    assert drugs("liều [Panadol=paracetamol]?", unknown_drugs=["panadol"]) == (("paracetamol",), ())


def test_an_unknown_name_that_nobody_wrote_is_dropped() -> None:
    assert drugs("liều [warfarin]?", "warfarin", unknown_drugs=["foobarol"]) == (("warfarin",), ())


def test_a_fuzzy_drug_needs_a_model_that_was_shown_it() -> None:
    assert drugs("liều [~omperazol=omeprazol]?", "omeprazol") == (("omeprazol",), ())
    assert result("liều [~omperazol=omeprazol]?").frame.drugs == ()


def test_two_drugs_for_the_same_words_are_a_question() -> None:
    found = result("liều [~prednison=prednisolon|prednisone]?", reply={**TYPE, "drugs": ["prednisolon", "prednisone"]})
    assert found.frame.drugs == ()
    assert found.frame.needs_clarify
    assert found.frame.clarify_reason == "drug_name"
    assert {p.id for p in found.frame.pending} == {"prednisolon", "prednisone"}


def test_a_drug_that_only_the_assistant_wrote_is_not_the_persons() -> None:
    found = result("còn liều?", "user: đau đầu", "bot: dùng [ibuprofen]", reply={**TYPE, "drugs": ["ibuprofen"]})
    assert found.frame.drugs == ()


def test_a_drug_that_the_turn_sets_aside_is_not_asked_about_whatever_the_model_says() -> None:
    text = "không phải [warfarin] mà là [aspirin], liều bao nhiêu?"
    assert drugs(text, "warfarin", "aspirin") == (("aspirin",), ())
    assert any(
        "set aside" in (r.note or "") for r in result(text, reply={**TYPE, "drugs": ["warfarin", "aspirin"]}).trace
    )
    assert drugs(text, "warfarin") == (("warfarin",), ())  # the rule only chooses between drugs


def test_a_drug_that_is_set_aside_here_and_asked_about_there_stays() -> None:
    text = "không phải [warfarin] mà là [aspirin]; [warfarin] dùng chung được không?"
    assert drugs(text, "warfarin", "aspirin") == (("warfarin", "aspirin"), ())


@pytest.mark.parametrize(
    ("text", "said", "kept"),
    [
        ("bé 12,5 kg", 12.5, 12.5),
        ("bé 12 kg", 12, 12.0),
        ("bé mười hai ký", 12, 12.0),
        ("bé 12 kg", 13, None),
        ("bé 40 pounds", 40, None),
        ("bé 40 pounds", 18.144, 18.144),
        ("bé 600 kg", 600, None),
        ("bé 0 kg", 0, None),
        ("bé 12 kg", -12, None),
        ("bé 12 kg", "12", None),
        ("bé", 12, None),
    ],
)
def test_a_weight_must_be_stated(text: str, said: Any, kept: float | None) -> None:
    found = result(f"liều [warfarin] cho {text}", reply={**TYPE, "drugs": ["warfarin"], "weight_kg": said}).frame
    assert found.weight_kg == kept


@pytest.mark.parametrize(
    ("text", "context", "kept"),
    [
        ("Tôi dị ứng [ibuprofen], [paracetamol]?", {"allergies": ["ibuprofen"]}, {"allergies": ["ibuprofen"]}),
        ("Tôi không dị ứng [ibuprofen], [paracetamol]?", {"allergies": ["ibuprofen"]}, {}),
        ("Mẹ tôi dị ứng [ibuprofen], tôi uống [paracetamol]?", {"allergies": ["ibuprofen"]}, {}),
        ("Tôi đã ngừng [warfarin], [paracetamol]?", {"current_medications": ["warfarin"]}, {}),
        ("Tôi bị {hen}, [paracetamol]?", {"comorbidities": ["hen"]}, {"comorbidities": ["hen"]}),
        ("Tôi không bị {hen}, [paracetamol]?", {"comorbidities": ["hen"]}, {}),
        ("[paracetamol]?", {"comorbidities": ["hen"]}, {}),
        ("eGFR 25, [paracetamol]?", {"renal": {"status": "impaired", "value": 25, "measure": "eGFR"}}, {"renal": 25.0}),
        ("[paracetamol]?", {"renal": {"status": "impaired", "value": 25}}, {}),
    ],
)
def test_context_is_what_the_text_bears_out(text: str, context: dict[str, Any], kept: dict[str, Any]) -> None:
    found = result(text, reply={**TYPE, "drugs": ["paracetamol"], "patient_context": context}).frame.patient_context
    lists = ("comorbidities", "allergies", "adverse_reactions", "current_medications")
    seen: dict[str, Any] = {n: [e.drug_id or e.text for e in getattr(found, n)] for n in lists if getattr(found, n)}
    if found.renal is not None:
        seen["renal"] = found.renal.value
    assert seen == kept


def test_a_prior_frame_is_bounded_like_a_reply() -> None:
    prior = {
        "turn_type": "drug_attribute",
        "drugs": ["warfarin", "digoxin"],
        "attribute": "no such key",
        "weight_kg": 70,
        "condition": {"name": "gút"},
        "patient_context": {"allergies": ["aspirin"]},
    }
    found = result("còn chống chỉ định?", "user: liều [warfarin]?", "bot: [digoxin]", prior=prior)
    assert found.frame.drugs == ("warfarin",)
    assert found.frame.weight_kg is None
    assert found.frame.condition is None
    assert found.frame.patient_context.allergies == ()
    assert any(row.step == "prior" and row.note for row in found.trace)


@pytest.mark.parametrize(
    "prior", [{"drugs": "x"}, {"drugs": [1, None, {}]}, {"weight_kg": []}, {"turn_type": 3}, {"a": {}}]
)
def test_a_prior_frame_of_wrong_types_is_no_trouble(prior: dict[str, Any]) -> None:
    assert result("còn chống chỉ định?", "user: liều [warfarin]?", prior=prior).frame.drugs == ()


@pytest.mark.parametrize(
    ("by", "kept"),
    [("model", ("omeprazol",)), ("rules", ()), (None, ())],
)
def test_a_fuzzy_drug_of_a_prior_frame_needs_the_model_that_read_it(by: str | None, kept: tuple[str, ...]) -> None:
    prior = {"turn_type": "drug_attribute", "drugs": ["omeprazol"], "attribute": "lieu_luong", "understood_by": by}
    found = result("còn chống chỉ định?", "user: liều [~omperazol=omeprazol]?", "bot: ...", prior=prior)
    assert found.frame.drugs == kept


def test_a_drug_confirmed_in_an_earlier_message_stays_confirmed() -> None:
    prior = {"turn_type": "drug_attribute", "drugs": ["omeprazol"], "attribute": "lieu_luong"}
    earlier = ("user: liều [~omperazol=omeprazol]?", "bot: Ý bạn là Omeprazol?", "user: đúng rồi", "bot: 20 mg")
    assert result("còn chống chỉ định?", *earlier, prior=prior).frame.drugs == ("omeprazol",)
