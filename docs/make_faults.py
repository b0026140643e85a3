"""Writes ``reference/faults.md`` from the table that the tests run: ``python docs/make_faults.py``."""

from __future__ import annotations

from pathlib import Path

from dragoman.testing import FAULTS

PAGE = Path(__file__).parent / "reference" / "faults.md"

HEAD = """\
# What a provider can do wrong

Every row is played over real HTTP by `dragoman.testing.FakeProvider`, for each provider, through `ask`, `aask`, the
HTTP server and a batch's file of answers. `ask` always returns a frame; where the reply cannot be used, the frame has
`turn_type = out_of_scope`, `needs_clarify = true` and the `system_error` of the row. With `[llm] on_outage = "offline"`
an outage is answered without a model instead, and `understood_by` says so.

`[llm] timeout_s` is a total: connecting, waiting, reading and the one retry share it. A retry happens only for what can
pass: a 429 whose `Retry-After` ends before the deadline, and a connection that was made and then broke. Five outages in
a row open the circuit for 30 seconds, in which no call is made; refused and malformed replies do not count.

This page is written by `docs/make_faults.py`.

The HTTP server answers 200 with the code in `frame.system_error`, and counts it in `dragoman_system_errors_total`.

| fault | the provider | what becomes of it | requests | `system_error` | `ask`, `aask` | HTTP server | batch file |
|---|---|---|---|---|---|---|---|
"""


def page() -> str:
    """The page, the same for the same table."""
    rows = (
        f"| `{fault.name}` | {fault.what} | {fault.then} | {len(fault.steps({}))} | "
        + (f"`{fault.system_error}` |" if fault.system_error else "none: the reply is read |")
        + " the same | 200 | "
        + ("the same |" if fault.batch else "cannot happen |")
        for fault in FAULTS.values()
    )
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
