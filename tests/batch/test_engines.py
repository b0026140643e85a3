"""Ray and Spark do what local processes do, to the byte, also when their workers die; run with ``make engines``."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.batch.rows_support import batch, files, questions, write_csv, write_jsonl, write_parquet

from dragoman import Dragoman
from dragoman.index import remote

pytest.importorskip("fsspec", reason="batches need the extra batch")
pa = pytest.importorskip("pyarrow", reason="batches need the extra batch")

# The engines warn of what they will change in themselves, and leave threads and sockets to their own end.
pytestmark = pytest.mark.filterwarnings("ignore")

TEXTS = questions(1500)
PART_ROWS = 50


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "240")  # where other work is going on
    found = pytest.importorskip("ray", reason="run `make engines`: ray is in an environment of its own")
    pytest.importorskip("ray.data")
    found.init(num_cpus=2, include_dashboard=False, object_store_memory=200 * 2**20, log_to_driver=False)
    yield found
    found.shutdown()


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="run `make engines`: pyspark is in an environment of its own")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from dragoman.batch import on_spark

    made = on_spark.session(2)
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()


@pytest.fixture(params=["ray", "spark"])
def engine(request: pytest.FixtureRequest) -> str:
    request.getfixturevalue(request.param)
    return str(request.param)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("q.jsonl", write_jsonl),
        ("q.csv", write_csv),
        ("q.parquet", lambda path, texts: write_parquet(path, texts, group=100)),
    ],
    ids=["jsonl", "csv", "parquet"],
)
def test_the_output_is_that_of_local_processes(
    tmp_path: Path, engine: str, name: str, write: Callable[[Path, list[str]], Path]
) -> None:
    source = write(tmp_path / name, TEXTS[:400])
    batch(source, tmp_path / "local", part_rows=PART_ROWS, workers=2)
    done = batch(source, tmp_path / "out", part_rows=PART_ROWS, workers=2, engine_name=engine)
    assert done.rows == 400
    assert files(tmp_path / "out") == files(tmp_path / "local")


def test_a_worker_that_is_killed_loses_and_doubles_nothing(tmp_path: Path, engine: str) -> None:
    source = write_jsonl(tmp_path / "q.jsonl", TEXTS)
    batch(source, tmp_path / "local", part_rows=PART_ROWS)
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while not killed and not over.is_set():
            if len(list((tmp_path / "out" / "_done").glob("*"))) >= 2:
                killed.extend(_kill_one(engine))
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        done = batch(source, tmp_path / "out", part_rows=PART_ROWS, workers=2, engine_name=engine)
    finally:
        over.set()
        killer.join()
    assert killed, "no worker was found to kill"
    assert (done.rows, done.already) == (len(TEXTS), 0)
    assert files(tmp_path / "out") == files(tmp_path / "local")


def test_workers_fetch_the_index_from_a_store(tmp_path: Path, engine: str) -> None:
    source = write_jsonl(tmp_path / "q.jsonl", TEXTS[:100])
    batch(source, tmp_path / "local")
    home = Dragoman.demo("hospital").vocabularies.place.parent
    remote.push(home, str(tmp_path / "store"))
    done = batch(source, tmp_path / "out", engine_name=engine, index_store=str(tmp_path / "store"))
    assert done.rows == 100
    assert files(tmp_path / "out") == files(tmp_path / "local")


def test_what_is_wrong_stops_the_run(tmp_path: Path, engine: str) -> None:
    source = write_jsonl(tmp_path / "q.jsonl", TEXTS[:100])
    remote.push(Dragoman.demo("hospital").vocabularies.place.parent, str(tmp_path / "store"))
    for part in (tmp_path / "store" / "parts").iterdir():
        part.write_bytes(b"")
    with pytest.raises(Exception, match="does not match its checksum"):
        batch(source, tmp_path / "out", engine_name=engine, index_store=str(tmp_path / "store"))
    assert not list((tmp_path / "out").glob("q-*"))


def test_a_pipeline_of_ones_own_on_ray(ray: Any) -> None:
    from dragoman.batch.on_ray import RayEnricher

    table = pa.table({"id": list(range(200)), "text": TEXTS[:200]})
    found = ray.data.from_arrow(table).map_batches(RayEnricher("demo-hospital"), batch_format="pyarrow", batch_size=64)
    rows = sorted(found.take_all(), key=lambda row: row["id"])
    wanted = Dragoman.demo("hospital").enrich_arrow(table).to_pylist()
    assert [row["enrichment"]["text"] for row in rows] == [row["enrichment"]["text"] for row in wanted]
    assert [len(row["enrichment"]["expansions"]) for row in rows] == [
        len(row["enrichment"]["expansions"]) for row in wanted
    ]


def test_a_pipeline_of_ones_own_on_spark(spark: Any) -> None:
    from dragoman.batch.on_spark import spark_enricher

    rows = list(enumerate([*TEXTS[:199], None]))
    frame = spark.createDataFrame(rows, "id long, text string")
    found = frame.mapInArrow(*spark_enricher(frame.schema, "demo-hospital")).orderBy("id").collect()
    table = pa.table({"id": [n for n, _ in rows], "text": [text for _, text in rows]})
    wanted = Dragoman.demo("hospital").enrich_arrow(table).to_pylist()
    assert [row.asDict(recursive=True) for row in found] == wanted


# A task of Ray Data's. Other "ray::" processes are actors and a node's agents, with which its raylet ends itself.
_RAY_WORK = b"ray::MapBatches"


def _kill_one(engine: str) -> list[int]:
    """Kill one worker of the engine that is at work, among this process's own descendants."""
    for pid in _descendants():
        try:
            title = Path(f"/proc/{pid}/cmdline").read_bytes()
            parent = Path(f"/proc/{_parent(pid)}/cmdline").read_bytes()
        except OSError:
            continue
        at_work = (
            title.startswith(_RAY_WORK)
            if engine == "ray"
            else b"pyspark.daemon" in title and b"pyspark.daemon" in parent
        )
        if at_work:
            os.kill(pid, signal.SIGKILL)
            return [pid]
    return []


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _descendants() -> list[int]:
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(path.name)] = _parent(int(path.name))
        except OSError:
            continue
    found = []
    for pid in parents:
        at = pid
        while at in parents and at != os.getpid():
            at = parents[at]
        if at == os.getpid() and pid != at:
            found.append(pid)
    return found
