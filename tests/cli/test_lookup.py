"""``lookup``: what the vocabularies hold, for a person to read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Dragoman


def test_relations_are_shown_by_their_kind(dragoman: Dragoman, made: Callable[[str, str], Path]) -> None:
    ran = dragoman("lookup", "hypothyreoïdie", "--project", made("hospital", "nl"))
    assert ran.code == 0
    assert "is_a: e-10 aandoening" in " ".join(ran.out.split())
