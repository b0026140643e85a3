"""List, doctor, routing and complaint signals: the packs' examples."""

from __future__ import annotations

import pytest

from dragoman.folder import language
from dragoman.text.signals import Example, Signals, SignalWords, signals
from dragoman.text.tokens import tokenize

CODES = ("nl", "en", "vi", "de")
EXAMPLES = [(code, e) for code in CODES for e in language(code).table("signals.toml", SignalWords).example]


@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=[f"{c}:{e.text}" for c, e in EXAMPLES])
def test_pack_examples(code: str, example: Example) -> None:
    found = signals(tokenize(example.text), [language(code)])
    assert {name for name in ("list", "routing", "complaint") if getattr(found, name)} == {
        name for name in example.signals if name != "doctors"
    }
    assert bool(found.doctors) or "doctors" not in example.signals


def test_nothing_to_signal() -> None:
    assert signals(tokenize("?"), [language("nl")]) == Signals()
