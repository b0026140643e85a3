"""The table of ``decide``: who answers, whatever heads there are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dragoman import folder
from dragoman.evidence.gather import Evidence
from dragoman.evidence.settle import Settled
from dragoman.offline.decide import decide
from dragoman.offline.heads import HeadCard, Told
from dragoman.profile import Cue, ProfileFile, Sets, read

CARD = HeadCard(classes=(), threshold=0.8, overrule=0.9, agreed=0.6, fallback=0.5, kept=0.1, dismiss=0.95, detail=0.7)
TABLE = read(folder.profile("formulary", folder.PACKAGE))
NAMED = ("drugs", "classes", "conditions", "entities")


def evidence(words: int = 3, profile: ProfileFile = TABLE, named: str = "") -> Evidence:
    """Of a turn of so many words that names nothing, or one thing of the kind ``named``."""
    names = {kind: (object(),) if kind == named else () for kind in NAMED}
    return cast(Evidence, SimpleNamespace(profile=profile, tokens=SimpleNamespace(keys=["x"] * words), **names))


EVIDENCE = evidence()
NONE = Settled(None, None, None, frozenset(), None)
FALLBACK = Settled("drug_attribute", None, None, frozenset(), None, strength="guess")
FOLLOWS = Settled("drug_attribute", None, None, frozenset({"no_subject", "prior_drug"}), None, strength="guess")
FIRM = Settled("drug_attribute", None, None, frozenset(), None, strength="firm")
RULE = Settled("drug_attribute", "lieu_luong", None, frozenset({"attribute", "attribute:lieu_luong"}), None)


def cue(*, post: bool) -> Cue:
    return Cue(name="x", patterns=("x",), set=Sets(turn_type="drug_overview"), post=post)


def told(kind: str, sure: float, *, detail: str = "", detail_sure: float = 1.0, **types: float) -> Told:
    return Told(kind, sure, detail, detail_sure, {}, {kind: sure, **types})


@pytest.mark.parametrize(
    ("rules", "heads", "kind"),
    [
        (NONE, told("interaction", 0.8), "interaction"),
        (NONE, told("interaction", 0.79), None),
        (FALLBACK, told("interaction", 0.8), "interaction"),
        (FALLBACK, told("interaction", 0.79, drug_attribute=0.2), None),
        (FALLBACK, told("interaction", 0.45, drug_attribute=0.5), "drug_attribute"),
        (FALLBACK, told("drug_attribute", 0.6), "drug_attribute"),
        (RULE, told("interaction", 0.89, drug_attribute=0.1), "drug_attribute"),
        (RULE, told("interaction", 0.89, drug_attribute=0.09), None),
        (RULE, told("interaction", 0.9, drug_attribute=0.1), "interaction"),
        (FIRM, told("interaction", 1.0), "drug_attribute"),
        (RULE, told("drug_attribute", 0.5), "drug_attribute"),
        (FOLLOWS, told("drug_attribute", 0.5), "drug_attribute"),
        (FOLLOWS, told("interaction", 0.85, drug_attribute=0.15), "drug_attribute"),
        (NONE, told("no_key_of_the_profile", 0.99), None),
    ],
)
def test_who_answers(rules: Settled, heads: Told, kind: str | None) -> None:
    assert decide(EVIDENCE, rules, heads, CARD).turn_type == kind


def test_no_head_overrules_a_post_condition_but_it_does_a_cue() -> None:
    heads = told("interaction", 0.99)
    for post, kind in ((True, "drug_overview"), (False, "interaction")):
        rules = Settled("drug_overview", None, None, frozenset(), cue(post=post))
        assert decide(EVIDENCE, rules, heads, CARD).turn_type == kind


@pytest.mark.parametrize(
    ("rules", "sure", "attribute"),
    [
        (RULE, 0.9, "bao_quan"),
        (RULE, 0.89, "lieu_luong"),
        (NONE, 0.7, "bao_quan"),
        (NONE, 0.69, None),
        (FALLBACK, 0.7, "bao_quan"),
        (FOLLOWS, 1.0, None),
    ],
)
def test_the_attribute_is_the_heads_where_they_are_sure_else_the_rules(
    rules: Settled, sure: float, attribute: str | None
) -> None:
    settled = decide(EVIDENCE, rules, told("drug_attribute", 0.95, detail="bao_quan", detail_sure=sure), CARD)
    assert settled.attribute == attribute
    assert ("attribute" in settled.facts) == (attribute is not None)
    assert {f for f in settled.facts if f.startswith("attribute:")} == (
        {f"attribute:{attribute}"} if attribute else set()
    )


def test_what_is_about_no_section_has_no_attribute() -> None:
    rules = Settled(None, "lieu_luong", None, frozenset({"attribute", "attribute:lieu_luong"}), None)
    settled = decide(EVIDENCE, rules, told("condition_to_drug", 0.99), CARD)
    assert (settled.turn_type, settled.attribute) == ("condition_to_drug", None)


@pytest.mark.parametrize("kind", ["smalltalk", "out_of_scope"])
def test_the_heads_turn_away_only_what_they_are_all_but_certain_of(kind: str) -> None:
    assert decide(EVIDENCE, NONE, told(kind, 0.95), CARD).turn_type == kind
    assert decide(EVIDENCE, NONE, told(kind, 0.94), CARD).turn_type is None


@pytest.mark.parametrize("kind", ["smalltalk", "out_of_scope"])
@pytest.mark.parametrize("rules", [FALLBACK, RULE])
def test_the_heads_do_not_turn_away_where_rules_see_something(rules: Settled, kind: str) -> None:
    assert decide(EVIDENCE, rules, told(kind, 1.0), CARD).turn_type is None


@pytest.mark.parametrize("kind", ["smalltalk", "out_of_scope"])
@pytest.mark.parametrize("named", NAMED)
def test_the_heads_do_not_turn_away_who_names_something(named: str, kind: str) -> None:
    assert decide(evidence(named=named), NONE, told(kind, 1.0), CARD).turn_type is None


@given(
    rules=st.sampled_from([NONE, FALLBACK, RULE]), kind=st.sampled_from(sorted(TABLE.turn_types)),
    sure=st.floats(0, 1), other=st.floats(0, 1),
)  # fmt: skip
def test_an_answer_is_the_rules_the_heads_or_none(rules: Settled, kind: str, sure: float, other: float) -> None:
    types: dict[str, Any] = {rules.turn_type: other} if rules.turn_type and rules.turn_type != kind else {}
    settled = decide(EVIDENCE, rules, told(kind, sure, **types), CARD)
    assert settled.turn_type in {rules.turn_type, kind, None}
    if settled.turn_type == kind != rules.turn_type:
        assert sure >= CARD.threshold


@pytest.mark.parametrize("kind", sorted(TABLE.alone))
def test_the_heads_turn_nobody_away_where_the_profile_does_not_let_them(kind: str) -> None:
    strict = cast(
        Evidence, SimpleNamespace(profile=replace(TABLE, heads_may_turn_away=False), **dict.fromkeys(NAMED, ()))
    )
    assert decide(strict, NONE, told(kind, 1.0), CARD).turn_type is None


@pytest.mark.parametrize("kind", sorted(TABLE.alone))
def test_a_word_or_two_are_not_turned_away_for_they_may_be_a_name(kind: str) -> None:
    assert decide(evidence(words=2), NONE, told(kind, 1.0), CARD).turn_type is None
