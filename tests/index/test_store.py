"""Generations: whole or refused, swapped at once, and the old one stays when a build does not end."""

from __future__ import annotations

import errno
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.errors import DataError, IndexUnusable
from dragoman.index import store
from dragoman.index.manifest import HALF


def make(home: Path, content: bytes) -> Path:
    """A generation with one part."""
    with store.lock(home):
        fresh = home / f".new-{content.hex()}"
        fresh.mkdir()
        (fresh / "part.u8").write_bytes(content)
        manifest = store.make_manifest(
            fresh, started=time.monotonic(), project="p", languages=("nl",), sources=(), counts={"terms": 1}
        )
        return store.adopt(home, fresh, manifest)


def test_nothing_built_yet_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable, match=r"no index yet.*dragoman build"):
        store.open_place(tmp_path / "nowhere")


def test_the_same_contents_give_the_same_id_whenever_they_are_built(tmp_path: Path) -> None:
    assert make(tmp_path / "a", b"x").name == make(tmp_path / "b", b"x").name
    assert make(tmp_path / "a", b"y").name != make(tmp_path / "b", b"x").name


def test_the_newest_is_current_and_rollback_points_back(tmp_path: Path) -> None:
    first, second = make(tmp_path, b"1"), make(tmp_path, b"2")
    assert store.open_place(tmp_path) == second
    store.point(tmp_path, first.name)
    assert store.open_place(tmp_path) == first
    assert {m.id for m in store.generations(tmp_path)} == {first.name, second.name}


def test_only_a_few_generations_are_kept(tmp_path: Path) -> None:
    places = [make(tmp_path, bytes([i])) for i in range(store.KEEP + 3)]
    left = {p.name for p in tmp_path.iterdir() if p.is_dir()}
    assert places[-1].name in left
    assert len(left) == store.KEEP + 1


@pytest.mark.parametrize("damage", ["cut", "flip", "missing", "manifest", "older", "newer"])
def test_a_damaged_index_is_refused_with_advice(tmp_path: Path, damage: str) -> None:
    place = make(tmp_path, b"abcdef")
    part, manifest = place / "part.u8", place / store.MANIFEST
    match damage:
        case "cut":
            part.write_bytes(b"abc")
        case "flip":
            part.write_bytes(b"abcdeg")
        case "missing":
            part.unlink()
        case "manifest":
            manifest.write_bytes(manifest.read_bytes()[:40])
        case "older" | "newer":
            data = msgspec.json.decode(manifest.read_bytes())
            data["schema"] = 0 if damage == "older" else 99
            manifest.write_bytes(msgspec.json.encode(data))
    with pytest.raises(IndexUnusable) as refused:
        store.check(store.open_place(tmp_path))
    assert "dragoman build" in str(refused.value)


def test_a_second_build_is_refused_with_the_owner(tmp_path: Path) -> None:
    with store.lock(tmp_path), pytest.raises(IndexUnusable, match=f"process {os.getpid()}"), store.lock(tmp_path):
        pass


def _die_in_the_middle(home: str) -> None:
    with store.lock(Path(home)):
        (Path(home) / ".new-dead").mkdir()
        os._exit(9)


def test_a_killed_build_leaves_the_old_index_and_its_litter_goes_with_the_next(tmp_path: Path) -> None:
    old = make(tmp_path, b"old")
    process = multiprocessing.get_context("spawn").Process(target=_die_in_the_middle, args=(str(tmp_path),))
    process.start()
    process.join()
    assert process.exitcode == 9
    assert store.open_place(tmp_path) == old
    make(tmp_path, b"new")
    assert not (tmp_path / ".new-dead").exists()


def _refused(denied: Path, error: int) -> Callable[..., Any]:
    """``os.open`` of a system on which nothing may be written below ``denied``."""
    real = os.open

    def opened(path: Any, flags: int, *more: Any, **options: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR) and Path(os.fsdecode(path)).is_relative_to(denied):
            raise OSError(error, os.strerror(error), str(path))
        return real(path, flags, *more, **options)

    return opened


@pytest.mark.parametrize("which", ["all", "all but the lock", "pointer"])
@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_a_store_that_cannot_be_written_is_told_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str, error: int
) -> None:
    """Read-only, of another account, or full: whether the lock of an earlier build is there or not."""
    first, second = make(tmp_path, b"1"), make(tmp_path, b"2")
    real = Path.open

    def opened(path: Path, mode: str = "r", *more: Any, **options: Any) -> Any:
        denied = which != "pointer" or path.name.startswith((store.CURRENT, HALF))
        if set(mode) & set("wxa+") and path.is_relative_to(tmp_path) and denied:
            raise OSError(error, os.strerror(error), str(path))
        return real(path, mode, *more, **options)

    monkeypatch.setattr(Path, "open", opened)
    if which == "all":
        monkeypatch.setattr(os, "open", _refused(tmp_path, error))
    advice = "free some space" if error == errno.ENOSPC else "use an account that may write there"
    with pytest.raises(DataError, match=f"the index cannot be written .*{advice}.*stays as it is") as refused:
        store.rollback(tmp_path)
    assert refused.value.where == str(tmp_path)
    monkeypatch.undo()
    assert store.at_hand(tmp_path) == [second.name, first.name]
    assert store.open_place(tmp_path) == second
    store.rollback(tmp_path)
    assert store.open_place(tmp_path) == first


@pytest.mark.skipif(sys.platform == "win32", reason="has no umask")
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_who_may_read_an_index_is_what_the_umask_says(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        place = store.fresh(tmp_path)
    finally:
        os.umask(before)
    assert place.stat().st_mode & 0o777 == 0o777 & ~mask
