from __future__ import annotations

import pytest

from dragoman.testing import FakeProvider


@pytest.fixture
def fake():
    with FakeProvider() as provider:
        yield provider
