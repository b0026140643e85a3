"""The rules of every language pack by their own examples, and what the engine promises whatever the rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ConfigError
from dragoman.folder import language
from dragoman.text import spelling
from dragoman.text.spelling import Rule, Speller, SpellingTable
from dragoman.text.tokens import fold_key

PACKS = ("mul", "vi", "en", "nl", "de")
TABLES = {code: language(code).table(spelling.FILE, SpellingTable) for code in PACKS}
WRITTEN, SPOKEN = spelling.merge(TABLES.values())
RULES = [rule for table in TABLES.values() for rule in table.rule]

words = st.lists(st.text("abcdehiklmnoprstuxyz", min_size=1, max_size=14), min_size=1, max_size=6)


def form(rule: Rule, name: str) -> str:
    key = fold_key(name)
    return SPOKEN.joined(key.replace(" ", "")) if rule.spoken else WRITTEN.joined(key)


def without(rule: Rule) -> Speller:
    speller = SPOKEN if rule.spoken else WRITTEN
    return Speller([r for r in speller.rules if r.name != rule.name], speller.words, least=speller.least)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_examples_become_equal_and_would_not_without_the_rule(rule: Rule):
    for a, b in rule.examples:
        assert form(rule, a) == form(rule, b), f"{a} and {b} are not equal"
        if not rule.spoken:
            rest = without(rule)
            assert rest.joined(fold_key(a)) != rest.joined(fold_key(b)), f"{a} = {b} does not need {rule.name}"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_counter_examples_stay_apart(rule: Rule):
    for a, b in rule.counter_examples:
        assert form(rule, a) != form(rule, b), f"{a} and {b} became equal"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_a_rule_has_examples_or_says_what_it_keeps_apart(rule: Rule):
    assert rule.examples or rule.counter_examples


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("amoxicilline", "amoxicilin"),
        ("fenytoïne", "phenytoin"),
        ("hydrochloorthiazide", "hydroclorothiazid"),
        ("natriumchloride", "natri clorid"),
        ("sodium chloride", "natri clorid"),
        ("kaliumjodide", "kali iodid"),
        ("zinksulfaat", "kẽm sulfat"),
        ("axit folic", "acid folic"),
        ("calciumcarbonaat", "canxi cacbonat"),
        ("magnesium oxide", "magnesi oxyd"),
        ("co-trimoxazol", "cotrimoxazole"),
    ],
)
def test_names_across_languages(a: str, b: str):
    assert WRITTEN.joined(fold_key(a)) == WRITTEN.joined(fold_key(b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("prednison", "prednisolon"),
        ("quinine", "quinidine"),
        ("clorpromazin", "clorpropamid"),
        ("hydroxyzine", "hydralazine"),
        ("nifedipin", "nimodipin"),
        ("vinblastin", "vincristin"),
        ("cefalexin", "cefazolin"),
        ("cerazette", "cerazet"),
        ("vitamin b1", "vitamin b12"),
        ("vitamin k1", "vitamin c1"),
        ("dopamin", "dobutamin"),
        ("cetirizin", "cinarizin"),
    ],
)
def test_other_drugs_stay_apart(a: str, b: str):
    assert WRITTEN.joined(fold_key(a)) != WRITTEN.joined(fold_key(b))


def test_explain_names_the_rules_that_were_needed():
    assert WRITTEN.explain("amoxicillin", "amoxicilin") == ("doubled letters",)
    assert WRITTEN.explain("acyclovir", "aciclovir") == ("y → i",)
    assert WRITTEN.explain("cephalexine", "cefalexin") == ("ph → f", "final e")
    assert WRITTEN.explain("co trimoxazol", "cotrimoxazol") == ("spaces",)
    assert WRITTEN.explain("natri clorid", "sodium chloride") == ("ch → c", "final e", "words")


def test_short_words_are_left_alone():
    assert WRITTEN.canonical(["cycle", "thyme"]) == ["cycle", "thyme"]


def test_two_rules_of_one_name_are_refused():
    table = SpellingTable(rule=(Rule(name="x", replace=(("a", "b"),), examples=()),) * 2)
    with pytest.raises(ConfigError, match="two spelling rules are named 'x'"):
        spelling.merge([table])


def test_a_rule_that_eats_an_edge_is_refused():
    with pytest.raises(ConfigError, match="edges"):
        Speller([Rule(name="x", replace=(("e$", ""),), examples=())])


@given(words)
def test_canonical_keeps_the_number_of_words(keys: list[str]):
    assert len(WRITTEN.canonical(keys)) == len(keys)
    assert len(SPOKEN.canonical(keys)) == len(keys)


@given(words)
def test_each_word_is_rewritten_by_itself(keys: list[str]):
    assert WRITTEN.canonical(keys) == [WRITTEN.canonical([key])[0] for key in keys]


@given(words, words)
def test_equal_forms_are_explained_and_different_keys_always_have_a_reason(one: list[str], other: list[str]):
    a, b = " ".join(one), " ".join(other)
    if a != b and WRITTEN.joined(a) == WRITTEN.joined(b):
        assert WRITTEN.explain(a, b)


def test_plain_rules_rewrite_single_letters_and_endings_alone():
    letters, endings = WRITTEN.plain(endings=False), WRITTEN.plain(endings=True)
    assert letters.joined("acyclovire") == "aciclovire"
    assert endings.joined("acyclovire") == "aciclovir"
    for kept in ("methotrexat", "chlorocina", "amoxicillin", "foscarnet"):
        assert letters.joined(kept) == endings.joined(kept) == kept
    assert letters.joined("calci") == "calci"
