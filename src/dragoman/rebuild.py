"""Builds of an index for who watches its sources: in this process, or apart in one that stands ready for it."""

from __future__ import annotations

import subprocess
import sys

import msgspec

from dragoman.errors import DragomanError, ServiceError
from dragoman.project import Project

READY = ("-m", "dragoman.cli.ready")  # a command line that has loaded what a build needs, and waits for its word


def rebuild_here(project: Project) -> str:
    """Build in this process."""
    from dragoman.index.build import build

    return build(project).id


def rebuild_apart(project: Project) -> str:
    """Run ``dragoman build`` of the same Python, golden questions and all; what it says of an error becomes one."""
    return _outcome(_start(project), project)


class Apart:
    """Builds apart, as ``rebuild_apart`` does, in a process that was started when the build before had ended.

    Starting Python and loading what a build needs takes longer than building the small part of an index. The first
    build starts its process itself; the next finds one that waits, at rest, and ends with this one's process.
    """

    def __init__(self) -> None:
        self._spare: subprocess.Popen[bytes] | None = None

    def __call__(self, project: Project) -> str:
        """Build; raises what ``rebuild_apart`` does."""
        spare, self._spare = self._spare, None
        if spare is not None and spare.poll() is not None:  # somebody ended it
            spare.communicate()
            spare = None
        try:
            return _outcome(spare or _start(project), project)
        finally:
            self._spare = _start(project)

    def close(self) -> None:
        """Let the waiting process go."""
        spare, self._spare = self._spare, None
        if spare is not None:
            spare.communicate()  # the end of its input, without the word, is its end


def _start(project: Project) -> subprocess.Popen[bytes]:
    command = [sys.executable, *READY, "build", "--json", "--project", str(project.path)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )  # fmt: skip


def _outcome(process: subprocess.Popen[bytes], project: Project) -> str:
    """Give the word, and read what the build says: the id of the index, or an error to raise."""
    out, _ = process.communicate(b"\n")
    try:
        told = msgspec.json.decode(out, type=_Told)
    except msgspec.DecodeError:
        raise DragomanError(
            f"the build ended without a word (exit {process.returncode})",
            where=str(project.path),
            advice="run `dragoman build` to see why",
        ) from None
    if told.id is not None:
        return told.id
    error = told.error or _Error()
    kind = ServiceError if process.returncode == ServiceError.exit_code else DragomanError
    raised = kind(error.what, where=error.where or "", advice=error.advice or "")
    raised.retry = error.kind in ("IndexBusy", "ServiceError")
    raise raised


class _Error(msgspec.Struct):
    kind: str = ""
    what: str = "the build failed"
    where: str | None = None
    advice: str | None = None


class _Told(msgspec.Struct):
    """What ``build --json`` prints, as far as it is read here."""

    id: str | None = None
    error: _Error | None = None
