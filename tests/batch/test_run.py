"""Batches on this machine: every row once, whatever the format, the parts, and what happens on the way."""

from __future__ import annotations

import csv
import gzip
import json
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.batch.rows_support import (
    batch,
    expected,
    files,
    questions,
    read_jsonl,
    write_csv,
    write_jsonl,
    write_parquet,
)

from dragoman import Dragoman
from dragoman.batch import local
from dragoman.batch.job import Job, Manifest, Part, Report
from dragoman.batch.run import ENGINES
from dragoman.errors import ConfigError, DataError, WorkFailed

pytest.importorskip("fsspec", reason="batches need the extra batch")
pytest.importorskip("pyarrow", reason="batches need the extra batch")

TEXTS = questions(330)


def test_json_lines_keep_what_they_had_and_get_the_answer(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "q.jsonl", TEXTS)
    done = batch(source, tmp_path / "out")
    assert (done.rows, done.rejected, done.parts) == (330, 0, 4)
    rows = read_jsonl(tmp_path / "out")
    assert [(row["id"], row["text"]) for row in rows] == list(enumerate(TEXTS))
    assert [row["enrichment"] for row in rows] == [expected(text) for text in TEXTS]


def test_a_line_is_kept_as_it_was_written(tmp_path: Path) -> None:
    line = '  {"n":1.50, "big": 123456789012345678901234567890 , "text":"rug\\u0070ijn","a":{"b":[]}  }  '
    (tmp_path / "q.jsonl").write_text(f"\ufeff{line}\n\n", "utf-8")
    batch(tmp_path / "q.jsonl", tmp_path / "out")
    made = (tmp_path / "out" / "q-00000.jsonl").read_text("utf-8")
    assert made.startswith(line.strip()[:-1] + ',"enrichment":{"original":"rugpijn"')


@pytest.mark.parametrize(("name", "separator"), [("q.csv", ","), ("q.tsv", "\t")])
def test_csv_keeps_its_fields_and_gets_json(tmp_path: Path, name: str, separator: str) -> None:
    source = write_csv(tmp_path / name, TEXTS, separator)
    assert batch(source, tmp_path / "out").parts == 4
    rows: list[dict[str, str]] = []
    for part in sorted((tmp_path / "out").glob("q-*")):
        with part.open(encoding="utf-8", newline="") as file:
            rows += csv.DictReader(file, delimiter=separator)
    assert [(row["id"], row["text"]) for row in rows] == [(str(n), text) for n, text in enumerate(TEXTS)]
    assert rows[3]["note"] == 'two\nlines, and a "quote"'
    assert [json.loads(row["enrichment"]) for row in rows] == [expected(text) for text in TEXTS]


