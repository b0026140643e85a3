"""A project over a database and the same project over files are one index."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import stored
from tests.index import project as small

from dragoman import Dragoman
from dragoman.errors import ConfigError, DataError, ServiceError
from dragoman.index import store
from dragoman.index.build import build
from dragoman.protocols import Report
from dragoman.readers import postgres as reader
from dragoman.readers.own import own_catalog, own_taxonomy
from dragoman.store_postgres.fill import fill
from dragoman.store_postgres.migrate import migrate, rollback

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")


@pytest.mark.service
def test_the_index_is_the_same_to_the_byte(database: str, tmp_path: Path) -> None:
    over_files = build(small.write(tmp_path / "files"))
    project = stored.write(tmp_path / "stored", database)
    over_rows = build(project)
    assert over_rows.id == over_files.id
    manifest = store.read_manifest(store.open_place(project.index))
    own = manifest.sources[-1]
    assert {name for name in own.files if name.startswith("postgresql:")} == {
        f"postgresql:dragoman.{table}" for table in ("entity", "relation", "drug", "alias", "known_name", "confusable")
    }
    assert "Dikke voet" in Dragoman.open(tmp_path / "stored").enrich(stored.TEXT).text


@pytest.mark.service
@pytest.mark.parametrize("name", ["hospital", "formulary"])
def test_the_demos_read_alike_from_files_and_from_a_database(name: str, database: str) -> None:
    from dragoman.project import load

    demo = load(f"demo-{name}")
    files, rows = Report(), Report()
    table, pages = demo.file.catalog, demo.file.taxonomy
    migrate(database)
    if table is not None:
        fill(database, reader.table_rows(None, own_catalog(table, demo.at, "", Report(), inactive=True)))
        assert reader.read_catalog(database, rows) == own_catalog(table, demo.at, "", files)
    if pages is not None:
        fill(database, reader.table_rows(own_taxonomy(pages, demo.at, "", Report()), None))
        assert reader.read_taxonomy(database, rows) == own_taxonomy(pages, demo.at, "", files)
    assert not rows.rejected


@pytest.mark.service
def test_a_role_that_only_reads_builds_and_answers(database: str, tmp_path: Path) -> None:
    stored.write(tmp_path, database)
    role = f"only_reads_{psycopg.conninfo.conninfo_to_dict(database)['dbname']}"
    with psycopg.connect(database, autocommit=True) as base:
        base.execute(f"CREATE ROLE {role} LOGIN")
    try:
        migrate(database, reader=role)
        (tmp_path / "dragoman.toml").write_text(stored.toml(psycopg.conninfo.make_conninfo(database, user=role)))
        from dragoman.project import load

        assert build(load(tmp_path)).counts["drugs"] == 2
    finally:
        rollback(database, to=0)
        with psycopg.connect(database, autocommit=True) as base:
            base.execute(f"DROP ROLE {role}")


@pytest.mark.service
def test_rows_that_no_reader_takes_are_rejected_by_table_and_number(database: str) -> None:
    """A view of one's own over other tables may hold what dragoman's own tables refuse."""
    migrate(database)
    stored.run(
        database,
        "DROP TABLE dragoman.relation, dragoman.entity",
        "CREATE VIEW dragoman.entity AS SELECT * FROM (VALUES ('c-1', 'condition', 'Dikke voet', 1), "
        "('c-2', 'condition', ' ', 2)) AS v (entity_id, type, name, position), "
        "(SELECT null AS language, 'published' AS status, '{}'::text[] AS concept_ids, '{}'::text[] AS synonyms, "
        "null AS url) AS rest",
        "CREATE VIEW dragoman.relation AS SELECT '' AS source_id, '' AS relation, '' AS target_id, '' AS status, "
        "1 AS position WHERE false",
    )
    report = Report()
    assert [e.entity_id for e in reader.read_taxonomy(database, report).entities] == ["c-1"]
    (reject,) = report.examples
    assert reject.line == 2
    assert reject.path.endswith(": dragoman.entity")


@pytest.mark.service
def test_a_database_without_tables_says_what_to_run(database: str) -> None:
    with pytest.raises(DataError, match="dragoman db migrate"):
        reader.read_taxonomy(database, Report())
    migrate(database)
    with pytest.raises(DataError, match="no active drug"):
        reader.read_catalog(database, Report())


def test_a_database_that_does_not_answer_leaves_the_index_in_use(tmp_path: Path) -> None:
    first = build(small.write(tmp_path))
    (tmp_path / "dragoman.toml").write_text(stored.toml("host=/nonexistent dbname=x"))
    from dragoman.project import load

    project = load(tmp_path)
    with pytest.raises(ServiceError, match="did not answer"):
        build(project)
    assert store.current_name(project.index) == first.id


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('[taxonomy]\ndsn = "host=db"\nentities = "e.csv"\n', "both a database and a file"),
        ('[taxonomy]\ndsn = "host=db"\ndsn_env = "X"\n', "both dsn and dsn_env"),
        ('[gaps]\ndsn = "host=db"\ndsn_env = "X"\n', "both dsn and dsn_env"),
        ("[taxonomy]\n", "says nothing of where"),
        ('[catalog]\naliases = "a.csv"\n', "give drugs, or dsn"),
        ('[tenants.x.catalog]\naliases = "a.csv"\n', "give drugs, or dsn"),
    ],
)
def test_a_table_must_say_where_its_data_are_and_once(table: str, says: str, tmp_path: Path) -> None:
    from dragoman.project import load

    (tmp_path / "dragoman.toml").write_text('[project]\nprofile = "hospital"\nlanguages = ["nl"]\n' + table)
    with pytest.raises(ConfigError, match=says) as caught:
        load(tmp_path)
    assert caught.value.where.startswith(str(tmp_path / "dragoman.toml:"))
