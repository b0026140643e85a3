"""What an administrator has switched off while the service runs: layers, features, the model.

The worker processes of a service share a file, which each looks at once a second. It is gone when the service ends:
what is to last belongs in the project file.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from dragoman.enrich.layers import LAYERS
from dragoman.enrich.work import FEATURES
from dragoman.serve.problems import ProblemError

NAMES = (*(layer.name for layer in LAYERS), *FEATURES)
FILE = "switches.json"
STATE_VARIABLE = "DRAGOMAN_SERVE_STATE"  # the folder that the processes of a service share while it runs


class Switched(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``without``: layers and features that are off. ``model``: whether the project's model is asked."""

    without: tuple[str, ...] = ()
    model: bool = True


class Switches:
    """The switches of one service; ``folder`` is where its processes share them, ``None`` for one process alone."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE if folder else None
        self._seen: tuple[int, int] | None = None
        self.now = Switched()

    def put(self, switched: Switched) -> None:
        """Switch; the other processes follow within a second. Raises ``ProblemError`` for an unknown name."""
        check(switched.without)
        if self._path is not None:
            fresh = self._path.with_name(f".{FILE}-{os.getpid()}")
            fresh.write_bytes(msgspec.json.encode(switched))
            self._seen = _stamp(fresh)  # before it can be seen: what stands there a moment later may be another's
            fresh.replace(self._path)
        self.now = switched

    def look(self) -> None:
        """Take up what another process has switched."""
        if self._path is None:
            return
        try:
            changed = _stamp(self._path)
        except FileNotFoundError:
            return
        if changed != self._seen:
            self._seen = changed
            self.now = msgspec.json.decode(self._path.read_bytes(), type=Switched)


def _stamp(path: Path) -> tuple[int, int]:
    """By which a file that was replaced is known; clocks of file systems tick too seldom to do it alone."""
    state = path.stat()
    return state.st_mtime_ns, state.st_ino


def check(without: tuple[str, ...]) -> None:
    """Refuse names of layers and features that there are not. Raises ``ProblemError``, which lists those there are."""
    if any(name not in NAMES for name in without):
        raise ProblemError("value", f"without names no layer or feature; there are: {', '.join(NAMES)}")
