"""Forms that an alias may be written in."""

from __future__ import annotations

import pytest

from dragoman.folder import language
from dragoman.index.drugs_build import load_spelling
from dragoman.index.drugs_forms import Makers, combination, forms
from dragoman.text import spelling
from dragoman.text.tokens import fold_key

PACKS = [language(code) for code in ("vi", "en", "nl", "mul")]
WRITTEN, _, TABLES = load_spelling(PACKS)
MAKERS = Makers(
    canonical=WRITTEN.canonical,
    acid="acid",
    cations=frozenset(WRITTEN.joined(c) for t in TABLES for c in t.cations),
    joined_acids=tuple(j for t in TABLES for j in t.joined_acid),
    units=frozenset({"mg", "g", "ml", "mcg"}),
    connectors=frozenset({"va", "en", "and"}),
)


def made(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for form in forms(text, MAKERS):
        found.setdefault(form.key, form.rule)
    return found


@pytest.mark.parametrize(
    ("alias", "form", "rule"),
    [
        ("Acid folic", "folic acid", "word order of acids"),
        ("folic acid", "acid folic", "word order of acids"),
        ("Acid folic", "foliumzuur", "-zuur (nl)"),
        ("Kali clorid", "clorid kali", "word order of salts"),
        ("valproat natri", "natri valproat", "word order of salts"),
        ("Felodipin 5mg", "felodipin", "strength left out"),
        ("Felodipin 2.5 mg", "felodipin", "strength left out"),
        ("Acid tranexamic 500mg", "tranexamic acid", "word order of acids"),
        ("Oresol (bù nước)", "oresol", "parentheses left out"),
        ("Ampicilin và sulbactam", "ampicilin sulbactam", "combination"),
        ("Ampicilin và sulbactam", "sulbactam va ampicilin", "combination"),
        ("Amoxicilin và acid clavulanic", "clavulanic acid amoxicilin", "combination"),
    ],
)
def test_forms(alias: str, form: str, rule: str):
    assert made(alias)[form] == rule


def test_the_alias_itself_comes_first_and_has_no_rule():
    assert next(forms("Acid folic", MAKERS)) == ("acid folic", "")


@pytest.mark.parametrize(
    ("alias", "form"),
    [("Abc 5mg", "abc"), ("Omega 3", "omega"), ("B12", "b"), ("Ampicilin", "ampicilin ampicilin")],
)
def test_what_would_say_too_little_is_no_form(alias: str, form: str):
    assert form not in made(alias)


@pytest.mark.parametrize("joined", MAKERS.joined_acids, ids=lambda j: j.name)
def test_one_word_acids_by_their_examples(joined: spelling.JoinedAcid):
    for name, word in joined.examples:
        assert WRITTEN.joined(fold_key(word)) in {WRITTEN.joined(key) for key in made(name)}, f"{name} is not {word}"


def test_ingredients_in_any_order_but_not_of_long_lists():
    assert [f.key for f in combination(["a", "b"])] == ["a b", "b a"]
    assert not list(combination(["a"]))
    assert not list(combination(["a", "b", "c", "d"]))
