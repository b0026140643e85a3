"""Builds that die, collide, or replace an index that is in use: somebody can always go on with a whole one."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.index import project as small

from dragoman.errors import IndexUnusable
from dragoman.index import manifest, store
from dragoman.index.build import build
from dragoman.vocabularies import Vocabularies

# Starts like any build, and says when it has imported everything, so that a kill falls into the build itself.
BUILD = """
import sys
from dragoman.index.build import build
from dragoman.project import load
sys.stdout.write("ready\\n")
sys.stdout.flush()
build(load(sys.argv[1]), accept=True)
"""
TERMS = 3_000


def start(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", BUILD, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def shared_of(place: Path) -> Path:
    """The terminologies that a generation stands on."""
    shared = store.read_manifest(place).shared
    assert shared is not None
    return place / shared.at


def litter(home: Path) -> set[str]:
    """What a home must not hold: among it terminologies that no generation stands on."""
    named = {m.shared.id for g in store.generations(home) if (m := g.manifest) is not None and m.shared is not None}
    kept = {"current", ".lock", "report.json", store.SHARED, *store.at_hand(home)}
    return ({p.name for p in home.iterdir()} - kept) | ({p.name for p in (home / store.SHARED).iterdir()} - named)


@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
@pytest.mark.parametrize("kills", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_kill_9_at_any_moment_leaves_the_old_index_and_no_litter(tmp_path: Path, kills: int) -> None:
    rng = random.Random(20_240_229)
    project = small.write(tmp_path, terms=small.many_terms(TERMS))
    began = time.monotonic()
    build(project)
    seconds = time.monotonic() - began
    died = 0
    for n in range(kills):
        small.write(tmp_path, terms=small.many_terms(TERMS, start=n + 1))
        before = store.current_name(project.index)
        with start(tmp_path) as process:
            time.sleep(rng.uniform(0, 1.2 * seconds))
            process.send_signal(signal.SIGKILL)
        died += process.returncode == -signal.SIGKILL
        place = store.open_place(project.index)
        store.check(place)
        if process.returncode:
            assert place.name in (before, store.current_name(project.index))
        names = Vocabularies(place, project)
        assert names.concept_name("k1") == "zwelvoet"
    assert died
    report = build(project)
    assert litter(project.index) == set()
    assert store.current_name(project.index) == report.id


@pytest.mark.parametrize("moment", ["seal", "sync_files", "sync", "adopt", "point", "_prune"])
def test_death_at_each_step_of_the_swap(tmp_path: Path, moment: str) -> None:
    project = small.write(tmp_path)
    old = build(project).id
    small.write(tmp_path, terms=small.many_terms(5))
    script = BUILD.replace(
        "build(load",
        f"from dragoman.index import store; import os; store.{moment} = lambda *a, **k: os._exit(9); build(load",
    )
    ran = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, check=False)
    assert ran.returncode == 9
    now = store.check(store.open_place(project.index)).id
    assert (now == old) is (moment != "_prune")
    new = build(project).id
    assert litter(project.index) == set()
    assert store.at_hand(project.index) == [new, old]


def test_a_second_build_is_refused_with_the_first_ones_process(tmp_path: Path) -> None:
    project = small.write(tmp_path, terms=small.many_terms(TERMS))
    with start(tmp_path) as process:
        deadline = time.monotonic() + 30
        while not (project.index / ".lock.owner").is_file() and time.monotonic() < deadline:
            time.sleep(0.005)
        with pytest.raises(IndexUnusable, match=rf"process {process.pid}\b"):
            build(project)
        with pytest.raises(IndexUnusable, match=rf"process {process.pid}\b"):
            store.rollback(project.index)
        build(project, check=True)  # changes nothing, and so waits for nobody
    assert process.returncode == 0
    store.check(store.open_place(project.index))


def test_an_index_is_opened_whole_while_others_are_built(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    build(project)
    done = threading.Event()
    faults: list[Exception] = []
    opened = 0

    def open_again_and_again() -> None:
        nonlocal opened
        while not done.is_set():
            try:
                assert Vocabularies(store.open_place(project.index), project).concept_name("k1") == "zwelvoet"
                opened += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, the test must see it
                faults.append(error)
                return

    reader = threading.Thread(target=open_again_and_again)
    reader.start()
    for n in range(store.KEEP + 3):
        small.write(tmp_path, terms=small.many_terms(n))
        build(project, accept=True)
    done.set()
    reader.join()
    assert not faults
    assert opened


@pytest.mark.parametrize("damage", ["cut", "flip", "missing"])
def test_a_part_that_was_touched_is_refused_when_it_is_opened(tmp_path: Path, damage: str) -> None:
    project = small.write(tmp_path)
    part = shared_of(Path(build(project).path or "")) / "terms.text.blob"
    data = bytearray(part.read_bytes())
    if damage == "missing":
        part.unlink()
    else:
        data[3] ^= 1
        part.write_bytes(data[:-1] if damage == "cut" else data)
    with pytest.raises(IndexUnusable, match=r"terms\.text\.blob.*dragoman build"):
        store.open_place(project.index)


def test_a_copied_index_is_checked_once_and_then_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    project = small.write(tmp_path)
    build(project)
    copy = tmp_path / "copy"
    shutil.copytree(project.index, copy)
    read: list[str] = []
    digest = store.digest_file

    def noting(path: Path) -> str:
        read.append(path.name)
        return digest(path)

    monkeypatch.setattr(manifest, "digest_file", noting)
    place = store.open_place(copy)
    own = store.read_manifest(place)
    assert own.shared is not None
    assert len(read) == len(own.parts) + own.shared.parts
    read.clear()
    store.open_place(copy)
    assert read == []
