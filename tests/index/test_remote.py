"""Indexes through an object store: whole or refused, sent once, and readers of the old one finish."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import msgspec
import pytest
from tests.index import project as small

from dragoman import Dragoman
from dragoman.cli import main
from dragoman.errors import ConfigError, DataError, IndexUnusable
from dragoman.index import remote, store
from dragoman.index.build import build

pytest.importorskip("fsspec", reason="object stores need the extra batch")

TEXT = "ik heb een zwelvoet"


def made(folder: Path, name: str = "Dikke voet") -> Path:
    """The home of a project's index; with another ``name``, another index."""
    project = small.write(folder, entities=small.ENTITIES.replace("Dikke voet", name))
    build(project, accept=True)
    return project.index


def test_what_was_pushed_answers_where_it_is_pulled(tmp_path: Path) -> None:
    home = made(tmp_path / "here")
    sent = remote.push(home, str(tmp_path / "store"))
    assert sent.changed
    assert sent.moved == sent.parts - _twins(home)
    there = small.write(tmp_path / "there")
    got = remote.pull(str(tmp_path / "store"), there.index)
    assert (got.id, got.changed) == (sent.id, True)
    assert "Dikke voet" in Dragoman.open(tmp_path / "there").enrich(TEXT).text
    again = remote.pull(str(tmp_path / "store"), there.index)
    assert (again.moved, again.changed) == (0, False)


def _twins(home: Path) -> int:
    """Parts whose content an earlier part has as well."""
    place = store.open_place(home)
    own = store.read_manifest(place)
    assert own.shared is not None
    below = store.read_manifest(place / own.shared.at)
    sums = [part.sha256 for one in (own, below) for part in one.parts.values()]
    return len(sums) - len(set(sums))


def test_generations_share_what_is_equal(tmp_path: Path) -> None:
    url = str(tmp_path / "store")
    first = remote.push(made(tmp_path / "here"), url)
    there = small.write(tmp_path / "there")
    remote.pull(url, there.index)
    second = remote.push(made(tmp_path / "here", "Opgezette voet"), url)
    assert second.id != first.id
    assert 0 < second.moved < second.parts
    got = remote.pull(url, there.index)
    assert 0 < got.moved < got.parts
    assert store.at_hand(there.index) == [second.id, first.id]
    store.check(there.index / second.id)
    remote.pull(url, there.index, first.id)  # the way back needs no push
    assert store.current_name(there.index) == first.id


def test_a_running_engine_takes_it_up_and_old_readers_finish(tmp_path: Path) -> None:
    url = str(tmp_path / "store")
    remote.push(made(tmp_path / "here"), url)
    there = small.write(tmp_path / "there")
    remote.pull(url, there.index)
    running, late = Dragoman.open(tmp_path / "there"), Dragoman.open(tmp_path / "there")
    for number in range(store.KEEP + 2):  # until the first one is no longer on the disk
        remote.push(made(tmp_path / "here", f"Voet {number}"), url)
        remote.pull(url, there.index)
        assert running.reload()
        assert f"Voet {number}" in running.enrich(TEXT).text
    assert not late.vocabularies.place.exists()
    assert "Dikke voet" in late.enrich(TEXT).text


@pytest.mark.parametrize("damage", ["flipped", "cut", "gone"])
def test_what_does_not_arrive_whole_is_refused(tmp_path: Path, damage: str) -> None:
    url = str(tmp_path / "store")
    remote.push(made(tmp_path / "here"), url)
    there = small.write(tmp_path / "there")
    old = remote.pull(url, there.index).id
    second = remote.push(made(tmp_path / "here", "Opgezette voet"), url)
    sent = {p.sha256 for p in _manifest(url, second.id).parts.values()}
    part = next(
        path
        for path in sorted((tmp_path / "store" / "parts").iterdir())
        if path.name in sent
        and path.name not in remote._here(there.index, *store.at_hand(there.index))
        and path.stat().st_size > 1
    )
    raw = part.read_bytes()
    if damage == "gone":
        part.unlink()
    else:
        part.write_bytes(raw[:-1] if damage == "cut" else bytes([raw[0] ^ 1]) + raw[1:])
    with pytest.raises((IndexUnusable, DataError), match=r"does not match its checksum|No such file"):
        remote.pull(url, there.index)
    assert store.current_name(there.index) == old
    assert not list(there.index.glob(f"{store.FRESH}*"))
    assert "Dikke voet" in Dragoman.open(tmp_path / "there").enrich(TEXT).text
    part.write_bytes(raw)
    assert remote.pull(url, there.index).id == second.id


