"""The person's text, where it may be kept."""

from __future__ import annotations

import json
import stat
from datetime import date, timedelta

from tests.serve import support

from dragoman.cli import main
from dragoman.serve import kept

KEEP = "[privacy]\nkeep_text = true\nkeep_days = 2\n"


def lines(folder):
    return [json.loads(line) for _, path in kept.files(folder) for line in path.read_text("utf-8").splitlines()]


def test_nothing_is_kept_unless_the_project_says_so(tmp_path):
    path = support.project(tmp_path)
    with support.Served(path) as one:
        one.client.post("/v1/ask", json={"text": support.TEXT})
    assert not (tmp_path / ".dragoman/kept").exists()


def test_turns_are_kept_masked_and_for_nobody_else_to_read(tmp_path):
    path = support.project(tmp_path, KEEP)
    with support.Served(path) as one:
        asked = one.client.post("/v1/ask", json={"text": "mail jan@example.org about Panadol, call 0612345678"})
        one.client.post("/v1/enrich", json={"text": "Panadol"})
        one.client.post("/v1/resolve", json={"text": "Panadol"})
        assert one.client.get("/version").json()["keeps_text"] is True
    folder = tmp_path / ".dragoman/kept"
    found = lines(folder)
    assert [line["endpoint"] for line in found] == ["ask", "enrich", "resolve"]
    assert found[0]["id"] == asked.headers["x-request-id"]
    assert "Panadol" in found[0]["text"]
    assert "jan@example.org" not in found[0]["text"]
    assert "0612345678" not in found[0]["text"]
    assert found[0]["turn_type"] == asked.json()["frame"]["turn_type"]
    ((_, file),) = kept.files(folder)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_old_days_go_and_others_files_stay(tmp_path):
    path = support.project(tmp_path, KEEP)
    folder = tmp_path / ".dragoman/kept"
    folder.mkdir(parents=True)
    today = date.today()
    for days in (0, 1, 2, 3, 400):
        (folder / f"kept-{today - timedelta(days)}.jsonl").write_text("")
    (folder / "notes.txt").write_text("mine")
    with support.Served(path) as one:
        one.client.post("/v1/ask", json={"text": "Panadol"})
    # The day is counted in UTC, which may be another one than here.
    assert max(today - day for day, _ in kept.files(folder)) <= timedelta(3)
    assert (folder / "notes.txt").exists()


def test_what_cannot_be_written_is_counted_and_fails_nobody(tmp_path):
    path = support.project(tmp_path, KEEP)
    (tmp_path / ".dragoman/kept").write_text("a file, where a folder should be")
    with support.Served(path) as one:
        assert one.client.post("/v1/ask", json={"text": "Panadol"}).status_code == 200
        keeper = one.service.keeper
        assert keeper is not None
        keeper.close()
        assert 'dragoman_kept_turns_total{outcome="failed"} 1.0' in one.client.get("/metrics").text


def test_forgetting(tmp_path, capsys):
    path = support.project(tmp_path, KEEP)
    with support.Served(path) as one:
        ids = [one.client.post("/v1/ask", json={"text": "Panadol"}).headers["x-request-id"] for _ in range(3)]
    folder = tmp_path / ".dragoman/kept"
    assert main(["serve", "forget", "--project", str(path), "--request", ids[1], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["deleted"] == 1
    assert [line["id"] for line in lines(folder)] == [ids[0], ids[2]]
    ((_, file),) = kept.files(folder)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert main(["serve", "forget", "--project", str(path), "--json"]) == 2  # nobody is there to ask
    assert main(["serve", "forget", "--project", str(path), "--before", "2001-01-01", "--yes"]) == 0
    assert len(lines(folder)) == 2
    assert main(["serve", "forget", "--project", str(path), "--yes"]) == 0
    assert lines(folder) == []
    assert main(["serve", "forget", "--project", str(path), "--before", "soon"]) == 2
    capsys.readouterr()
