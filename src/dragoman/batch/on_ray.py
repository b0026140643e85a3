"""The engine ``ray``: Ray Data hands the parts to its workers, and does them again where a worker dies.

``RayEnricher`` is for pipelines of one's own: ``dataset.map_batches(RayEnricher("dragoman.toml"), ...)``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import msgspec

from dragoman.batch.job import Job, Part, Report, Shipment
from dragoman.batch.shipment import Reader, pack, unpack
from dragoman.batch.work import do_part
from dragoman.engine import Dragoman
from dragoman.errors import ConfigError


def run(job: Job, parts: tuple[Part, ...], workers: int | None) -> Iterator[Report]:
    """Do the parts on the cluster that ``RAY_ADDRESS`` names, or on a Ray of this machine that is started for it."""
    ray = _ray()
    if not ray.is_initialized():
        started = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers, "include_dashboard": False}
        ray.init(log_to_driver=False, **started)
    rows = [{"part": msgspec.json.encode(part)} for part in parts]
    work = ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
        _Work(job), batch_size=1, batch_format="pyarrow", compute=ray.data.TaskPoolStrategy(size=workers)
    )
    for row in work.iter_rows():
        yield msgspec.json.decode(row["report"], type=Report)


class _Work:
    """A batch of parts → their reports. Called as a function, so that Ray tries it anew in another worker."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.__name__ = "parts"  # what Ray's progress calls it

    def __call__(self, data: Any) -> Any:
        import pyarrow as pa

        parts = (msgspec.json.decode(raw, type=Part) for raw in data.column("part").to_pylist())
        return pa.table({"report": [msgspec.json.encode(do_part(self._job, part)) for part in parts]})


class RayEnricher:
    """What ``Dataset.map_batches(..., batch_format="pyarrow")`` calls in a pipeline of your own: a table in, the table
    with the task's columns out.

    ``task`` is ``enrich``, ``resolve`` or ``understand``; ``index_store`` where the index was pushed to, if the workers
    do not reach the folder that it stands in. The project is opened once in each worker process.
    """

    def __init__(
        self,
        project: str = "dragoman.toml",
        *,
        task: str = "enrich",
        text: str = "text",
        language: str | None = None,
        without: tuple[str, ...] = (),
        index_store: str | None = None,
    ) -> None:
        self._shipment: Shipment = pack(Dragoman.open(project, record=False), project, store_url=index_store)
        self._how = (task, text, language, without)
        self.__name__ = f"dragoman {task}"

    def __call__(self, data: Any) -> Any:
        """``data`` (a table or a record batch) with the task's columns."""
        return Reader(unpack(self._shipment), *self._how).add(data)


def _ray() -> Any:
    try:
        import ray
        import ray.data
    except ImportError:
        raise ConfigError("the engine ray is not installed", advice="pip install 'dragoman[ray]'") from None
    return ray
