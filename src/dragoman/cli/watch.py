"""Waits for a project's sources to change, by looking at them now and then."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

EVERY_S = 0.5
Look = dict[Path, tuple[int, int]]


def changes(project: str, every_s: float = EVERY_S) -> Iterator[str]:
    """Yield once at the start (an empty name), then the name of a changed file after each change has come to rest."""
    seen = look(project)
    yield ""
    while True:
        time.sleep(every_s)
        now = look(project)
        if now == seen:
            continue
        while (later := _after(project, every_s)) != now:  # somebody is still writing
            now = later
        changed = sorted(path for path in {*seen, *now} if seen.get(path) != now.get(path))
        seen = now
        yield changed[0].name if changed else ""


def look(project: str) -> Look:
    """Every file that a build of the project reads, with its time of change (ns) and size (bytes).

    A project file that is wrong is a file like any other: the build says what is wrong with it.
    """
    from dragoman.errors import ConfigError
    from dragoman.project import load, locate

    roots = [locate(project)]
    try:
        loaded = load(project)
    except ConfigError:
        return _stats(roots)
    roots += [source.path for source in loaded.sources]
    roots += [path for _, path in loaded.own_files]
    if loaded.file.build.golden:
        roots.append(loaded.at(loaded.file.build.golden))
    return _stats(roots)


def _stats(roots: list[Path]) -> Look:
    found: Look = {}
    for root in roots:
        for path in root.rglob("*") if root.is_dir() else (root,):
            try:
                status = path.stat()
            except OSError:  # not there, or no longer: that is a change, too
                continue
            found[path] = (status.st_mtime_ns, status.st_size)
    return found


def _after(project: str, seconds: float) -> Look:
    time.sleep(seconds)
    return look(project)
