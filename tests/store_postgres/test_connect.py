from __future__ import annotations

import builtins
from typing import Any

import pytest

from dragoman.errors import ConfigError, DataError, ServiceError
from dragoman.store_postgres.connect import answering, conninfo, driver, shown

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")


def test_what_the_project_file_says() -> None:
    assert conninfo("postgresql://db/x", None, "f") == "postgresql://db/x"
    assert conninfo(None, "MY_DSN", "f", {"MY_DSN": " host=db password=geheim "}) == "host=db password=geheim"
    assert conninfo("", None, "f") == ""


@pytest.mark.parametrize(
    "dsn", ["postgresql://me:geheim@db/x", "host=db password=geheim", "postgresql:///x?password=geheim"]
)
def test_a_password_in_the_project_file_is_refused_and_not_repeated(dsn: str) -> None:
    with pytest.raises(ConfigError, match="a password stands in the project file") as caught:
        conninfo(dsn, None, "dragoman.toml: [taxonomy]")
    assert "geheim" not in str(caught.value)
    assert "dsn_env" in caught.value.advice
    assert conninfo(None, "D", "f", {"D": dsn}) == dsn


@pytest.mark.parametrize("dsn", ["geheim", "geheim=1 x=2", "postgresql://db/?geheim=1"])
def test_what_is_no_connection_string_is_refused_and_not_repeated(dsn: str) -> None:
    with pytest.raises(ConfigError, match="no connection string") as caught:
        conninfo(dsn, None, "f")
    assert dsn not in str(caught.value)


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(ConfigError, match="MY_DSN is not set"):
        conninfo(None, "MY_DSN", "f", {})


def test_where_a_database_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGDATABASE", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)
    assert shown("postgresql://me:geheim@db.example:5433/hospital") == "postgresql db.example/hospital"
    assert shown("") == "postgresql local/default"
    assert shown("service=wards") == "postgresql service wards"
    monkeypatch.setenv("PGHOST", "db2")
    assert shown("") == "postgresql db2/default"


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (psycopg.errors.InsufficientPrivilege("x"), ConfigError, "this role may not do that"),
        (psycopg.errors.UndefinedTable("x"), DataError, "lacks dragoman's tables"),
        (psycopg.errors.InvalidSchemaName("x"), DataError, "lacks dragoman's tables"),
        (psycopg.errors.UniqueViolation("x"), DataError, "breaks the rule 23505"),
        (psycopg.errors.AdminShutdown("x"), ServiceError, "57P01"),
        (psycopg.OperationalError("password is geheim"), ServiceError, "no connection"),
        (psycopg.errors.SyntaxError("geheim"), DataError, "42601"),
    ],
)
def test_errors_are_told_apart_and_repeat_nothing(error: Exception, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says) as caught, answering("here"):
        raise error
    assert "geheim" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_what_is_not_the_servers_passes() -> None:
    with pytest.raises(ZeroDivisionError), answering():
        _ = 1 / 0


def test_without_the_driver_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *arguments: Any, **named: Any) -> Any:
        if name.startswith("psycopg"):
            raise ImportError(name)
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ConfigError, match=r"pip install 'dragoman\[postgres\]'"):
        driver()
