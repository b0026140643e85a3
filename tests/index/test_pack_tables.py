"""Packs' tables that a build has parsed: what they say is what their files say, as long as those are unchanged."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from dragoman import Dragoman
from dragoman.errors import ConfigError
from dragoman.folder import PACKAGE, Folder, Language, Pack
from dragoman.index import pack_tables
from dragoman.project import load


@pytest.mark.parametrize("demo", ["hospital", "formulary"])
def test_every_table_is_read_from_the_index_as_from_its_file(
    demo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[tuple[Folder, str, Any]] = set()
    table = Folder.table

    def noting(self: Folder, file: str, type_: Any) -> Any:
        asked.add((self, file, type_))
        return table(self, file, type_)

    monkeypatch.setattr(Folder, "table", noting)
    engine = Dragoman.demo(demo)
    for text in (
        "ik heb last van hoofdpijn",
        "tôi bị sốt và uống thuốc",
        "my dog weighs 5 kg",
        "ja",
        "wie zijn de artsen?",
    ):
        engine.ask(text)
    packs = engine.project.packs
    pack_tables.write(tmp_path, packs)
    # Every table as it stands; and as its reader wants it, those that nobody in this process had asked for before.
    wanted = {(pack.path, path.name, dict[str, Any]) for pack in packs for path in pack.path.glob("*.toml")}
    wanted |= {(of.path, file, type_) for of, file, type_ in asked if isinstance(of, Language)}
    lent = 0
    for path, file, type_ in wanted:
        fresh = Language(path)
        own = fresh._parse(file, type_)
        pack_tables.lend(tmp_path, [fresh])
        assert fresh._parse(file, type_) == own
        lent += file in fresh._lent
    assert lent > 15


def written(folder: Path) -> Language:
    pack = folder / "xx"
    pack.mkdir()
    (pack / "pack.toml").write_text('code = "xx"\nname = "Made up"\n', "utf-8")
    return Language(pack)


def test_a_file_that_has_changed_since_is_read_itself(tmp_path: Path) -> None:
    pack = written(tmp_path)
    pack_tables.write(tmp_path, [pack])
    (pack.path / "pack.toml").write_text('code = "xx"\nname = "Another"\n', "utf-8")
    changed = Language(pack.path)
    pack_tables.lend(tmp_path, [changed])
    assert changed._parse("pack.toml", Pack).name == "Another"


def test_what_is_wrong_is_told_of_the_file(tmp_path: Path) -> None:
    pack = written(tmp_path)
    (pack.path / "pack.toml").write_text("code = 7\n", "utf-8")
    (pack.path / "broken.toml").write_text("code = \n", "utf-8")
    (pack.path / "dated.toml").write_text("code = 2020-02-02\n", "utf-8")
    pack_tables.write(tmp_path, [pack])
    pack_tables.lend(tmp_path, [pack])
    for file in ("pack.toml", "broken.toml", "dated.toml"):
        with pytest.raises(ConfigError, match=file):
            pack._parse(file, Pack)


@pytest.mark.parametrize("left", [b"", b"{", b'{"xx": 7}', b'{"xx": {"pack.toml": ["?", 7]}}', None])
def test_without_tables_in_the_index_packs_read_their_files(tmp_path: Path, left: bytes | None) -> None:
    pack = written(tmp_path)
    if left is not None:
        (tmp_path / pack_tables.FILE).write_bytes(left)
    pack_tables.lend(tmp_path, [pack])
    assert pack._parse("pack.toml", Pack).name == "Made up"


def test_a_build_over_compiled_terminologies_takes_their_tables(tmp_path: Path) -> None:
    from tests.index import project as small

    from dragoman.index.build import build

    shutil.copytree(PACKAGE / "languages" / "nl", tmp_path / "own" / "nl")
    small.write(tmp_path)
    file = tmp_path / "dragoman.toml"
    file.write_text(file.read_text("utf-8").replace('languages = ["nl"]', 'languages = ["own/nl"]'), "utf-8")
    build(load(tmp_path))
    report = build(project := load(tmp_path))
    assert "terminologies" in report.reused
    assert "morphology.toml" in project.packs[0]._lent
