from __future__ import annotations

from pathlib import Path

import pytest
from tests.serve import support


@pytest.fixture(scope="session")
def open_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project without a key, on its built index."""
    return support.project(tmp_path_factory.mktemp("open"))


@pytest.fixture(scope="module")
def served(open_project: Path):
    """A service that asks for no key."""
    with support.Served(open_project) as one:
        yield one
