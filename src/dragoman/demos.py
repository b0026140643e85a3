"""The two deployments that ship with dragoman, built on first use."""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic, sleep

from dragoman.errors import IndexBusy, IndexUnusable
from dragoman.index import store
from dragoman.index.build import build
from dragoman.project import BUILT_IN, Project, load
from dragoman.vocabularies import Vocabularies

_PATIENCE_S = 60.0  # how long to wait for another process that builds the same demo


def home_of(name: str) -> Path:
    """Where a demo's index is kept: ``$XDG_CACHE_HOME/dragoman/<name>``, by default under ``~/.cache``."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "dragoman" / name


def opened(name: str) -> tuple[Project, Vocabularies]:
    """A demo by its name, with or without ``demo-`` before it; built where there is none of this version's data.

    Where another process is building it, this one waits for it, at most a minute; then ``IndexBusy``.
    """
    key = name if name in BUILT_IN else f"demo-{name}"
    project = load(key)
    home = home_of(key)
    patience = monotonic() + _PATIENCE_S
    while True:
        try:
            place = store.open_place(home)
            if not _fresh(place, project):
                raise IndexUnusable("the demo has changed", where=str(place))
            return project, Vocabularies(place, project)
        except IndexUnusable:
            try:
                build(project, out=home)
            except IndexBusy:
                if monotonic() > patience:
                    raise
                sleep(0.1)
                continue
            return project, Vocabularies(store.open_place(home), project)


def _fresh(place: Path, project: Project) -> bool:
    """Whether the demo at ``place`` was built from the data that this version ships, by this version."""
    manifest = store.read_manifest(place)
    if manifest.dragoman != store.__version__:
        return False
    files = {name: sha for source in manifest.sources for name, sha in source.files.items()}
    return all(
        (project.base / name).is_file() and store.digest_file(project.base / name) == sha for name, sha in files.items()
    )
