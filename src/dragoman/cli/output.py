"""What goes to stdout and what to stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from dragoman.errors import DragomanError

PIPED_WIDTH = 110  # columns, where the output is no terminal


def print_json(value: Any) -> None:
    """One JSON document: on one line, or indented where a person looks on."""
    import msgspec

    data = msgspec.json.encode(value)
    if sys.stdout.isatty():
        data = msgspec.json.format(data, indent=2)
    sys.stdout.write(data.decode() + "\n")


def console(*, stderr: bool = False) -> Console:
    """A Rich console; NO_COLOR and terminals without colour are respected."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH
    return Console(stderr=stderr, highlight=False, width=width, markup=False, emoji=False)


@contextmanager
def counter(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Tell how many of ``total`` are done: a bar on stderr where that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=total)
        yield lambda done: bars.update(task, completed=done)


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Tell how far work is: a line on stderr that a terminal shows in place, and that is gone when the work is done."""
    live = sys.stderr.isatty()

    def tell(line: str) -> None:
        sys.stderr.write(f"\r\033[K{line}" if live else f"{line}\n")
        sys.stderr.flush()

    yield tell
    if live:
        sys.stderr.write("\r\033[K")


def complain(line: str) -> None:
    """One line to stderr."""
    sys.stderr.write(line + "\n")


def fail(error: DragomanError, *, as_json: bool) -> None:
    """An error as ``error: where: what; advice`` on stderr, and as a document on stdout where JSON was asked for."""
    complain(f"error: {error}")
    if as_json:
        print_json(
            {
                "error": {
                    "kind": type(error).__name__,
                    "where": error.where or None,
                    "what": error.what,
                    "advice": error.advice or None,
                }
            }
        )
