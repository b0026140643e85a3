from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.enrich.condense import FILE, CondenseTable, condense
from dragoman.folder import PACKAGE, Language, language
from dragoman.reading import Reading
from dragoman.text.tokens import tokenize
from dragoman.types import Candidate, Scope, Span, Turn

PACKS = sorted(p.parent.name for p in (PACKAGE / "languages").glob(f"*/{FILE}"))


def reading(marked: str, code: str = "en", pack: Language | None = None) -> Reading:
    """A reading of ``marked``, in which braces stand around what the vocabularies know."""
    spans = []
    for i, m in enumerate(re.finditer(r"\{(.*?)\}", marked)):
        start = m.start() - 2 * i
        spans.append(Span(start, start + len(m[1])))
    text = re.sub(r"[{}]", "", marked)
    candidates = tuple(
        Candidate(span=s, text="", kind="concept", source="x", id="1", name="x", match="exact") for s in spans
    )
    packs = (pack or language(code),)
    return Reading(Turn(text), code, packs, Scope(), ((-1, tokenize(text)),), candidates)


def examples() -> Iterator[object]:
    for code in PACKS:
        for i, example in enumerate(language(code).table(FILE, CondenseTable).example):
            yield pytest.param(code, example, id=f"{code}-{i}")


def test_every_language_with_stop_words_can_condense():
    assert set(PACKS) >= {"en", "nl", "vi"}
    for code in PACKS:
        assert len(language(code).table(FILE, CondenseTable).example) >= 3


@pytest.mark.parametrize(("code", "example"), list(examples()))
def test_examples_of_the_packs(code, example):
    condensed = condense(reading(example.text, code))
    assert condensed is not None
    words = {t.key for t in tokenize(condensed).tokens}
    lost = [w for w in example.keeps if tokenize(w).keys[0] not in words]
    left = [w for w in example.drops if tokenize(w).keys[0] in words]
    assert (lost, left) == ([], []), condensed


def test_a_short_turn_is_left_alone():
    assert condense(reading("What can I do about {gallstones}?")) is None
    assert condense(reading("")) is None


def test_courtesy_alone_gives_nothing():
    text = "Good morning doctor. Thank you very much for your time. Kind regards from all of us. Have a nice day."
    assert condense(reading(text)) is None


def test_words_are_the_persons_own_and_in_order():
    text = (
        "Last summer I was in Spain and then it began. The {Rash} on my arm itches. Nothing helps, not even the "
        "ointment. Which ointment is best for such a {rash}?"
    )
    condensed = condense(reading(text))
    assert condensed is not None
    assert "ointment" in condensed
    assert "rash" in condensed.lower()
    at = 0
    for token in tokenize(condensed).tokens:
        at = text.replace("{", "").replace("}", "").index(condensed[token.start : token.end], at)


def test_a_question_that_names_nothing_takes_the_words_that_do():
    text = (
        "We came home from holiday on Sunday evening and were all quite tired. My son was told that he has {scabies} "
        "now. The school wants to know more. Can it spread? What can we do?"
    )
    condensed = condense(reading(text))
    assert condensed is not None
    assert "scabies" in condensed
    assert "spread" in condensed


def test_a_language_without_the_table_is_not_condensed(tmp_path: Path):
    (tmp_path / "pack.toml").write_text('code = "xx"\nname = "none"\n')
    text = "one two three four. five six seven eight nine ten? eleven twelve thirteen fourteen fifteen sixteen."
    assert condense(reading(text, "xx", Language(tmp_path))) is None


def test_the_pack_of_a_language_decides_how_short_is_short(tmp_path: Path):
    (tmp_path / "pack.toml").write_text('code = "xx"\nname = "none"\n')
    (tmp_path / FILE).write_text('least = 4\ndrop = ["na"]\n')
    assert condense(reading("ba na ki. lo na {mu}?", "xx", Language(tmp_path))) == "ba ki. lo mu?"


@given(st.text(st.sampled_from("ab .?!,:\n{}ạéñ1-'"), max_size=200), st.sampled_from(PACKS))
def test_any_text_gives_words_of_the_text_or_nothing(text: str, code: str):
    braces = text.count("{") == text.count("}") and re.sub(r"\{[^{}]*\}", "", text).count("{") == 0
    given_ = reading(text if braces else text.replace("{", "").replace("}", ""), code)
    condensed = condense(given_)
    if condensed is not None:
        assert set(tokenize(condensed).keys) <= set(given_.tokens.keys)
        assert condensed == " ".join(condensed.split())
