"""The database: addresses, engine, migrations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from sqlalchemy import URL, Connection, create_engine, make_url, pool, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from tierwright_server.common.version import VERSION

if TYPE_CHECKING:
    from alembic.config import Config

MINIMUM_SERVER_VERSION = 150_000
_MIGRATION_LOCK = 0x54574D49
_INSTALLED_MIGRATIONS = Path(__file__).parents[1] / "migrations"
_SOURCE_MIGRATIONS = Path(__file__).resolve().parents[3] / "migrations"


class DatabaseError(Exception):
    """The database cannot be used; `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def sqlalchemy_url(url: str) -> URL:
    """Return the address with the one driver we use."""
    parsed = make_url(url)
    if parsed.get_backend_name() not in ("postgresql", "postgres"):
        raise DatabaseError(
            f"`{parsed.get_backend_name()}` is not a PostgreSQL address",
            "set TIERWRIGHT_DATABASE_URL to postgresql://user:password@host/database",
        )
    return parsed.set(drivername="postgresql+psycopg")


def psycopg_dsn(url: str) -> str:
    """Return the address in the form that psycopg itself takes."""
    return (
        sqlalchemy_url(url)
        .set(drivername="postgresql")
        .render_as_string(hide_password=False)
    )


_CONNECT_S = 3
_POOL_S = 4.0


def connection_options(
    url: str,
    *,
    statement_timeout_s: float | None,
    idle_in_transaction_s: float | None = None,
) -> dict[str, str | int]:
    """Return how a connection is opened, beside its address: parameters as `make_engine`."""
    limits = {
        "statement_timeout": statement_timeout_s,
        "idle_in_transaction_session_timeout": idle_in_transaction_s,
    }
    options = [
        f"-c {name}={round(limit_s * 1000)}"
        for name, limit_s in limits.items()
        if limit_s is not None
    ]
    given = sqlalchemy_url(url).query
    if "options" in given:
        options.insert(0, str(given["options"]))
    named: dict[str, str | int] = {"connect_timeout": _CONNECT_S}
    return named | ({"options": " ".join(options)} if options else {})


def make_engine(
    url: str,
    *,
    statement_timeout_s: float | None = None,
    idle_in_transaction_s: float | None = None,
) -> AsyncEngine:
    """Make the engine of one process.

    Parameters
    ----------
    url : str
        Address of the database.
    statement_timeout_s : float, optional
        Most time of a statement; None where statements may be long, as in workers. [s]
    idle_in_transaction_s : float, optional
        Longest pause within a transaction, after which the database ends the session and frees what
        it had locked; None: none. [s]
    """
    return create_async_engine(
        sqlalchemy_url(url),
        pool_size=10,
        max_overflow=10,
        pool_pre_ping=True,
        pool_timeout=_POOL_S,
        connect_args=connection_options(
            url,
            statement_timeout_s=statement_timeout_s,
            idle_in_transaction_s=idle_in_transaction_s,
        ),
    )


def _migrations_folder() -> Path:
    if _INSTALLED_MIGRATIONS.is_dir():
        return _INSTALLED_MIGRATIONS
    return _SOURCE_MIGRATIONS


def migrate(url: str, revision: str = "head") -> None:
    """Bring the database to the newest schema, or a revision; safe when several do it at once.

    Raises
    ------
    DatabaseError
        The server is too old, or a newer version of ours has used the database.
    """
    # A seventh of what a worker takes to start; only the first process migrates.
    from alembic import command
    from alembic.config import Config
    from alembic.migration import MigrationContext

    engine = create_engine(sqlalchemy_url(url), poolclass=pool.NullPool)
    config = Config()
    config.set_main_option(
        "script_location", str(_migrations_folder()).replace("%", "%%")
    )
    config.set_main_option("path_separator", "os")
    try:
        with engine.connect() as connection:
            _check_server(connection.connection.driver_connection)
            connection.execute(
                text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK}
            )
            config.attributes["connection"] = connection
            present = MigrationContext.configure(connection).get_current_revision()
            if present != _newest(connection, config, present):
                command.upgrade(config, revision)
                # Whoever does not know this schema is told who does.
                connection.execute(text(f"{_COMMENT} IS '{_MADE_BY}{VERSION}'"))
            connection.commit()
    finally:
        engine.dispose()


_COMMENT = "COMMENT ON TABLE alembic_version"
_MADE_BY = "schema of Tierwright "


def _newest(connection: Connection, config: Config, present: str | None) -> str | None:
    """Return the newest revision that we know.

    Raises
    ------
    DatabaseError
        The present one is newer.
    """
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    known = ScriptDirectory.from_config(config)
    try:
        known.get_revisions(present or ())
    except CommandError:
        found = connection.scalar(
            text("SELECT obj_description('alembic_version'::regclass, 'pg_class')")
        )
        needed = str(found or "").removeprefix(_MADE_BY)
        raise DatabaseError(
            "the data were last used by a newer version of Tierwright"
            + (f", {needed}" if needed else "")
            + f"; this is version {VERSION}, which does not know their schema `{present}`",
            f"start Tierwright {needed} or newer, or name another data folder with --data-dir"
            if needed
            else "start the newer version, or name another data folder with --data-dir",
        ) from None
    return known.get_current_head()


def _check_server(connection: object) -> None:
    assert isinstance(connection, psycopg.Connection)
    version = connection.info.server_version
    if version < MINIMUM_SERVER_VERSION:
        raise DatabaseError(
            f"this PostgreSQL has version {version // 10_000}; 15 or newer is needed",
            "point TIERWRIGHT_DATABASE_URL to a newer server, or unset it to use the "
            "embedded one",
        )
