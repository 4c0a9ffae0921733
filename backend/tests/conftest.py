"""One PostgreSQL for all tests, a database for each that needs one."""

import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import structlog
from psycopg import sql
from sqlalchemy import make_url

# Tests are imported by path, so their shared module needs a place to be found at.
sys.path.insert(0, str(Path(__file__).parent))

from live_app import (
    EXAMPLE_TRACE,
    LONG_TRACE_ACCESSES,
    Application,
    random_trace,
    run_application,
)

from tierwright import _simulator
from tierwright.profile.curve import Curve
from tierwright_server.common.settings import Settings
from tierwright_server.runtime.embedded_postgres import EmbeddedPostgres
from tierwright_server.storage import db

structlog.configure(
    processors=[
        structlog.processors.format_exc_info,
        structlog.processors.KeyValueRenderer(key_order=["event"]),
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
)


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory) -> Iterator[str]:
    """Address of a fresh server of this test process."""
    postgres = EmbeddedPostgres(tmp_path_factory.mktemp("pg"), durable=False)
    url = postgres.start()
    try:
        yield url
    finally:
        postgres.stop()


@pytest.fixture(scope="session")
def curve() -> Curve:
    """Steady curves of the worked example, by the core's counts; `curve.cold` has these."""
    return Curve.of_counts(_simulator.curves(EXAMPLE_TRACE)).steady()


@pytest.fixture(scope="session")
def make_database(postgres_url) -> Callable[..., str]:
    """Make a database, empty or like another one, and return its address."""
    admin = db.psycopg_dsn(postgres_url)

    def make(template: str = "template1") -> str:
        name = f"test_{secrets.token_hex(6)}"
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                    sql.Identifier(name), sql.Identifier(template)
                )
            )
        return (
            make_url(postgres_url)
            .set(database=name)
            .render_as_string(hide_password=False)
        )

    return make


@pytest.fixture(scope="session")
def migrated(make_database) -> str:
    """Name of a database that has every table and nothing in them, for copies of it."""
    url = make_database()
    db.migrate(url)
    name = make_url(url).database
    assert name is not None
    return name


@pytest.fixture(scope="session")
def make_settings(make_database, migrated, tmp_path_factory) -> Callable[..., Settings]:
    """Make settings with a migrated database and a data folder of their own."""

    def make(**changes: Any) -> Settings:
        return Settings(
            **{
                "database_url": make_database(migrated),
                "data_dir": tmp_path_factory.mktemp("data"),
                "page_dir": tmp_path_factory.mktemp("page"),
                "example_trace": EXAMPLE_TRACE,
                "heartbeat_interval_s": 1.0,
                # Rarely: every worker of every application would keep the processor busy with it.
                "reap_interval_s": 5.0,
                "poll_interval_s": 0.5,
                "worker_concurrency": 2,
                **changes,
            }
        )

    return make


@pytest.fixture(scope="session")
def long_trace() -> bytes:
    """A trace whose conversion takes seconds."""
    return random_trace(LONG_TRACE_ACCESSES, 2_000_000)


@pytest.fixture(scope="session")
def middle_trace() -> bytes:
    """A trace that is converted soon, and of which a hundred replays take many seconds."""
    return random_trace(1_000_000, 400_000)


@pytest.fixture(scope="session")
def application(make_settings) -> Iterator[Application]:
    """One application for the tests that only add things to it."""
    with run_application(make_settings()) as running:
        running.wait_example()
        yield running


@pytest.fixture(scope="session")
def fuzzed(make_settings):
    """An application that may be filled with nonsense."""
    with run_application(make_settings()) as running:
        running.wait_example()
        yield running
