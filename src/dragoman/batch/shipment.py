"""A project on its way to workers: packed where the batch is started, opened once a process where it is done."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from dragoman import rows
from dragoman.batch.job import Shipment
from dragoman.engine import Dragoman
from dragoman.errors import ConfigError
from dragoman.folder import PACKAGE
from dragoman.index import remote, store
from dragoman.project import BUILT_IN, Project, load
from dragoman.types import Value
from dragoman.vocabularies import Vocabularies

_DEPTH = 6  # how far above its own folder a project may name folders of its own, for them to be sent along


def pack(engine: Dragoman, project: str, *, tenant: str | None = None, store_url: str | None = None) -> Shipment:
    """What workers need to read as ``engine`` reads: the project's own files, and where the index stands.

    With ``store_url`` the index is one that was pushed there, and each node fetches it once; else the workers must
    reach the folder that it stands in here. Raises ``ConfigError`` where the store does not hold this index.
    """
    place = engine.vocabularies.place
    if store_url is not None and not remote.holds(store_url, place.name):
        raise ConfigError(
            f"does not hold the index {place.name}", where=store_url, advice=f"run `dragoman index push {store_url}`"
        )
    built_in = project in BUILT_IN
    return Shipment(
        project=project if built_in else engine.project.path.name,
        files=() if built_in else tuple(_files(engine.project)),
        tenant=tenant,
        index=place.name,
        home=None if store_url else str(place.parent.resolve()),
        store=store_url,
    )


def _files(project: Project) -> Iterator[tuple[str, bytes]]:
    """The project file, and the packs, the profile and the heads that are the project's own."""
    yield project.path.name, project.path.read_bytes()
    own = [folder.path for folder in (*project.languages, project.profile)]
    if project.file.offline.heads:
        own.append(project.at(project.file.offline.heads))
    for folder in own:
        if folder.resolve().is_relative_to(PACKAGE):
            continue
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                yield os.path.relpath(file, project.base), file.read_bytes()


class Reader(rows.ArrowMethods):
    """An opened project for one task: see ``reading.Engine``."""

    def __init__(self, engine: Dragoman, task: str, text: str, language: str | None, without: tuple[str, ...]) -> None:
        self.project = engine.project
        self.vocabularies = engine.vocabularies
        self.columns: dict[str, type[Value]] = rows.task(task).columns
        self.answer = rows.answerer(task, self.project, self.vocabularies, language, frozenset(without))
        self._how = (task, text, language, without)

    def add(self, data: object) -> object:
        """``data`` with the task's columns."""
        task, text, language, without = self._how
        return self._add(task, data, text, language, without, "raise")


@lru_cache(maxsize=4)
def unpack(shipment: Shipment) -> Dragoman:
    """The project, opened; once a process. ``IndexUnusable`` where the index is not there or not whole."""
    project = _project(shipment)
    if shipment.tenant is not None:
        project = project.tenant(shipment.tenant)
    if shipment.store is not None:
        place = remote.fetch(shipment.store, shipment.index)
    else:
        place = Path(shipment.home or "") / shipment.index
        store.trust(place)
    return Dragoman(project, Vocabularies(place, project))


def _project(shipment: Shipment) -> Project:
    if not shipment.files:
        return load(shipment.project)
    state = hashlib.sha256()
    for name, data in shipment.files:
        state.update(f"{name}\0{len(data)}\0".encode() + data)
    top = remote.cache() / "projects" / state.hexdigest()[:16]
    base = top.joinpath(*["p"] * _DEPTH)
    for name, data in shipment.files:
        path = Path(os.path.normpath(base / name))
        if not path.is_relative_to(top):
            raise ConfigError(
                "a folder that the project names stands too far from it to be sent along",
                where=name,
                advice="put it beside the project file",
            )
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, beside = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(handle, "wb") as out:
                out.write(data)
            Path(beside).replace(path)  # several workers of a node may do this at once
    return load(base / shipment.project)
