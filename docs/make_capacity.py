"""Writes ``explanation/capacity.md`` from ``capacity.toml``: ``python docs/make_capacity.py``.

Arithmetic, and nothing else: every figure of the page follows from that file, so that it can be reckoned again for
other machines by changing it.
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE / "explanation" / "capacity.md"
ASKED = 10_000  # questions a second
LOG = 10**9  # rows


def page() -> str:
    """The text of the page."""
    given = tomllib.loads((HERE / "capacity.toml").read_text("utf-8"))
    measured, assumed = given["measured"], given["assumed"]
    kinds = {
        "enrichment, terms as written": measured["exact_us"],
        "enrichment, everything": measured["all_us"],
        "understanding without a model": measured["understand_us"],
    }
    speed = "\n".join(
        f"| {kind} | {low} to {high} | {_some(1e6 / high)} to {_some(1e6 / low)} |"
        for kind, (low, high) in kinds.items()
    )
    service = "\n".join(_service(kind, us, assumed) for kind, us in kinds.items())
    batch = "\n".join(_batch(kind, us, assumed) for kind, us in kinds.items())
    memory = measured["index_mb"] + assumed["cores_per_machine"] * (assumed["process_mb"] + measured["private_mb"])
    volume = LOG * measured["json_bytes_per_row"] / 1e9
    return TEXT.format(
        speed=speed,
        service=service,
        batch=batch,
        cores=assumed["cores_per_machine"],
        share=assumed["share_of_the_core"],
        memory=_some(memory),
        volume=_some(volume),
        hours=_some(volume * 1000 / assumed["store_mb_per_s"] / 3600),
        rate=assumed["store_mb_per_s"],
        parts=f"{LOG // assumed['part_rows']:,}",
        part_rows=f"{assumed['part_rows']:,}",
        minutes=_some(LOG / measured["plan_lines_per_s"] / 60),
    )


def _service(kind: str, us: list[int], assumed: dict[str, Any]) -> str:
    cores = [ASKED * one / 1e6 / assumed["share_of_the_core"] for one in us]
    machines = [math.ceil(one / assumed["cores_per_machine"]) for one in cores]
    return f"| {kind} | {_range(cores)} | {_range(machines)} |"


def _batch(kind: str, us: list[int], assumed: dict[str, Any]) -> str:
    hours = [LOG * one / 1e6 / 3600 for one in us]
    machines = [math.ceil(one / 24 / assumed["cores_per_machine"]) for one in hours]
    return f"| {kind} | {_range(hours)} | {_range([h / 64 for h in hours])} | {_range(machines)} |"


def _range(values: list[Any]) -> str:
    low, high = map(_some, values)
    return low if low == high else f"{low} to {high}"


def _some(value: float) -> str:
    """Two digits that count, and no more."""
    if value < 10:
        return f"{value:.1f}".removesuffix(".0")
    digits = 10 ** (len(str(int(value))) - 2)
    return f"{round(value / digits) * digits:,}"


TEXT = """\
# How much it can do, and what breaks first

The rows below are arithmetic over a few measured figures and stated assumptions, both in `docs/capacity.toml`: change
them and run `python docs/make_capacity.py`. Measure your own machine with `python bench/batch_scale.py --runs
local:1,local:2`.

## One core

The demo hospital, one process, answers as JSON included, nothing remembered: the least time of each question over
several passes, on two virtual cores of a machine that twenty busy processes shared. A quiet machine is faster; no
figure of one is claimed. The lower time belongs to questions of medical encyclopaedias in English, of which few have
a term in the demo, the higher to the demo's own questions, of which nearly each has one or two. Understanding without
a model is of the formulary demo's questions, on a quiet machine: the lower time in a batch, the higher alone.

| | µs a question | questions a second |
|---|---:|---:|
{speed}

The aim was 15,000 a second a core with terms as they are written. **It is missed by two to five times**, here. Where
the time goes (`cProfile`, the demo's questions, the function's own callees included): whether a person or an animal
is the patient, 25%; denials, family and past around what was found, 18%; the rest of the layers with rendering and
trace, 22%; finding terms and drugs, about a fifth; the remainder is tokens, language and the pipeline's own
bookkeeping. The automaton that finds phrases (`text/phrases.py`) has 27% of it all, and no function more than 16%.
What remains is Python's price for a few hundred small steps a question; the way on is to compile them, not to leave a
step out. mypyc compiles 32 of these modules as they stand, but not those whose values take keywords from msgspec, and
what it makes of tokens and arrays can neither be referred to weakly nor remember what was asked: they would have to be
written for it, and installing from source would want a compiler.

## A service of 10,000 questions a second

Assumed: a core is used to {share:.0%} on average, machines of {cores} cores, no model.

| | cores | machines |
|---|---:|---:|
{service}

Memory does not decide: an index of 529,000 descriptions is mapped once a machine, so that {cores} processes take
{memory} MB together. With a model, its own latency and price decide everything: 10,000 calls a second is the
provider's limit long before it is dragoman's.

**What breaks first**

1. *The hottest core.* Questions are not alike, and a long story costs many short ones. Limits on length come first,
   then more processes.
2. *The event loop*, where understanding without a model takes milliseconds: a question waits for the one before it.
3. *Counting gaps in SQLite*: one writer a file. Give each process a queue to PostgreSQL, or switch it off.
4. *The swap of an index on all machines at once*: each reads the new parts from disk. Let them pull one after
   another.

## A log of 10⁹ rows

Every row once, as if all were different.

| | core hours | hours on 64 cores | machines for one day |
|---|---:|---:|---:|
{batch}

**What breaks first**

1. *The output*: {volume} GB of JSON lines, {hours} hours at {rate} MB/s into the store.
2. *Small parts*: with the default of 20,000 rows there would be 50,000 parts, each with a note; give `--part-rows
   {part_rows}` ({parts} parts). A part is done again as a whole when its worker dies.
3. *Planning*, which reads JSON lines and CSV once in one process: {minutes} minutes of reckoning for 10⁹ lines, and
   as long as the store takes to send them. Parquet is planned from its footers.
4. *Two threads of one core*: two processes on two hyperthreads of one core do less than twice as much as one; count
   cores, not threads, in the tables above.

A log has repeats, and within 4,096 rows a text is read once; this is not in the table.
"""

if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
