"""What a running service takes up: newer indexes, project files and keys, and an administrator's switches."""

from __future__ import annotations

import asyncio
import random
import threading
from pathlib import Path

import pytest
from tests.serve import support

from dragoman.index import store
from dragoman.index.build import build
from dragoman.project import load
from dragoman.serve.problems import ProblemError
from dragoman.serve.switches import STATE_VARIABLE, Switched, Switches


def drugs(client, text):
    return [c["id"] for c in client.post("/v1/resolve", json={"text": text}).json()["candidates"]]


def look(one):
    one.run(one.service.look)


def reloads(one, what, outcome):
    name = f'dragoman_reloads_total{{outcome="{outcome}",what="{what}"}}'
    found = [line for line in one.client.get("/metrics").text.splitlines() if line.startswith(name)]
    return float(found[0].split()[-1]) if found else 0


def test_a_newer_index_is_taken_up(tmp_path):
    path = support.project(tmp_path)
    with support.Served(path) as one:
        assert drugs(one.client, "Zolpidem") == []
        with (tmp_path / "drugs.csv").open("a") as file:
            file.write("zolpidem,Zolpidem\n")
        build(load(path))
        before = one.service.engine.info.id
        look(one)
        assert drugs(one.client, "Zolpidem") == ["zolpidem"]
        assert one.client.get("/version").json()["index"]["id"] != before
        assert reloads(one, "index", "taken") == 1


def test_a_changed_project_file_and_its_keys_are_taken_up(tmp_path):
    path = support.project(tmp_path)
    with support.Served(path) as one:
        assert one.client.post("/v1/ask", json={"text": "x" * 20}).status_code == 200
        text, table = support.key()
        path.write_text(support.PROJECT + "[limits]\ntext = 10\n" + table, "utf-8")
        look(one)
        assert one.client.post("/v1/ask", json={"text": "x" * 20}).status_code == 401
        sent = {"x-api-key": text}
        assert one.client.post("/v1/ask", json={"text": "x" * 20}, headers=sent).status_code == 422
        assert [line["what"] for line in one.log if line["event"] == "taken up"] == ["project"]


@pytest.mark.parametrize("wrong", ["[limit]\n", "= =", '[serve]\nkey_file = "missing.toml"\n', None])
def test_a_wrong_project_file_changes_nothing_and_is_told_once(tmp_path, wrong):
    path = support.project(tmp_path)
    with support.Served(path) as one:
        path.write_text(support.PROJECT + wrong, "utf-8") if wrong else path.unlink()
        look(one)
        look(one)
        assert one.client.post("/v1/ask", json={"text": "Panadol"}).status_code == 200
        told = [line for line in one.log if line["event"] == "not taken up"]
        assert len(told) == 1
        assert told[0]["what"] == "project"
        assert reloads(one, "project", "refused") == 1
        path.write_text(support.PROJECT + "[limits]\ntext = 10\n", "utf-8")
        look(one)
        assert one.client.post("/v1/ask", json={"text": "x" * 20}).status_code == 422


def test_a_project_file_that_waits_for_a_build_is_taken_up_after_it(tmp_path):
    """A tenant that is new in the file has no index yet; nobody touches the file again when it has one."""
    path = support.project(tmp_path)
    with support.Served(path) as one:
        path.write_text(support.PROJECT + support.TENANTS, "utf-8")
        look(one)
        look(one)
        assert one.client.get("/t/north/version").status_code == 404
        assert [line["event"] for line in one.log].count("not taken up") == 1
        build(load(path))
        look(one)
        assert one.client.get("/t/north/version").json()["project"] == "north"
        assert reloads(one, "project", "taken") == 1


def test_the_last_key_does_not_go_unnoticed(tmp_path):
    text, table = support.key()
    path = support.project(tmp_path, table)
    with support.Served(path) as one:
        path.write_text(support.PROJECT, "utf-8")
        look(one)
        assert one.client.get("/version").status_code == 401
        assert one.client.get("/version", headers={"x-api-key": text}).status_code == 200


