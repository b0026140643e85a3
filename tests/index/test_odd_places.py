"""Indexes in odd places, damaged, or older than the clock says: they answer rightly, or say what is wrong, and a build
mends them."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from tests.index import project as small

from dragoman import Dragoman
from dragoman.errors import DragomanError, IndexUnusable
from dragoman.index import manifest, store
from dragoman.index.build import build
from dragoman.project import Project, load

TEXT = "ik heb een zwelvoet en neem zorbalin"
NEWER = small.ENTITIES.replace("Dikke voet", "Opgezette voet")


def two(folder: Path) -> tuple[Project, str, str]:
    """A project that was built twice, with the ids."""
    project = small.write(folder)
    first = build(project).id
    small.write(folder, entities=NEWER)
    return project, first, build(load(folder)).id


def answer(folder: Path) -> str:
    return Dragoman.open(folder).enrich(TEXT).text


@pytest.mark.parametrize("name", ["with spaces", "bệnh viện", "u\u0308ber ‘100%’ #1", "a" * 200])
def test_a_project_may_lie_anywhere(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    _, first, _ = two(folder)
    assert "Opgezette voet" in answer(folder)
    assert store.rollback(load(folder).index).id == first
    assert "Dikke voet" in answer(folder)


@pytest.mark.parametrize("linked", ["index", "index/terminology"])
def test_an_index_may_be_a_link_to_another_disk(tmp_path: Path, linked: str) -> None:
    folder, real = tmp_path / "project", tmp_path / "elsewhere"
    real.mkdir()
    (folder / ".dragoman" / "index").parent.mkdir(parents=True)
    (folder / ".dragoman" / linked).parent.mkdir(exist_ok=True)
    try:
        (folder / ".dragoman" / linked).symlink_to(real, target_is_directory=True)
    except OSError:
        pytest.skip("no links here")
    project, first, _ = two(folder)
    assert any(real.iterdir())
    assert "Opgezette voet" in answer(folder)
    assert build(load(folder)).reused
    store.rollback(project.index)
    assert store.check(store.open_place(project.index)).id == first


def test_a_project_that_was_moved_is_found_and_built_again(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    two(tmp_path / "before")
    shutil.move(tmp_path / "before", tmp_path / "after")
    assert "Opgezette voet" in answer(tmp_path / "after")
    assert build(load(tmp_path / "after")).reused


def test_what_stands_where_the_index_should_is_told(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    for place in ("", "terminology", store.CURRENT, ".lock"):
        shutil.rmtree(project.index, ignore_errors=True)
        wrong = project.index / place
        wrong.parent.mkdir(parents=True, exist_ok=True)
        if place in ("", "terminology"):
            wrong.write_text("a file", "utf-8")
        else:
            wrong.mkdir()
        with pytest.raises(DragomanError, match=r"cannot be (written|read)"):
            build(project)
        wrong.unlink() if wrong.is_file() else wrong.rmdir()
    build(project)


@pytest.mark.parametrize("seconds", [10**9, 4 * 10**9])
def test_a_clock_that_was_wrong_changes_nothing(tmp_path: Path, seconds: int) -> None:
    two(tmp_path)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            os.utime(path, (seconds, seconds))
    assert "Opgezette voet" in answer(tmp_path)
    assert build(load(tmp_path)).reused
    terms = tmp_path / "terms" / "terms.csv"  # another content of the same size and time
    terms.write_text(small.TERMS.replace("zwelvoet", "zwalvoet"), "utf-8")
    os.utime(terms, (seconds, seconds))
    assert not build(load(tmp_path), accept=True).reused
    assert Dragoman.open(tmp_path).lookup("zwalvoet").concepts


def test_a_build_after_going_back_follows_what_is_in_use(tmp_path: Path) -> None:
    project, ids = small.write(tmp_path), []
    for n in range(store.KEEP + 1):
        small.write(tmp_path, entities=small.ENTITIES.replace("Dikke voet", f"Voet nummer {n}"))
        ids.append(build(load(tmp_path)).id)
    store.rollback(project.index)
    store.rollback(project.index, ids[1])
    small.write(tmp_path, entities=NEWER)
    report = build(load(tmp_path))
    assert report.previous == ids[1]
    assert store.at_hand(project.index)[:2] == [report.id, ids[1]]
    assert store.rollback(project.index).id == ids[1]
    for name in store.at_hand(project.index):
        store.check(project.index / name)


@pytest.mark.parametrize("line", ["G{}", "{}0", "{:.15}", "\u00e9{}", "../x", "current"])
def test_a_damaged_pointer_puts_no_earlier_index_into_use(tmp_path: Path, line: str) -> None:
    project, first, second = two(tmp_path)
    (project.index / store.CURRENT).write_text(f"{line.format(second)}\n{first}\n", "utf-8")
    with pytest.raises(IndexUnusable, match=r"damaged.*rollback"):
        Dragoman.open(tmp_path)
    assert build(load(tmp_path)).id == second
    assert "Opgezette voet" in answer(tmp_path)
    assert store.at_hand(project.index) == [second, first]


def test_a_part_that_the_disk_does_not_give_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, _, _ = two(tmp_path)

    def broken(path: Path) -> str:
        raise OSError(5, "Input/output error", str(path))

    monkeypatch.setattr(manifest, "digest_file", broken)
    place = store.open_place(project.index)  # nobody has written to it: it is not read
    with pytest.raises(IndexUnusable, match=r"cannot be read \(Input/output error\)"):
        store.check(place)


@pytest.mark.parametrize("tries", [8, pytest.param(400, marks=pytest.mark.slow)])
def test_whatever_is_done_to_a_file_no_answer_is_wrong_and_a_build_mends_it(tmp_path: Path, tries: int) -> None:
    project, _, newest = two(tmp_path)
    home, sound, kept = project.index, answer(tmp_path), tmp_path / "kept"
    shutil.copytree(home, kept)
    files = sorted(p.relative_to(kept) for p in kept.rglob("*") if p.is_file())
    for seed in range(tries):
        random = Random(seed)
        shutil.rmtree(home)
        shutil.copytree(kept, home)
        assert answer(tmp_path) == sound  # and the copy is known from now on
        beside = [f for f in files if f.suffix == ".json" or f.name == store.CURRENT]
        file = home / random.choice(beside if seed % 2 else files)
        raw, times = bytearray(file.read_bytes()), file.stat()
        change = random.randrange(6)
        if change == 0:
            file.unlink()
        elif change == 1:
            file.unlink()
            if file.parent != home:  # what a build writes first, it says that it cannot
                file.mkdir()
        elif change == 2:
            file.write_bytes(raw[: random.randrange(len(raw) + 1)])
        elif change == 3:
            file.write_bytes((kept / random.choice(files)).read_bytes())
        elif raw:
            raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
            file.write_bytes(raw)
            if change == 4:
                os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        told = f"{seed}: {change} {file.relative_to(home)}"
        with suppress(IndexUnusable):
            assert answer(tmp_path) == sound, told
        assert build(load(tmp_path), accept=True).id == newest, told
        assert store.check(store.open_place(home)).id == newest, told
        assert answer(tmp_path) == sound, told
