"""A real browser for the tests of the page. Without one they are skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dragoman import Dragoman

playwright = pytest.importorskip("playwright.sync_api", reason="the development group is not installed")

from tests.serve.page.support import DESKTOP, FLAGS, NAMES, Visit, executable, served, with_tables  # noqa: E402


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for a module: while it is open its event loop is this thread's."""
    found = executable()
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on PATH")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=found, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Visit]]:
    """Open the page of an address; afterwards its console must be empty, and everything came from that address."""
    visits: list[Visit] = []

    def make(address: str, size: tuple[int, int] = DESKTOP, scheme: str = "light", **more: Any) -> Visit:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, reduced_motion="reduce", **more
        )
        context.set_default_timeout(60_000)
        visits.append(Visit(context, address))
        return visits[-1]

    yield make
    for one in visits:
        one.context.close()
    for one in visits:
        assert one.said == []
        assert [r.url for r in one.asked if not r.url.startswith((one.address, "data:"))] == []


@pytest.fixture(scope="module")
def formulary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the demo formulary, which counts gaps."""
    engine = with_tables(Dragoman.demo("formulary"), tmp_path_factory.mktemp("formulary"))
    with served(engine) as address:
        yield address
    engine.close()


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the demo hospital."""
    engine = with_tables(Dragoman.demo("hospital"), tmp_path_factory.mktemp("hospital"))
    with served(engine) as address:
        yield address
    engine.close()