def test_a_damaged_index_changes_nothing(tmp_path):
    path = support.project(tmp_path)
    with support.Served(path) as one:
        with (tmp_path / "drugs.csv").open("a") as file:
            file.write("zolpidem,Zolpidem\n")
        build(load(path))
        fresh = (tmp_path / ".dragoman/index/current").read_text().split()[0]
        (tmp_path / ".dragoman/index" / fresh / "manifest.json").write_text("{}")
        look(one)
        assert drugs(one.client, "Panadol") == ["paracetamol"]
        assert reloads(one, "index", "refused") == 1


# --- switches ------------------------------------------------------------------------------------------------------


@pytest.fixture
def run_by_admin(tmp_path):
    text, table = support.key(admin=True)
    with support.Served(support.project(tmp_path, table)) as one:
        one.client.headers["x-api-key"] = text
        yield one


def test_a_layer_is_switched_off_and_on_while_it_runs(run_by_admin):
    ask = run_by_admin.client
    assert ask.post("/v1/enrich", json={"text": "Panadol"}).json()["expansions"]
    assert ask.put("/v1/admin/switches", json={"without": ["catalog"]}).json() == {
        "without": ["catalog"],
        "model": True,
    }
    assert not ask.post("/v1/enrich", json={"text": "Panadol"}).json()["expansions"]
    assert ask.get("/version").json()["switched_off"] == ["catalog"]
    assert 'dragoman_switched_off{what="catalog"} 1.0' in ask.get("/metrics").text
    ask.put("/v1/admin/switches", json={})
    assert ask.post("/v1/enrich", json={"text": "Panadol"}).json()["expansions"]
    assert [line["event"] for line in run_by_admin.log].count("switched") == 2


def test_an_unknown_layer_is_refused(run_by_admin):
    assert run_by_admin.client.put("/v1/admin/switches", json={"without": ["catalogue"]}).status_code == 422
    assert run_by_admin.client.put("/v1/admin/switches", json={"modell": False}).status_code == 400


def test_the_processes_of_a_service_share_the_switches(tmp_path: Path):
    one, other = Switches(tmp_path), Switches(tmp_path)
    other.look()
    one.put(Switched(without=("near",), model=False))
    assert other.now == Switched()
    other.look()
    assert other.now == one.now
    with pytest.raises(ProblemError):
        one.put(Switched(without=("nearest",)))


def test_of_two_who_switch_at_once_the_last_one_counts_everywhere(tmp_path: Path, monkeypatch):
    one, other = Switches(tmp_path), Switches(tmp_path)
    replace = Path.replace
    done: list[bool] = []

    def and_then_the_other(self, target):
        found = replace(self, target)
        if not done:
            done.append(True)
            other.put(Switched(without=("near",)))
        return found

    monkeypatch.setattr(Path, "replace", and_then_the_other)
    one.put(Switched(model=False))
    monkeypatch.setattr(Path, "replace", replace)
    one.look()
    other.look()
    assert one.now == other.now == Switched(without=("near",))


def test_a_process_that_takes_the_place_of_another_begins_with_what_is_off(tmp_path, monkeypatch):
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    Switches(tmp_path).put(Switched(without=("catalog",)))
    with support.Served(support.project(tmp_path)) as one:
        assert not one.client.post("/v1/enrich", json={"text": "Panadol"}).json()["expansions"]


def test_who_asks_no_model_is_made_once_for_each_tenant(tmp_path):
    llm = '[llm]\nprovider = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
    one = support.Served(support.project(tmp_path, llm, tenants=True))
    one.service.switches.put(Switched(model=False))
    engines = [engine for _, engine in one.service.engines()]
    quiet = [one.service.asking(engine) for engine in engines]
    assert len({id(engine) for engine in (*quiet, *engines)}) == 6
    assert [one.service.asking(engine) for engine in engines] == quiet
    assert [engine.project.of for engine in quiet] == [None, "north", "south"]


