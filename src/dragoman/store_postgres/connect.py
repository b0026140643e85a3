"""Connections to PostgreSQL, and its errors as dragoman's: none repeats a value, a password or a word of a row."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dragoman.errors import ConfigError, DataError, DragomanError, ServiceError

SCHEMA = "dragoman"
CHECK_SERVER = "check the connection string, and that the server runs"
QUERIES = Path(__file__).parent / "queries"

# A dead server behind a silent network is noticed after some 20 s; whoever needs other times says so in the string.
_DEFAULTS = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "2",
    "application_name": "dragoman",
}


def driver() -> Any:
    """The module ``psycopg``; ``ConfigError`` that says what to install where it is not there."""
    try:
        import psycopg
        import psycopg.sql
    except ImportError:
        raise ConfigError("psycopg is not installed", advice="pip install 'dragoman[postgres]'") from None
    return psycopg


def conninfo(dsn: str | None, dsn_env: str | None, where: str, env: Mapping[str, str] = os.environ) -> str:
    """The libpq connection string that a table of the project file means.

    ``dsn`` stands in the file and so must hold no password; ``dsn_env`` names an environment variable that holds a
    whole string. What neither says, libpq takes from PGHOST, PGUSER, PGPASSWORD, PGSERVICE and ~/.pgpass.

    Raises ``ConfigError`` for a password in the file, a variable that is not set, a string that is none.
    """
    psycopg = driver()
    if dsn_env is not None:
        given = env.get(dsn_env, "").strip()
        if not given:
            raise ConfigError(
                f"the environment variable {dsn_env} is not set", where=where, advice="put the connection string there"
            )
    else:
        given = dsn or ""
    try:
        parts = psycopg.conninfo.conninfo_to_dict(given)
    except psycopg.ProgrammingError:  # its message may quote the string
        raise ConfigError(
            "is no connection string", where=where, advice="write postgresql://host/database, or host=... dbname=..."
        ) from None
    if dsn_env is None and "password" in parts:
        raise ConfigError(
            "a password stands in the project file",
            where=where,
            advice="put it into PGPASSWORD or ~/.pgpass, or name a variable with the whole string: dsn_env",
        )
    return given


def shown(dsn: str) -> str:
    """Where the database is, for messages: host and name, no user and no password."""
    parts = driver().conninfo.conninfo_to_dict(dsn)
    host, name = parts.get("host") or os.environ.get("PGHOST", ""), parts.get("dbname") or os.environ.get("PGDATABASE")
    service = parts.get("service") or os.environ.get("PGSERVICE")
    if not host and not name and service:
        return f"postgresql service {service}"
    return f"postgresql {host or 'local'}/{name or 'default'}"


def connect(dsn: str, **options: Any) -> Any:
    """A connection that commits each statement by itself; to be used within ``answering``."""
    psycopg = driver()
    parts = _DEFAULTS | psycopg.conninfo.conninfo_to_dict(dsn)
    return psycopg.connect(psycopg.conninfo.make_conninfo(**parts), autocommit=True, **options)


@contextmanager
def answering(where: str = "PostgreSQL") -> Iterator[None]:
    """Turns psycopg's errors into dragoman's; ``where`` is ``shown(dsn)``.

    ``ServiceError``: no answer, or one that may be another the next time. ``ConfigError``: a right that the role lacks.
    ``DataError``: no tables, or rows that break a rule of theirs, by the rule's name.
    """
    psycopg = driver()
    try:
        yield
    except psycopg.Error as error:
        raise _translated(psycopg, error, where) from None


def _translated(psycopg: Any, error: Any, where: str) -> DragomanError:
    errors = psycopg.errors
    code = error.sqlstate or "no connection"
    if isinstance(error, errors.InsufficientPrivilege):
        return ConfigError(
            "this role may not do that",
            where=where,
            advice="use one that may, or have it granted the right (`dragoman db migrate --reader ROLE`)",
        )
    if isinstance(error, errors.UndefinedTable | errors.InvalidSchemaName | errors.UndefinedColumn):
        return DataError("lacks dragoman's tables", where=where, advice="run `dragoman db migrate`")
    if isinstance(error, psycopg.IntegrityError):
        rule = error.diag.constraint_name or error.diag.column_name or code
        return DataError(f"a row breaks the rule {rule}", where=where, advice="correct it; nothing was written")
    if isinstance(error, psycopg.OperationalError):
        return ServiceError(f"PostgreSQL did not answer ({code})", where=where, advice=CHECK_SERVER)
    return DataError(f"PostgreSQL refused ({code})", where=where, advice="see the server's log")


def query(name: str) -> str:
    """One of the statements in ``queries/``."""
    return (QUERIES / f"{name}.sql").read_text("utf-8")
