"""``python -m dragoman.cli.ready COMMAND``: a command line that does its work when it gets a line to read.

Until then everything that a build needs is loaded and nothing is done; at the end of its input, without a line, it
ends. ``dragoman.rebuild`` keeps one waiting, for the moment when a database says that something changed.
"""

from __future__ import annotations

import contextlib
import importlib
import sys

from dragoman.cli import main

NEEDED = (
    "numpy",
    "concurrent.futures.thread",
    "dragoman.cli.app",
    "dragoman.cli.build",
    "dragoman.index.build",
    "dragoman.engine",
)
OPTIONAL = ("dragoman.readers.own", "psycopg")  # what builds from a database need as well


def wait(arguments: list[str]) -> int:
    """Load, wait for a line, and run ``dragoman`` with ``arguments``; the exit code, 0 where no line came."""
    for name in NEEDED:
        importlib.import_module(name)
    for name in OPTIONAL:
        with contextlib.suppress(ImportError):  # the build says what is missing, where it is needed
            importlib.import_module(name)
    if not sys.stdin.buffer.readline():
        return 0
    return main(arguments)


if __name__ == "__main__":
    sys.exit(wait(sys.argv[1:]))
