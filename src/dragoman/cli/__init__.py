"""The command ``dragoman``: one file a command family, and everything heavy imported where it is used."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns its exit code.

    0 done; 1 done, but a stated threshold is not met; 2 bad usage, configuration or data; 3 a needed service did not
    answer. Errors of dragoman's go to stderr as one line, and with ``--json`` to stdout as one document.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _open_closed_streams()
    try:
        code = _run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        return _gone()
    except SystemExit as leaving:  # what Rich makes of a broken pipe
        if isinstance(leaving.__context__, BrokenPipeError):
            return _gone()
        raise
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        return 130
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _gone()
        sys.stderr.write(f"error: the output cannot be written ({error.strerror}); free some space\n")
        return 2
    return code


def _open_closed_streams() -> None:
    """A daemon may start a program without streams: then there is nothing to read, and what is written goes nowhere."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123  (stays open, as the stream would)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def _gone() -> int:
    """The reader has gone (``| head``): what is still buffered has nowhere to go, and Python must not try at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _run(given: list[str]) -> int:
    if given == ["--version"]:  # answered without loading the command line
        from dragoman._version import __version__

        sys.stdout.write(f"dragoman {__version__}\n")
        return 0
    from dragoman.cli.app import app
    from dragoman.errors import DragomanError

    try:
        return app(given)
    except DragomanError as error:
        from dragoman.cli.output import fail

        fail(error, as_json="--json" in given[: given.index("--") if "--" in given else None])
        return error.exit_code
