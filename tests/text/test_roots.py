"""Patterns that are compiled when a text has their first words: what is found is what the whole book finds."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ConfigError
from dragoman.folder import PACKAGE, language
from dragoman.text import roots
from dragoman.text.patterns import beginning
from dragoman.text.phrases import Hit, Phrasebook
from dragoman.text.talk import TalkWords
from dragoman.text.tokens import tokenize

WORDS = ("a", "b", "C", "sốt", "sót", "sot", "één", "m'n", "2x", "7", "&", "đ")
SIGNS = ("^", "$", "…", "…2", "<drug>", "<number>", "=sốt", "=", "|", "(", ")", "[", "]", "<", "")
TEXTS = ("", "a", "a b c. b a", "sot a", "sốt 7 b", "m'n een b", "đ sót, c", "B a a\n\nc b a 2x d", "7 sot een sot")
SLOTS: tuple[dict[int, list[tuple[str, int]]], ...] = (
    {},
    {0: [("<drug>", 1)]},
    {0: [("<drug>", 2)], 2: [("<drug>", 3), ("<animal>", 3)]},
)

place = st.lists(st.sampled_from((*WORDS, *WORDS, *SIGNS)), min_size=1, max_size=3).map("|".join)
group = st.lists(st.lists(place, min_size=1, max_size=2).map(" ".join), min_size=1, max_size=3).map("|".join)
piece = st.one_of(place, group.map(lambda g: f"({g})"), group.map(lambda g: f"[{g}]"), st.sampled_from(SIGNS))
patterns = st.lists(piece, min_size=1, max_size=4).map(" ".join)


@contextmanager
def at_once() -> Iterator[None]:
    """Books that are made meanwhile compile every pattern when they are made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roots, "beginning", lambda pattern, marks_matter: None)
        yield


def found(book: Phrasebook[int], text: str, slots: dict[int, list[tuple[str, int]]]) -> list[Hit[int]]:
    tokens = tokenize(text)
    there = {at: inside for at, of in slots.items() if (inside := [one for one in of if one[1] <= len(tokens)])}
    return book.find(tokens, there)


@given(
    written=st.lists(patterns, min_size=1, max_size=8),
    marks=st.booleans(),
    asked=st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(SLOTS)), min_size=1, max_size=6),
)
def test_what_is_found_is_the_same_and_in_the_same_order(
    written: list[str], marks: bool, asked: list[tuple[str, dict[int, list[tuple[str, int]]]]]
) -> None:
    sound = []
    for number, pattern in enumerate(written):
        try:
            with at_once():
                Phrasebook([(pattern, number)], marks_matter=marks)
        except ConfigError as error:
            wrong = re.escape(str(error))
        else:
            sound.append((pattern, number))
            continue
        with pytest.raises(ConfigError, match=wrong):  # at once: nobody's question meets it
            Phrasebook([(pattern, number)], marks_matter=marks)
    with at_once():
        whole = Phrasebook(sound, marks_matter=marks)
    waiting = Phrasebook(sound, marks_matter=marks)
    for text, slots in asked:
        assert found(waiting, text, slots) == found(whole, text, slots)


@pytest.mark.parametrize(
    "code", sorted(p.name for p in (PACKAGE / "languages").iterdir() if (p / "talk.toml").is_file())
)
def test_nearly_all_patterns_of_a_pack_can_wait(code: str) -> None:
    pack = language(code)
    words = pack.table("talk.toml", TalkWords)
    written = [*words.yes, *words.no, *words.greeting, *words.chat, *words.refers, *words.corrects]
    waits = sum(beginning(pattern, pack.marks_matter) is not None for pattern in written)
    assert waits > 0.8 * len(written)


def test_threads_that_come_first_together_find_the_same() -> None:
    written = [
        (f"{a}|{b} {c}", n) for n, (a, b, c) in enumerate((a, b, c) for a in "abc" for b in "abc" for c in "abc")
    ]
    with at_once():
        expected = Phrasebook(written, marks_matter=False).find(tokenize("a b c a c b a"))
    for _ in range(20):
        book = Phrasebook(written, marks_matter=False)
        gate = threading.Barrier(4)
        got: list[list[Hit[int]]] = []

        def ask(book: Phrasebook[int] = book, gate: threading.Barrier = gate, got: list[list[Hit[int]]] = got) -> None:
            gate.wait()
            got.append(book.find(tokenize("a b c a c b a")))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert got == [expected] * 4