def test_the_model_is_switched_off(tmp_path, monkeypatch):
    pytest.importorskip("openai", reason="the extra llm is not installed")
    from dragoman.testing import FakeProvider

    text, table = support.key(admin=True)
    with FakeProvider() as fake:
        llm = f'[llm]\nprovider = "openai"\nmodel = "m"\nbase_url = "{fake.base_url}"\n'
        with support.Served(support.project(tmp_path, llm + table)) as one:
            one.client.headers["x-api-key"] = text
            one.client.post("/v1/ask", json={"text": "Panadol dose?"})
            assert len(fake.requests) == 1
            assert one.client.get("/readyz").json()["provider"] != "unknown"
            one.client.put("/v1/admin/switches", json={"model": False})
            frame = one.client.post("/v1/ask", json={"text": "Panadol dose?"}).json()["frame"]
            assert frame["understood_by"] in ("rules", "offline")
            assert len(fake.requests) == 1
            assert one.client.get("/version").json()["model"] is None
            one.client.put("/v1/admin/switches", json={"model": True})
            one.client.post("/v1/ask", json={"text": "Panadol dose?"})
            assert len(fake.requests) == 2


def test_what_a_reload_replaces_is_let_go_when_its_requests_have_ended(tmp_path, monkeypatch):
    path = support.project(tmp_path, "[serve]\nrequest_timeout_s = 0.01\n")
    with support.Served(path) as one:
        closed = []
        old = one.service.engine
        monkeypatch.setattr(old, "close", lambda: closed.append(True))
        path.write_text(support.PROJECT, "utf-8")
        look(one)
        assert one.service.engine is not old
        one.run(asyncio.sleep, 0.2)
        assert closed == [True]


# --- all at once ---------------------------------------------------------------------------------------------------


def test_whatever_changes_at_once_every_request_is_answered(tmp_path):
    """Builds, rollbacks, edits of the project file (right and wrong ones), switches and questions, side by side."""
    text, table = support.key(admin=True)
    path = support.project(tmp_path, "[serve]\nreload_s = 0.01\n" + table, tenants=True)
    project, base = load(path), path.read_text("utf-8")
    wrong: list[object] = []
    over = threading.Event()

    with support.Served(path) as one:

        def ask(seed):
            dice = random.Random(seed)
            while not over.is_set():
                for at, body in (("/v1/ask", {"text": "Panadol for dengue"}), ("/v1/lookup", {"query": "gout"})):
                    answer = one.client.post(dice.choice(("", "/t/north")) + at, json=body)
                    wrong.extend([answer.text] if answer.status_code != 200 else [])
                wrong.extend(c for c in ("/readyz", "/metrics") if one.client.get(c).status_code != 200)

        def switch():
            while not over.is_set():
                for without in (["near"], []):
                    answer = one.client.put("/v1/admin/switches", json={"without": without})
                    wrong.extend([answer.text] if answer.status_code != 200 else [])

        one.client.headers["x-api-key"] = text
        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(2)]
        threads.append(threading.Thread(target=switch))
        for thread in threads:
            thread.start()
        try:
            for number in range(4):
                with (tmp_path / "drugs.csv").open("a", encoding="utf-8") as file:
                    file.write(f"drug{number},Drug{number}oxin\n")
                build(project)
                look(one)
                path.write_text(base + (f"[limits]\ntext = {4000 - number}\n" if number % 2 else "[limit]\n"), "utf-8")
                look(one)
                store.rollback(project.index)
                look(one)
        finally:
            over.set()
            for thread in threads:
                thread.join()
        assert wrong == []
        assert one.service.project.file.limits.text == 3997
        assert not [line for line in one.log if line["event"] == "failed"]
