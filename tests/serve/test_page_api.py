"""What the page asks for, without a browser: answers, refusals, and what must not be reached."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("litestar", reason="the extra `serve` is not installed")

from litestar.testing import TestClient
from tests.serve import support

from dragoman import Dragoman
from dragoman.project_tables import LlmTable
from dragoman.serve import golden_runs
from dragoman.serve.app import create_app

HERE = "http://127.0.0.1"  # without a key the service answers to the loopback's names alone


def engine_in(folder: Path, **tables: Any) -> Dragoman:
    """The demo hospital with its reports in ``folder``."""
    demo = Dragoman.demo("hospital")
    serve = msgspec.structs.replace(demo.project.file.serve, reports=str(folder), request_timeout_s=600.0)
    file = msgspec.structs.replace(demo.project.file, serve=serve, **tables)
    return Dragoman(msgspec.structs.replace(demo.project, file=file), demo.vocabularies)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient[Any]]:
    with TestClient(create_app(engine=engine_in(tmp_path / "reports")), base_url=HERE) as one:
        yield one


def test_search_answers_with_and_without(client: TestClient[Any]) -> None:
    terms = [{"term": "Te traag werkende schildklier", "weight": 0.5}]
    found = client.post("/page/search", json={"text": "hypothyreoïdie", "terms": terms}).json()
    assert found["available"] is True
    assert found["plain"] == []
    assert found["enriched"][0]["id"] == "te-traag-werkende-schildklier"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"text": 5}, 400),
        ({"text": "x", "more": 1}, 400),
        ({"text": "x" * 4001}, 422),
        ({"text": "x", "terms": [{"term": "y" * 4001, "weight": 1}]}, 422),
        ({"text": "x", "terms": [{"term": "y", "weight": 1}] * 201}, 400),
    ],
)
def test_search_refuses(client: TestClient[Any], body: dict[str, Any], status: int) -> None:
    answer = client.post("/page/search", json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert "yyyy" not in answer.text


def test_half_a_surrogate_pair_is_refused(client: TestClient[Any]) -> None:
    answer = client.post("/page/search", content=b'{"text": "\\ud83d"}', headers={"content-type": "application/json"})
    assert 400 <= answer.status_code < 500


def test_golden_runs_are_made_once_and_kept(client: TestClient[Any], tmp_path: Path) -> None:
    assert client.get("/page/golden").json() == {"can_run": True, "runs": []}
    first = client.post("/page/golden/run").json()
    again = client.post("/page/golden/run").json()
    assert first == again
    assert first["rates"]["all"]["passed"] == first["rates"]["all"]["total"] > 200
    (kept,) = (tmp_path / "reports").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert client.get("/page/golden").json()["runs"][0]["name"] == kept.stem
    assert client.get(f"/page/golden/{kept.stem}").json() == first
    same = client.post("/page/golden/compare", json={"before": kept.stem, "after": kept.stem}).json()
    assert (same["lost"], same["won"], same["p"]) == ([], [], 1.0)


def test_a_run_that_takes_longer_than_a_request_may_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free, begun = threading.Event(), []
    run = golden_runs._run

    def held(*given: Any) -> Any:
        begun.append(given)
        free.wait(60)
        return run(*given)

    monkeypatch.setattr(golden_runs, "_run", held)
    engine = engine_in(tmp_path / "reports")
    serve = msgspec.structs.replace(engine.project.file.serve, request_timeout_s=0.5)
    file = msgspec.structs.replace(engine.project.file, serve=serve)
    engine.project = msgspec.structs.replace(engine.project, file=file)
    with TestClient(create_app(engine=engine), base_url=HERE) as one:
        for _ in range(3):
            answer = one.post("/page/golden/run")
            assert answer.status_code == 504
            assert "still being asked" in answer.json()["detail"]
        free.set()
        found = next(a for _ in range(600) if (a := one.post("/page/golden/run")).status_code == 200)
        assert found.json()["rates"]["all"]["total"] > 200
    assert len(begun) == 1


def test_what_eval_printed_is_a_run(client: TestClient[Any], tmp_path: Path) -> None:
    row = {"id": "a", "category": "c", "language": "nl", "passed": False, "skipped": False, "why": "because"}
    rate = {"passed": 0, "total": 1, "rate": 0.0, "low": 0.0, "high": 0.8, "skipped": 0, "known": 0}
    document = {
        "cases": [row],
        "rates": {"all": rate, "categories": {"c": rate}, "languages": {"nl": rate}},
        "missed": [],
    }
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "monday.json").write_bytes(msgspec.json.encode(document))
    found = client.get("/page/golden/monday").json()
    assert found["cases"] == [row]
    assert found["at"]


@pytest.mark.parametrize("name", ["nothing", "..%2Fsecret", "%2e%2e%2fsecret", "*", "%00", "a" * 300])
def test_only_runs_are_read(client: TestClient[Any], tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.json").write_bytes(b"{}")
    (tmp_path / "reports").mkdir()
    answer = client.get(f"/page/golden/{name}")
    assert 400 <= answer.status_code < 500, answer.text


def test_a_file_that_is_no_run_says_so(client: TestClient[Any], tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "bad.json").write_bytes(b"[1")
    (run,) = client.get("/page/golden").json()["runs"]
    assert run["fault"] == "is no run of golden questions"
    assert client.get("/page/golden/bad").status_code == 422


def test_a_folder_that_cannot_be_written_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    engine = engine_in(tmp_path / "file" / "reports")
    file = golden_runs.golden_file(engine)
    assert file is not None
    assert golden_runs.Runner().run(engine, file).kept is False


def test_a_model_is_not_asked_for_golden_questions_and_the_probe_sends_no_words(tmp_path: Path) -> None:
    llm = LlmTable(provider="openai", model="m", base_url="http://127.0.0.1:9/v1", timeout_s=2)
    with TestClient(create_app(engine=engine_in(tmp_path, llm=llm)), base_url=HERE) as client:
        assert client.get("/page/golden").json()["can_run"] is False
        assert client.post("/page/golden/run").status_code == 422
        system = client.get("/page/system").json()
        assert system["sends"]["to"] == "http://127.0.0.1:9/v1"
        assert "the person's message" in system["sends"]["sent"]
        probed = client.post("/page/probe").json()
        assert probed["error"] == "understanding_provider_unavailable"


def test_gaps_without_counting(client: TestClient[Any]) -> None:
    found = client.get("/page/gaps").json()
    assert found["counted"] is False
    assert found["gaps"]["no_page"] == []
    assert client.get("/page/gaps?limit=0").status_code == 400
    assert client.get("/page/gaps?limit=many").status_code == 400


def test_the_system_tells_what_answers(client: TestClient[Any]) -> None:
    found = client.get("/page/system").json()
    assert found["sends"] is None
    assert found["index"]["id"] == Dragoman.demo("hospital").info.id
    assert [s["licence"] for s in found["index"]["sources"] if s["name"] == "sct"] == ["open"]
    assert found["labels"]["turn_type"]["condition_info"] == "About a condition"
    assert {s["name"]: s["on"] for s in found["switches"]}["near"] is True
    assert client.post("/page/probe").status_code == 404


def test_a_restricted_terminology_is_marked(tmp_path: Path) -> None:
    demo = Dragoman.demo("hospital").project.file
    table = msgspec.structs.replace(demo.terminology[0], licence="restricted")
    engine = engine_in(tmp_path, terminology=(table,))
    manifest = engine.vocabularies.manifest
    sources = tuple(msgspec.structs.replace(s, licence=None) for s in manifest.sources)
    engine.vocabularies.manifest = msgspec.structs.replace(manifest, sources=sources)
    with TestClient(create_app(engine=engine), base_url=HERE) as client:
        found = client.get("/page/system").json()["index"]["sources"]
    assert {s["name"]: s["restricted"] for s in found}["sct"] is True
    engine.vocabularies.manifest = manifest


def test_the_page_itself_is_served_under_a_strict_policy(client: TestClient[Any]) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "<script>" not in page.text
    assert " style=" not in page.text
    for path, kind in (("/js/main.js", "javascript"), ("/css/base.css", "text/css"), ("/icon.svg", "image/svg+xml")):
        found = client.get(path)
        assert found.status_code == 200, path
        assert kind in found.headers["content-type"], path


@pytest.fixture(scope="module")
def region(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient[Any]]:
    """A project with files of its own beside it and two tenants, of which one has pages and golden questions."""
    folder = tmp_path_factory.mktemp("region")
    case = {"id": "a", "language": "en", "category": "c", "turn": {"text": "x"}, "expect": {"frame": {"drugs": []}}}
    for name in ("golden.jsonl", "north-golden.jsonl"):
        (folder / name).write_bytes(msgspec.json.encode(case) + b"\n")
    for name in ("pages.jsonl", "north-pages.jsonl"):
        page = {"id": name, "title": name, "text": "Panadol and omeprazole"}
        (folder / name).write_bytes(msgspec.json.encode(page) + b"\n")
    (folder / "questions.jsonl").write_bytes(b'{"text": "How much Panadol?"}\n')
    path = support.project(folder, tenants=True)
    north = '[tenants.north]\npages = "north-pages.jsonl"\ngolden = "north-golden.jsonl"\n'
    path.write_text(path.read_text("utf-8") + north + '[serve]\nreports = "reports"\n', "utf-8")
    with support.Served(path) as one:
        yield one.client


def test_a_tenant_searches_its_own_pages_and_no_others(region: TestClient[Any]) -> None:
    found = {}
    for at in ("", "/t/north", "/t/south"):
        answer = region.post(f"{at}/page/search", json={"text": "omeprazole"}).json()
        found[at] = [hit["id"] for hit in answer["plain"]]
    assert found == {"": ["pages.jsonl"], "/t/north": ["north-pages.jsonl"], "/t/south": []}
    assert region.get("/t/south/page/system").json()["searches"] is False


def test_a_tenant_sees_its_own_runs_and_questions_and_no_others(region: TestClient[Any]) -> None:
    made = {at: region.post(f"{at}/page/golden/run").json() for at in ("", "/t/north")}
    assert made[""]["kept"] is made["/t/north"]["kept"] is True
    for at, other in (("", "/t/north"), ("/t/north", "")):
        assert [run["name"] for run in region.get(f"{at}/page/golden").json()["runs"]] == [made[at]["name"]]
        assert region.get(f"{at}/page/golden/{made[other]['name']}").status_code == 404
    assert region.get("/t/south/page/golden").json() == {"can_run": False, "runs": []}
    assert region.post("/t/south/page/golden/run").status_code == 404
    asked = {at: len(region.get(f"{at}/page/system").json()["questions"]) for at in ("", "/t/north")}
    assert asked == {"": 1, "/t/north": 0}