def _manifest(url: str, generation: str) -> store.Manifest:
    return msgspec.json.decode((Path(url) / "indexes" / f"{generation}.json").read_bytes(), type=store.Manifest)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"id": "0" * 16}, "does not match its own id"),
        ({"schema": 1}, "another version"),
        ({"parts": {"../../evil": {"bytes": 1, "sha256": "0" * 64}}}, "does not match its own id"),
        (None, "is damaged"),
    ],
)
def test_a_manifest_that_was_tampered_with_is_refused(
    tmp_path: Path, change: dict[str, object] | None, says: str
) -> None:
    url = str(tmp_path / "store")
    sent = remote.push(made(tmp_path / "here"), url)
    path = tmp_path / "store" / "indexes" / f"{sent.id}.json"
    path.write_text("{" if change is None else json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    with pytest.raises(IndexUnusable, match=says):
        remote.pull(url, tmp_path / "there")
    assert store.current_name(tmp_path / "there") is None


def test_a_manifest_may_not_choose_folders(tmp_path: Path) -> None:
    """Even one whose id is right: whoever may write to the store could have made it."""
    url = str(tmp_path / "store")
    sent = remote.push(made(tmp_path / "here"), url)
    old = _manifest(url, sent.id)
    parts = {f"../{name}": part for name, part in old.parts.items()}
    assert old.shared is not None
    evil = msgspec.structs.replace(old, parts=parts, id=store.content_id(parts, old.shared.id))
    (tmp_path / "store" / "indexes" / f"{evil.id}.json").write_bytes(msgspec.json.encode(evil))
    with pytest.raises(IndexUnusable, match="outside the index"):
        remote.pull(url, tmp_path / "there", evil.id)
    assert not list((tmp_path / "there").glob("*"))


def test_a_damaged_index_is_neither_sent_nor_kept(tmp_path: Path) -> None:
    url = str(tmp_path / "store")
    home = made(tmp_path / "here")
    remote.push(home, url)
    there = small.write(tmp_path / "there")
    remote.pull(url, there.index)
    for one in (home, there.index):
        part = next(p for p in sorted(store.open_place(one).glob("*.blob")) if p.stat().st_size)
        part.write_bytes(b"\0" * part.stat().st_size)
    with pytest.raises(IndexUnusable, match="checksum"):
        remote.push(home, str(tmp_path / "other"))
    assert remote.pull(url, there.index).moved == 1  # mended
    assert "Dikke voet" in Dragoman.open(tmp_path / "there").enrich(TEXT).text


def test_nothing_there_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable, match=r"no index yet; run `dragoman index push"):
        remote.pull(str(tmp_path / "store"), tmp_path / "there")
    remote.push(made(tmp_path / "here"), str(tmp_path / "store"))
    for wrong in ("0" * 16, "../current"):
        with pytest.raises(IndexUnusable, match="there is no index"):
            remote.pull(str(tmp_path / "store"), tmp_path / "there", wrong)
    with pytest.raises(IndexUnusable):
        remote.push(tmp_path / "here" / ".dragoman" / "index", str(tmp_path / "store"), "0" * 16)
    with pytest.raises(ConfigError, match=r"pip install 'dragoman\[s3\]'|not installed|no file system"):
        remote.pull("nofs://bucket", tmp_path / "there")


def test_many_that_ask_at_once_fetch_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    url = str(tmp_path / "store")
    sent = remote.push(made(tmp_path / "here"), url)
    fetched: list[int] = []
    real = remote._fetch

    def slow(*given: object) -> int:
        time.sleep(0.2)
        fetched.append(1)
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(remote, "_fetch", slow)
    places: list[Path] = []
    threads = [threading.Thread(target=lambda: places.append(remote.fetch(url, sent.id))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(fetched) == 1
    assert len(places) == 4
    assert len(set(places)) == 1
    store.check(places[0])


def test_tenants_in_one_store_do_not_take_each_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whose index was pushed last is nobody else's: with it a tenant would answer with another's pages."""
    tenants = "".join(f'\n[tenants.{name}.taxonomy]\nentities = "{name}.csv"\n' for name in ("north", "south"))
    url, here, there = str(tmp_path / "store"), tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        for name in ("north", "south"):
            (folder / f"{name}.csv").write_text(small.ENTITIES.replace("Dikke voet", f"Voet van {name}"), "utf-8")
        small.write(folder, tenants)
    build(small.write(here, tenants))
    assert main(["index", "push", url, "--tenant", "north", "--project", str(here)]) == 0
    assert main(["index", "pull", url, "--tenant", "south", "--project", str(there)]) == 2
    assert "--tenant south" in capsys.readouterr().err
    for whose in (["--tenant", "south"], []):
        assert main(["index", "push", url, *whose, "--project", str(here)]) == 0
    for whose in (["--tenant", "north"], ["--tenant", "south"], []):
        assert main(["index", "pull", url, *whose, "--project", str(there)]) == 0
    engine = Dragoman.open(there)
    for name in ("north", "south"):
        assert f"Voet van {name}" in engine.tenant(name).enrich(TEXT).text
    assert "Dikke voet" in engine.enrich(TEXT).text


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path / "here")
    small.write(tmp_path / "there")
    url = str(tmp_path / "store")
    assert main(["index", "push", url, "--project", str(tmp_path / "here"), "--json"]) == 0
    sent = json.loads(capsys.readouterr().out)
    assert main(["index", "pull", url, sent["id"], "--project", str(tmp_path / "there")]) == 0
    assert f"index {sent['id']} is in use now" in capsys.readouterr().out
    assert main(["index", "pull", str(tmp_path / "nothing"), "--project", str(tmp_path / "there")]) == 2
    assert "no index yet" in capsys.readouterr().err
