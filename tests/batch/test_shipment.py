"""A project on its way to workers: its own packs and profile go along, and it reads there as it reads here."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import pytest
from tests.index import project as small

from dragoman import Dragoman
from dragoman.batch.shipment import pack, unpack
from dragoman.errors import ConfigError, IndexUnusable
from dragoman.folder import PACKAGE
from dragoman.index import remote, store
from dragoman.index.build import build
from dragoman.project import load

pytest.importorskip("fsspec", reason="batches need the extra batch")

TEXT = "ik heb een zwelvoet"


def own(folder: Path, packs: str = "../packs/eigen") -> Path:
    """A project with a language pack beside it and a profile in it; its file."""
    small.write(folder / "project")
    shutil.copytree(PACKAGE / "languages" / "nl", (folder / "project" / packs).resolve())
    shutil.copytree(PACKAGE / "profiles" / "hospital", folder / "project" / "profile")
    file = folder / "project" / "dragoman.toml"
    text = file.read_text("utf-8").replace('profile = "hospital"', 'profile = "profile"')
    file.write_text(text.replace('languages = ["nl"]', f'languages = ["{packs}"]'), "utf-8")
    return file


def test_packs_and_profile_go_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = own(tmp_path / "here")
    build(load(file))
    engine = Dragoman.open(file)
    wanted = engine.ask(TEXT)
    remote.push(load(file).index, str(tmp_path / "store"))
    sent = pickle.dumps(pack(engine, str(file), store_url=str(tmp_path / "store")))
    (tmp_path / "here").rename(tmp_path / "gone")
    arrived = unpack(pickle.loads(sent))
    assert arrived.project.base.is_relative_to(tmp_path / "cache")
    found = arrived.ask(TEXT)
    assert (found.frame, found.enrichment, found.index) == (wanted.frame, wanted.enrichment, wanted.index)
    assert "Dikke voet" in found.enrichment.text


def test_the_generation_is_the_one_that_was_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = small.write(tmp_path / "here")
    build(project)
    shipment = pack(Dragoman.open(tmp_path / "here"), str(tmp_path / "here"))
    small.write(tmp_path / "here", entities=small.ENTITIES.replace("Dikke voet", "Opgezette voet"))
    build(project, accept=True)
    assert store.current_name(project.index) != shipment.index
    assert "Dikke voet" in unpack(shipment).enrich(TEXT).text  # every part of a batch is read with one index


def test_what_cannot_be_sent_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = small.write(tmp_path / "here")
    build(project)
    engine = Dragoman.open(tmp_path / "here")
    with pytest.raises(ConfigError, match=r"does not hold the index .*dragoman index push"):
        pack(engine, str(tmp_path / "here"), store_url=str(tmp_path / "store"))
    shipment = pack(engine, str(tmp_path / "here"))
    shutil.rmtree(project.index)
    with pytest.raises(IndexUnusable):
        unpack(shipment)
