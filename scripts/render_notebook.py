"""Runs a script in the percent format and writes it as a notebook with its outputs.

    python scripts/render_notebook.py examples/notebook/first_look.py

The script is the source: a test runs it again and compares, so that what the notebook shows is what happens. Nothing of
Jupyter is needed to make it; Jupyter, and the pages of most forges, show it.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MARKER = "# %%"
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def cells(source: str) -> Iterator[tuple[str, str]]:
    """``(kind, text)`` of each cell, kind ``markdown`` or ``code``."""
    for part in source.split(MARKER)[1:]:
        head, _, body = part.partition("\n")
        text = body.strip("\n")
        if "[markdown]" in head:
            yield "markdown", "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.splitlines())
        else:
            yield "code", text


def rendered(script: Path) -> str:
    """The notebook of ``script``, run from its first cell to its last, as JSON."""
    space: dict[str, Any] = {"__name__": "__main__"}
    made: list[dict[str, Any]] = []
    count = 0
    for number, (kind, text) in enumerate(cells(script.read_text("utf-8"))):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": _lines(text)}
        if kind == "code":
            count += 1
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, f"{script.name}:{number}", "exec"), space)
            stream = [{"name": "stdout", "output_type": "stream", "text": _lines(out.getvalue())}]
            cell |= {"execution_count": count, "outputs": stream if out.getvalue() else []}
        made.append(cell)
    notebook = {"cells": made, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        path.with_suffix(".ipynb").write_text(rendered(path), "utf-8")
