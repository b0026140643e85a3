"""The tools inside the service: the official client at ``/mcp``, for each tenant what is that tenant's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.serve import support
from tests.serve.page.support import served

from dragoman import Dragoman


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    engine = Dragoman.open(support.project(tmp_path_factory.mktemp("mounted"), tenants=True))
    with served(engine) as at:
        yield at
    engine.close()


def call(url: str, tool: str, arguments: dict[str, Any], key: str = "") -> Any:
    async def run() -> Any:
        async with (
            httpx2.AsyncClient(headers={"x-api-key": key} if key else {}, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await client.call_tool(tool, arguments)

    return anyio.run(run)


def drugs(url: str, text: str) -> list[str]:
    found = call(url, "resolve_drugs", {"text": text})
    return [drug["id"] for drug in found.structured_content["drugs"]]


def test_the_project_answers_at_its_own_address(address: str) -> None:
    assert drugs(f"{address}/mcp", "Panadol and omeprazole") == ["paracetamol"]
    answer = call(f"{address}/mcp", "understand_query", {"text": "how much Panadol?"})
    assert answer.structured_content["frame"]["drugs"] == ["paracetamol"]


@pytest.mark.parametrize(("tenant", "drug"), [("north", "omeprazole"), ("south", "metformin")])
def test_each_tenant_answers_for_itself(address: str, tenant: str, drug: str) -> None:
    assert drugs(f"{address}/t/{tenant}/mcp", "omeprazole, metformin") == [drug]


def test_a_tool_error_comes_back_as_one(address: str) -> None:
    answer = call(f"{address}/mcp", "enrich_query", {"text": "x" * 4001})
    assert answer.is_error is True
    assert "the limit is 4000" in answer.content[0].text


@pytest.mark.parametrize("tool", ["understand_query", "enrich_query", "resolve_drugs"])
def test_a_language_that_is_not_read_is_an_error(address: str, tool: str) -> None:
    answer = call(f"{address}/mcp", tool, {"text": "Panadol", "language": "fr"})
    assert answer.is_error is True
    assert "en, nl, vi" in answer.content[0].text
    for known in ("en", "nl-BE", "vi_VN", "", None):
        assert not call(f"{address}/mcp", tool, {"text": "Panadol", "language": known}).is_error


def test_a_term_is_as_long_as_elsewhere(address: str) -> None:
    answer = call(f"{address}/mcp", "lookup_term", {"term": "x" * 4001})
    assert answer.is_error is True
    assert "the limit is 4000" in answer.content[0].text


def test_what_is_switched_off_is_off_for_agents_and_their_turns_are_counted(tmp_path: Path) -> None:
    text, table = support.key(admin=True)
    engine = Dragoman.open(support.project(tmp_path, table))
    with served(engine) as at, httpx.Client(base_url=at, headers={"x-api-key": text}) as admin:

        def appended(tool: str) -> list[Any]:
            found = call(f"{at}/mcp", tool, {"text": "Panadol"}, text).structured_content
            expansions: list[Any] = found.get("enrichment", found)["expansions"]
            return expansions

        for tool in ("understand_query", "enrich_query"):
            assert appended(tool)
        assert admin.put("/v1/admin/switches", json={"without": ["catalog"]}).status_code == 200
        for tool in ("understand_query", "enrich_query"):
            assert not appended(tool)
        call(f"{at}/mcp", "resolve_drugs", {"text": "Panadol"}, text)
        counts = admin.get("/metrics").text
        assert 'dragoman_candidates_total{kind="drug",match="exact"} 5.0' in counts
        assert "dragoman_turns_total{" in counts
    engine.close()


def test_nothing_of_a_call_is_logged(
    address: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    with caplog.at_level("DEBUG"):
        call(f"{address}/mcp", "understand_query", {"text": support.TEXT})
        call(f"{address}/mcp", "lookup_term", {"term": support.SECRET})
    said = capfd.readouterr()
    written = (
        said.out + said.err + "".join(r.getMessage() for r in caplog.records if not r.name.startswith("mcp.client"))
    )
    assert support.SECRET not in written
