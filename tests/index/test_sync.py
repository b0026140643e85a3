"""What a build leaves is written out before anything names it: every file, then the folder, whatever the disk says."""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import pytest
from tests.index import project as small

from dragoman.errors import DataError
from dragoman.index import manifest, store
from dragoman.index.build import build


def test_every_file_is_written_out_before_the_pointer_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = small.write(tmp_path)
    synced: list[Path] = []
    held = threading.Lock()
    sync = manifest.sync

    def noting(path: Path) -> None:
        sync(path)
        with held:
            synced.append(path)

    for module in (manifest, store):
        monkeypatch.setattr(module, "sync", noting)
    report = build(project)
    place = Path(report.path or "")
    shared = place / store.read_manifest(place).shared.at  # type: ignore[union-attr]
    names = {path.name for path in synced}
    assert {p.name for p in (*place.iterdir(), *shared.iterdir())} <= names
    pointer = next(
        n for n, path in enumerate(synced) if path.name.startswith(manifest.HALF) and path.parent == project.index
    )
    assert all(n < pointer for n, path in enumerate(synced) if path.name.endswith((".u32", ".blob")))


@pytest.mark.parametrize("failing", ["terms.text.blob", "manifest.json", "drugs.alias.drug.u32"])
def test_a_disk_that_is_full_when_it_is_written_out_leaves_the_old_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    project = small.write(tmp_path)
    old = build(project).id
    small.write(tmp_path, terms=small.many_terms(5), entities=small.ENTITIES.replace("Dikke voet", "Opgezette voet"))
    sync = manifest.sync

    def full(path: Path) -> None:
        if path.name == failing:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        sync(path)

    with monkeypatch.context() as patch:
        patch.setattr(manifest, "sync", full)
        with pytest.raises(DataError, match=r"No space left.*the index in use stays"):
            build(project)
    assert store.check(store.open_place(project.index)).id == old
    build(project, accept=True)
    assert not list(project.index.rglob(f"{store.FRESH}*"))