def test_parquet_is_cut_between_row_groups_and_gets_structs(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    texts: list[str | None] = [*TEXTS[:99], None, *TEXTS[100:]]
    source = write_parquet(tmp_path / "q.parquet", texts, group=70)
    assert batch(source, tmp_path / "out").parts == 3  # 140, 140, 50 rows
    made = [pq.read_table(p) for p in sorted((tmp_path / "out").glob("q-*"))]
    table = Dragoman.demo("hospital").enrich_arrow(pq.read_table(source))
    assert [row for part in made for row in part.to_pylist()] == table.to_pylist()
    assert all(part.schema.equals(table.schema) for part in made)


def test_folders_of_partitions_stay_folders(tmp_path: Path) -> None:
    for region in ("north", "south"):
        write_jsonl(tmp_path / "in" / f"region={region}" / "log.jsonl", TEXTS[:120])
    write_jsonl(tmp_path / "in" / "_old" / "log.jsonl", ["passed over"])
    (tmp_path / "in" / "README.txt").write_text("no rows", "utf-8")
    done = batch(tmp_path / "in", tmp_path / "out")
    assert done.rows == 240
    assert sorted(files(tmp_path / "out")) == [
        "_manifest.json",
        *(f"region={region}/log-0000{n}.jsonl" for region in ("north", "south") for n in (0, 1)),
    ]


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_compressed_files_are_read_whole(tmp_path: Path, kind: str) -> None:
    plain = (write_jsonl if kind == "jsonl" else write_csv)(tmp_path / f"q.{kind}", TEXTS)
    with gzip.open(tmp_path / f"z.{kind}.gz", "wb") as packed:
        packed.write(plain.read_bytes())
    batch(plain, tmp_path / "plain", part_rows=10_000)
    done = batch(tmp_path / f"z.{kind}.gz", tmp_path / "packed")
    assert (done.rows, done.parts) == (330, 1)
    assert (tmp_path / "packed" / f"z-00000.{kind}").read_bytes() == (
        tmp_path / "plain" / f"q-00000.{kind}"
    ).read_bytes()


@pytest.mark.parametrize("part_rows", [1, 7, 330, 331])
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_how_it_is_cut_changes_nothing(tmp_path: Path, kind: str, part_rows: int) -> None:
    write = write_jsonl if kind == "jsonl" else write_csv
    source = write(tmp_path / f"q.{kind}", TEXTS[:40])
    batch(source, tmp_path / "whole", part_rows=10_000)
    batch(source, tmp_path / "parts", part_rows=part_rows)

    def body(folder: Path) -> list[bytes]:
        parts = [p.read_bytes() for p in sorted(folder.glob("q-*"))]
        return [line for part in parts for line in (part.splitlines() if kind == "jsonl" else part.splitlines()[1:])]

    assert body(tmp_path / "parts") == body(tmp_path / "whole")


def test_rows_that_cannot_be_read_are_put_aside_with_their_line(tmp_path: Path) -> None:
    limit = Dragoman.demo("hospital").project.file.limits.text
    lines = [
        '{"text": "rugpijn"}',
        "not json",
        '{"question": "rugpijn"}',
        "",
        '{"text": 5}',
        '["rugpijn"]',
        json.dumps({"text": "x" * (limit + 1)}),
        '{"text": "a", "enrichment": 1}',
        '{"text": null}',
        '{"text": "half \\ud800"}',
        "[" * 100_000,
    ]
    (tmp_path / "q.jsonl").write_bytes("\n".join(lines).encode() + b'\n{"text": "\xff"}\n')
    done = batch(tmp_path / "q.jsonl", tmp_path / "out", part_rows=5)
    assert (done.rows, done.rejected) == (2, 9)
    told = [
        json.loads(line)
        for path in sorted((tmp_path / "out" / "_rejects").rglob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    assert [(row["source"], row["line"]) for row in told] == [("q.jsonl", n) for n in (2, 3, 5, 6, 7, 8, 10, 11, 12)]
    whys = [row["why"] for row in told]
    assert whys[:4] == ["is not JSON", "there is no 'text'", "the text is no string", "is no object"]
    assert whys[4] == f"the text is longer than {limit} characters"
    assert whys[5] == "there is a 'enrichment' already"
    assert whys[6:] == ["is not JSON"] * 3
    assert told[0]["row"] == "not json"


def test_csv_rows_that_cannot_be_read(tmp_path: Path) -> None:
    raw = b'id,text\n1,rugpijn\n2\n3,a,b\n4,\xff\n5,"two\nlines"\n6,hoofdpijn\n7,"never closed\n8,rugpijn\n'
    (tmp_path / "q.csv").write_bytes(raw)
    done = batch(tmp_path / "q.csv", tmp_path / "out", part_rows=2)
    told = [
        json.loads(line)
        for path in sorted((tmp_path / "out" / "_rejects").rglob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    assert [(row["line"], row["why"]) for row in told] == [
        (3, "has 1 fields, the header 2"),
        (4, "has 3 fields, the header 2"),
        (5, "is not UTF-8"),
    ]
    assert done.rows == 4


def test_texts_too_long_in_parquet(tmp_path: Path) -> None:
    limit = Dragoman.demo("hospital").project.file.limits.text
    texts: list[str | None] = ["rugpijn", None, "ï" * limit, "ï" * (limit + 1), "hoofdpijn"]
    done = batch(write_parquet(tmp_path / "q.parquet", texts, group=2), tmp_path / "out", part_rows=2)
    assert (done.rows, done.rejected) == (4, 1)
    (told,) = (tmp_path / "out" / "_rejects").rglob("*.jsonl")
    assert json.loads(told.read_text("utf-8"))["line"] == 4


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_nothing_in_gives_an_empty_part(tmp_path: Path, kind: str) -> None:
    source = tmp_path / f"q.{kind}"
    source.touch() if kind == "jsonl" else write_parquet(source, ["x"], 1)
    if kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"text": pa.array([], pa.string())}), source)
    done = batch(source, tmp_path / "out")
    assert (done.rows, done.parts) == (0, 1)
    assert batch(source, tmp_path / "out").already == 1


def test_only_the_owner_reads_what_people_asked(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"text": "rugpijn"}\nbad\n', "utf-8")
    batch(tmp_path / "q.jsonl", tmp_path / "out")
    made = [p for p in (tmp_path / "out").rglob("*") if p.is_file()]
    assert len(made) == 3
    assert {stat.S_IMODE(p.stat().st_mode) for p in made} == {0o600}


@pytest.mark.parametrize(("task", "columns"), [("resolve", ["resolved"]), ("understand", ["frame", "enrichment"])])
def test_other_tasks_add_other_columns(tmp_path: Path, task: str, columns: list[str]) -> None:
    source = write_jsonl(tmp_path / "q.jsonl", TEXTS[:3], "vraag")
    batch(source, tmp_path / "out", task_name=task, text="vraag", language="nl", without=("near",))
    assert [list(row) for row in read_jsonl(tmp_path / "out")] == [["id", "vraag", *columns]] * 3


# --- stopped and gone on with -------------------------------------------------------------------------------------


def test_a_stopped_run_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_jsonl(tmp_path / "q.jsonl", TEXTS)
    batch(source, tmp_path / "whole")

    class Stopped(Exception):
        pass

    def stop(done: int, parts: int, rows: int) -> None:
        if done == 2:
            raise Stopped

    with pytest.raises(Stopped):
        batch(source, tmp_path / "out", progress=stop)
    (tmp_path / "out" / "q-00001.jsonl").write_bytes(b"cut")  # a disk that lost something: the part is done anew
    done = batch(source, tmp_path / "out")
    assert (done.already, done.parts, done.rows) == (1, 4, 330)
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    monkeypatch.setitem(ENGINES, "local", lambda *given: pytest.fail("there is nothing left to do"))
    assert batch(source, tmp_path / "out").already == 4


def test_another_plan_does_not_go_on_with_these_parts(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "q.jsonl", TEXTS)
    batch(source, tmp_path / "out")
    with pytest.raises(ConfigError, match=r"another input, index or other options; .*--fresh"):
        batch(source, tmp_path / "out", without=("near",))
    write_jsonl(tmp_path / "q.jsonl", TEXTS[:150])
    with pytest.raises(ConfigError, match="another input"):
        batch(source, tmp_path / "out")
    batch(source, tmp_path / "out", fresh=True)
    assert len(read_jsonl(tmp_path / "out")) == 150


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "q.jsonl", TEXTS)
    batch(source, tmp_path / "whole", part_rows=30)
    killed: list[int] = []

    def kill(done: int, parts: int, rows: int) -> None:
        if done == 2 and not killed:
            victim = multiprocessing.active_children()[0]
            killed.append(int(victim.pid or 0))
            os.kill(killed[0], signal.SIGKILL)

    done = batch(source, tmp_path / "out", part_rows=30, workers=2, progress=kill)
    assert killed
    assert done.rows == 330
    assert files(tmp_path / "out") == files(tmp_path / "whole")


KILLED = """
import os, signal, sys
from dragoman import Dragoman
from dragoman.batch.run import run

def stop(done, parts, rows):
    if done == 1:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    run(Dragoman.demo("hospital"), "demo-hospital", *sys.argv[1:], part_rows=30, workers=2, progress=stop)
"""


def test_the_workers_of_a_batch_that_is_killed_end(tmp_path: Path) -> None:
    """They hold its output open: it ends when the last of them has."""
    source = write_jsonl(tmp_path / "q.jsonl", TEXTS)
    (tmp_path / "killed.py").write_text(KILLED, "utf-8")
    command = [sys.executable, str(tmp_path / "killed.py"), str(source), str(tmp_path / "out")]
    ran = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert batch(source, tmp_path / "out", part_rows=30).rows == 330


def test_a_part_that_kills_every_worker_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[int] = []

    def all_die(job: Job, parts: tuple[Part, ...], count: int) -> Iterator[Report]:
        rounds.append(len(parts))
        return iter(())

    monkeypatch.setattr(local, "_round", all_die)
    with pytest.raises(WorkFailed, match="died 3 times at the same parts, the first is q-00000"):
        batch(write_jsonl(tmp_path / "q.jsonl", TEXTS), tmp_path / "out", workers=2)
    assert rounds == [4, 4, 4]


def test_an_engine_that_forgets_parts_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENGINES, "local", lambda *given: iter(()))
    with pytest.raises(WorkFailed, match="4 parts were not done"):
        batch(write_jsonl(tmp_path / "q.jsonl", TEXTS), tmp_path / "out")


