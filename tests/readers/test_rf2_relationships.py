"""Relationships many at a time: what is taken, skipped and rejected is what the reading row by row gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.readers.support import HEADERS, each

from dragoman.protocols import Report, Row
from dragoman.readers import rf2_blocks
from dragoman.readers.rf2_relationships import Relationships
from dragoman.readers.sources import Entry
from dragoman.readers.tables import PLAIN_TABS, Table

HERE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
INFERRED, STATED = "900000000000011006", "900000000000010007"
LIVE = {"138875005": True, "12345678901234567": True, "999999999999999999": True, "4": False, "73211009": True}
IDS = st.sampled_from([*LIVE, "55555", "0138875005", "1388750050000000000", "13887500x", ""])
ROW = st.tuples(
    st.sampled_from("1110x"),
    IDS,
    IDS,
    st.sampled_from(["116680003", "363698007", "1"]),
    st.sampled_from([INFERRED, STATED]),
).map(lambda r: f"1\t20260101\t{r[0]}\t9\t{r[1]}\t{r[2]}\t0\t{r[3]}\t{r[4]}\t9")
GOOD = ROW.filter(lambda row: not any(odd in row for odd in ("x", "\t0138", "\t138875005000", "\t\t")))
ODD = st.sampled_from(["", "# a comment", "1\t2\t3", "\t".join("1" * 11), "ï\t" * 9, "a\0b", "x\t" * 9, '"' + "\t" * 9])


def both(path: Path, live: dict[str, bool]) -> list[tuple[list[Row], Report]]:
    found = []
    for many in (False, True):
        report = Report()
        reading = Relationships(live, report)
        table = Table(Entry(path), PLAIN_TABS)
        rows = reading.blocks(table) if many else reading.rows(table, table.rows(report))
        # many at a time are by type inside a block
        found.append((sorted((one for row in rows for one in each(row)), key=repr), report))
    return found


@HERE
@given(
    rows=st.lists(st.one_of(GOOD, GOOD, GOOD, GOOD, ROW, ODD), max_size=30),
    end=st.sampled_from(["\n", "\r\n"]),
    final=st.booleans(),
    size=st.sampled_from([40, 200, 1 << 20]),
)
def test_many_at_a_time_are_the_same_as_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[str], end: str, final: bool, size: int
) -> None:
    monkeypatch.setattr(rf2_blocks, "_BLOCK", size)
    path = tmp_path / "r.txt"
    header = HEADERS["Relationship"].replace(" ", "\t")
    path.write_bytes((end.join([header, *rows]) + (end if final else "")).encode())
    (one, told), (many, also) = both(path, LIVE)
    assert many == one
    assert (also.rejected, also.skipped, also.noted) == (told.rejected, told.skipped, told.noted)
    assert also.examples == told.examples


def test_blocks_are_read_as_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain files do not take the long way."""
    path = tmp_path / "r.txt"
    row = f"1\t20260101\t1\t9\t138875005\t73211009\t0\t116680003\t{INFERRED}\t9"
    path.write_text("\n".join([HEADERS["Relationship"].replace(" ", "\t"), *[row] * 5]) + "\n")
    table = Table(Entry(path), PLAIN_TABS)
    monkeypatch.setattr(Relationships, "rows", None)
    found = list(Relationships(LIVE, Report()).blocks(table))
    assert [len(each(block)) for block in found] == [5]


@pytest.mark.parametrize("id_", ["012", "1" * 19, "٣"])
def test_ids_that_are_no_plain_numbers_are_compared_as_they_are_written(id_: str) -> None:
    assert Relationships({"1": True}, Report()).numeric
    assert not Relationships({"1": True, id_: True}, Report()).numeric
