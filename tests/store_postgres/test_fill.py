from __future__ import annotations

from pathlib import Path

import pytest
from tests import stored

from dragoman.errors import DataError
from dragoman.store_postgres.fill import COLUMNS, fill
from dragoman.store_postgres.listen import Listener
from dragoman.store_postgres.migrate import migrate

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")


def count(dsn: str, table: str) -> int:
    with psycopg.connect(dsn) as base:
        return int(base.execute(f"SELECT count(*) FROM dragoman.{table}").fetchone()[0])


@pytest.mark.service
def test_tables_are_filled_once_and_replaced_only_when_told(database: str, tmp_path: Path) -> None:
    migrate(database)
    rows = stored.rows(tmp_path)
    written = fill(database, rows)
    assert written == {"entity": 3, "relation": 1, "drug": 2, "alias": 1, "known_name": 0, "confusable": 1}
    assert all(count(database, table) == number for table, number in written.items())
    with pytest.raises(DataError, match=r"dragoman\.entity is not empty"):
        fill(database, rows)
    fill(database, {"entity": rows["entity"][:1], "relation": []}, replace=True)
    assert (count(database, "entity"), count(database, "relation"), count(database, "drug")) == (1, 0, 2)


@pytest.mark.service
def test_a_row_that_breaks_a_rule_leaves_everything_as_it_was(database: str, tmp_path: Path) -> None:
    migrate(database)
    rows = stored.rows(tmp_path)
    fill(database, rows)
    bad = {"relation": [("c-1", "TREATS", "c-404", "published")], "entity": rows["entity"][:2]}
    with pytest.raises(DataError, match="relation_target_id_fkey") as caught:
        fill(database, bad, replace=True)
    assert "c-404" not in str(caught.value)
    assert count(database, "entity") == 3


@pytest.mark.service
def test_twins_are_written_once(database: str, tmp_path: Path) -> None:
    migrate(database)
    rows = stored.rows(tmp_path)
    twice = [*rows["relation"], (*rows["relation"][0][:3], "draft")]
    assert fill(database, {"entity": rows["entity"], "relation": twice})["relation"] == 1


@pytest.mark.service
def test_one_fill_is_one_notice_of_each_table(database: str, tmp_path: Path) -> None:
    migrate(database)
    listener = Listener(database)
    fill(database, stored.rows(tmp_path))
    assert sorted(listener.wait(30)) == sorted(COLUMNS)
    assert listener.wait(0.01) == ()
    listener.check()
    listener.close()


@pytest.mark.service
def test_only_what_was_committed_is_told(database: str) -> None:
    migrate(database)
    listener = Listener(database)
    with psycopg.connect(database) as base:
        base.execute("INSERT INTO dragoman.known_name (name) VALUES ('Morvaxil')")
        assert listener.wait(0.2) == ()
        base.rollback()
    assert listener.wait(0.2) == ()
    stored.run(database, "TRUNCATE dragoman.confusable")
    assert listener.wait(30) == ("confusable",)
    listener.close()