# --- what cannot be meant -----------------------------------------------------------------------------------------


def test_what_cannot_be_meant_is_told(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "q.jsonl", TEXTS[:3])
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", "utf-8")
    (tmp_path / "mixed").mkdir()
    write_jsonl(tmp_path / "deep" / "a.jsonl", TEXTS[:3])
    write_jsonl(tmp_path / "mixed" / "a.jsonl", TEXTS[:3])
    write_csv(tmp_path / "mixed" / "a.csv", TEXTS[:3])
    (tmp_path / "q.parquet").write_text("no parquet", "utf-8")
    cases: list[tuple[object, str, dict[str, Any], str]] = [
        (tmp_path / "none", "out", {}, "no such file or folder"),
        (source, "full", {}, "holds files that no batch wrote"),
        (source, "q.jsonl", {}, "are the same"),
        (tmp_path / "deep", "deep/out", {}, "one holds the other"),
        (source, "full/mine.txt", {}, "OUT is a folder of parts"),
        (tmp_path / "mixed", "out", {}, "several formats"),
        (tmp_path / "mixed", "out", {"format": "tsv"}, "no file of a known format"),
        (source, "out", {"engine_name": "flink"}, "no engine 'flink'"),
        (source, "out", {"task_name": "translate"}, "no task 'translate'"),
        (source, "out", {"format": "xml"}, "no format 'xml'"),
        (source, "out", {"part_rows": 0}, "at least 1"),
        (tmp_path / "full" / "mine.txt", "out", {}, "no file of a known format"),
        (tmp_path / "mixed" / "a.csv", "out", {"text": "question"}, "there are: id, text, note"),
        (tmp_path / "mixed" / "a.csv", "out", {"text": "note", "task_name": "nothing"}, "no task"),
        (tmp_path / "q.parquet", "out", {}, r"q\.parquet: cannot be read as Parquet"),
        ("nowhere://bucket/q.jsonl", "out", {}, "no file system nowhere://"),
    ]
    for given, out, options, says in cases:
        with pytest.raises((ConfigError, DataError), match=says):
            batch(given, tmp_path / out, **options)
    assert batch(tmp_path / "mixed", tmp_path / "chosen", format="csv").rows == 3


