"""How compounds come apart, and which phrases say the same."""

from __future__ import annotations

from dragoman import folder
from dragoman.text.compounds import Compounds
from dragoman.text.morphology import Morphology
from dragoman.text.words import stop_words, words

PACKS = [folder.language("nl"), folder.language("mul")]
RULES = Compounds(PACKS, Morphology(PACKS))


def test_linking_sounds_are_tried_after_the_word_as_it_is() -> None:
    assert list(RULES.bare("gewrichts")) == ["gewrichts", "gewricht"]
    assert list(RULES.bare("zieken")) == ["zieken", "ziek", "zieke"]
    assert list(RULES.bare("ver")) == []


def test_a_phrase_names_a_part_and_what_is_found_there() -> None:
    keys = ["steen", "in", "de", "nier"]
    assert RULES.phrase(keys, 0) == (3, 4)
    assert RULES.head_before(keys, 3) == 0
    assert RULES.phrase(["hoofd", "in", "het", "water"], 0) is None
    assert RULES.phrase(["ziekte", "van", "mijn", "oog"], 0) == (3, 4)
    assert RULES.phrase(["pijn", "in"], 0) is None


def test_heads_are_known_in_any_inflection() -> None:
    assert RULES.head("stenen", RULES.findings)
    assert not RULES.head("fietsen", RULES.findings)


def test_the_packs_words() -> None:
    assert {"trombone", "aardbeien", "de"} <= words(PACKS)
    assert "hypothyreoxdie" not in words(PACKS)
    assert stop_words(PACKS) <= words(PACKS)
