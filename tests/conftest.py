"""What every test shares: how hypothesis behaves, and which tests wait to be asked for."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings
from tests.postgres import database, databases, mortal_postgres, postgres

__all__ = ["database", "databases", "mortal_postgres", "postgres"]  # fixtures

# The machines that run these tests are shared and slow at times: a deadline would only measure the neighbours.
settings.register_profile("dev", deadline=None)
# The same examples each time, so that a red run is red for everyone.
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip rather than deselect, so that the summary says what did not run."""
    reasons = {}
    if not config.getoption("--slow"):
        reasons["slow"] = "slow: run `make soak`"
    if not os.environ.get("DRAGOMAN_PACKS"):
        reasons["pack"] = "no further cases: DRAGOMAN_PACKS is unset"
    for item in items:
        for marker, reason in reasons.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))