def test_two_files_that_would_become_one(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "in" / "a.jsonl", TEXTS[:3])
    (tmp_path / "in" / "a.jsonl.gz").write_bytes(gzip.compress((tmp_path / "in" / "a.jsonl").read_bytes()))
    with pytest.raises(ConfigError, match=r"two files would become 'a-00000\.jsonl'"):
        batch(tmp_path / "in", tmp_path / "out")


def test_the_manifest_accounts_for_every_part(tmp_path: Path) -> None:
    import hashlib

    import msgspec

    batch(write_jsonl(tmp_path / "q.jsonl", TEXTS), tmp_path / "out")
    manifest = msgspec.json.decode((tmp_path / "out" / "_manifest.json").read_bytes(), type=Manifest)
    assert manifest.complete
    assert manifest.index == Dragoman.demo("hospital").info.id
    assert [report.name for report in manifest.done] == [part.name for part in manifest.parts]
    for report in manifest.done:
        raw = (tmp_path / "out" / report.name).read_bytes()
        assert (report.bytes, report.sha256) == (len(raw), hashlib.sha256(raw).hexdigest())
        assert report.rows == len(raw.splitlines())


def test_any_file_system_of_fsspec_will_do() -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe_file("/in/q.jsonl", b'{"text": "rugpijn"}\n{"text": "hoofdpijn"}\nbad\n')
    try:
        done = batch("memory://in", "memory://out", part_rows=1)
        assert (done.rows, done.rejected, done.parts) == (2, 1, 3)
        assert memory.cat_file("/out/q-00000.jsonl").startswith(b'{"text": "rugpijn","enrichment":')
        assert batch("memory://in", "memory://out", part_rows=1).already == 3
    finally:
        memory.rm("/in", recursive=True)
        memory.rm("/out", recursive=True)
