from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from dragoman.errors import ConfigError, DataError, ServiceError
from dragoman.store_postgres import migrate as m
from dragoman.store_postgres.connect import shown

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
NAMES = tuple(f"{step.number:04d}_{step.name}" for step in m.migrations())
CATALOGUE = """
SELECT 'column', table_name, column_name, data_type, column_default, is_nullable FROM information_schema.columns
WHERE table_schema = 'dragoman' AND table_name <> 'migration'
UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), '', '' FROM pg_constraint
WHERE connamespace = 'dragoman'::regnamespace AND conrelid::regclass::text <> 'dragoman.migration'
UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), '', '' FROM pg_trigger
WHERE NOT tgisinternal
UNION ALL SELECT 'function', proname, pg_get_functiondef(oid), '', '', '' FROM pg_proc
WHERE pronamespace = 'dragoman'::regnamespace
ORDER BY 1, 2, 3
"""


def catalogue(dsn: str) -> list[tuple[str, ...]]:
    """Every column, rule, trigger and function of the schema."""
    with psycopg.connect(dsn) as base:
        if base.execute("SELECT to_regnamespace('dragoman')").fetchone()[0] is None:
            return []
        found: list[tuple[str, ...]] = base.execute(CATALOGUE).fetchall()
        return found


@pytest.mark.service
def test_up_to_the_last_and_down_to_nothing(database: str) -> None:
    assert m.status(database).pending == NAMES
    assert m.migrate(database) == NAMES
    at = m.status(database)
    assert at.current
    assert tuple(f"{a.number:04d}_{a.name}" for a in at.applied) == NAMES
    assert m.migrate(database) == ()
    assert m.rollback(database, to=0) == tuple(reversed(NAMES))
    assert m.status(database).pending == NAMES
    assert catalogue(database) == []


@pytest.mark.service
def test_each_step_down_leaves_what_was_there_before_it(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = m.migrations()
    seen = []
    for count in range(1, len(steps) + 1):
        with monkeypatch.context() as patch:
            patch.setattr(m, "migrations", lambda count=count: steps[:count])
            assert m.migrate(database) == (NAMES[count - 1],)
        seen.append(catalogue(database))
    for count in range(len(steps) - 1, 0, -1):
        assert m.rollback(database) == (NAMES[count],)
        assert catalogue(database) == seen[count - 1]
    assert m.migrate(database) == NAMES[1:]
    assert catalogue(database) == seen[-1]


@pytest.mark.service
def test_a_step_that_fails_leaves_nothing_behind(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = m.migrations()
    bad = steps[1]._replace(up=steps[1].up + ";SELECT 1 / 0;")
    with monkeypatch.context() as patch:
        patch.setattr(m, "migrations", lambda: (steps[0], bad))
        with pytest.raises(DataError, match="22012"):
            m.migrate(database)
    assert catalogue(database) == []
    assert m.migrate(database) == NAMES


@pytest.mark.service
def test_steps_of_another_version_are_told_and_left_alone(database: str) -> None:
    m.migrate(database)
    with psycopg.connect(database) as base:
        base.execute("INSERT INTO dragoman.migration VALUES (9000, 'later', 'x')")
        base.execute("UPDATE dragoman.migration SET sha256 = 'x' WHERE number = 2")
    at = m.status(database)
    assert at.unknown == ("9000_later",)
    assert at.changed == (NAMES[1],)
    assert not at.current
    with pytest.raises(DataError, match="earlier form"):
        m.migrate(database)
    with pytest.raises(DataError, match="newer dragoman"):
        m.rollback(database)
    assert m.status(database) == at


@pytest.mark.service
def test_roles_get_what_they_need_and_no_more(database: str) -> None:
    reader, recorder = (
        f"{kind}_{psycopg.conninfo.conninfo_to_dict(database)['dbname']}" for kind in ("reader", "recorder")
    )
    with psycopg.connect(database, autocommit=True) as base:
        base.execute(f"CREATE ROLE {reader} LOGIN")
        base.execute(f"CREATE ROLE {recorder} LOGIN")
    try:
        m.migrate(database, reader=reader, recorder=recorder)
        m.migrate(database, reader=reader, recorder=recorder)
        as_reader = psycopg.conninfo.make_conninfo(database, user=reader)
        assert m.status(as_reader).current
        with psycopg.connect(as_reader, autocommit=True) as base:
            for table in m.READS:
                base.execute(f"SELECT * FROM dragoman.{table}")
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    base.execute(f"DELETE FROM dragoman.{table}")
            for table in ("gap_held", "gap_key"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    base.execute(f"SELECT * FROM dragoman.{table}")
        with psycopg.connect(psycopg.conninfo.make_conninfo(database, user=recorder), autocommit=True) as base:
            for table in m.COUNTS:
                base.execute(f"DELETE FROM dragoman.{table}")
        with pytest.raises(ConfigError, match="may not do that"):
            m.rollback(as_reader)
        with pytest.raises(DataError, match="no role 'nobody at all'"):
            m.migrate(database, reader="nobody at all")
    finally:
        m.rollback(database, to=0)
        with psycopg.connect(database, autocommit=True) as base:
            base.execute(f"DROP ROLE {reader}")
            base.execute(f"DROP ROLE {recorder}")


def test_the_files_are_numbered_without_a_gap_and_each_has_its_way_back() -> None:
    steps = m.migrations()
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    for step in steps:
        made = re.findall(r"CREATE (?:TABLE|FUNCTION|TRIGGER) (\S+?)[ (]", step.up)
        assert made
        assert all(name.removesuffix("()") in step.down for name in made)


def test_a_file_with_another_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "first.up.sql").write_text("")
    with pytest.raises(DataError, match="no name of a migration"):
        m.migrations(tmp_path)


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(ServiceError, match="did not answer") as caught:
        m.status("host=/nonexistent password=geheim dbname=x")
    assert caught.value.exit_code == 3
    assert "geheim" not in str(caught.value)
    assert "geheim" not in shown("host=/nonexistent password=geheim dbname=x")


def test_the_page_that_shows_the_sql_is_current() -> None:
    script = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "make_postgres.py"))
    assert script["PAGE"].read_text("utf-8") == script["page"](), "run: python docs/make_postgres.py"
