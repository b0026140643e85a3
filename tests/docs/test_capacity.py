"""The capacity page follows from its figures."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_what_the_figures_give() -> None:
    script = runpy.run_path(str(DOCS / "make_capacity.py"))
    assert script["PAGE"].read_text("utf-8") == script["page"](), "run: python docs/make_capacity.py"
