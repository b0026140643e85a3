"""An index whose names were folded by other rules than those at hand is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman import folder
from dragoman.errors import IndexUnusable
from dragoman.folder import Folder


def write(place: Path, content: str) -> Folder:
    place.mkdir(exist_ok=True)
    (place / "pack.toml").write_text(content)
    return Folder(place, "pack")


def test_the_digest_is_of_contents_and_names(tmp_path: Path) -> None:
    one, named, other = write(tmp_path / "a", "x"), write(tmp_path / "b", "x"), write(tmp_path / "c", "y")
    assert folder.digest([one]) == folder.digest([one])
    assert folder.digest([one]) != folder.digest([named])
    assert folder.digest([one]) != folder.digest([other])
    assert folder.digest([one, other]) != folder.digest([other, one])


def test_an_index_built_with_other_packs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dragoman.engine import Dragoman
    from dragoman.index.build import build
    from dragoman.project import load

    build(load("demo-hospital"), out=tmp_path)
    assert Dragoman.open("demo-hospital", index=tmp_path).ask("Wat is astma?").frame.turn_type
    monkeypatch.setattr(folder, "digest", lambda packs: "another")
    with pytest.raises(IndexUnusable, match=r"other language packs.*dragoman build"):
        Dragoman.open("demo-hospital", index=tmp_path)
