"""A database that is frozen, or gone, holds nobody up for longer than a few seconds."""

import contextlib
import os
import signal
import time

import psutil
import psycopg
import pytest
from live_app import run_application

from tierwright_server.common.settings import Settings
from tierwright_server.runtime.embedded_postgres import EmbeddedPostgres
from tierwright_server.storage import db

WITHIN_S = 30.0
"""A few seconds of a slow machine; who waits for a frozen database waits for ever."""


@contextlib.contextmanager
def frozen(postgres):
    """Stop every process of a server for a while, as a hung disk or a debugger does."""
    server = psutil.Process(postgres.pid)
    stopped = [server, *server.children(recursive=True)]
    for process in stopped:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.suspend()
    try:
        yield
    finally:
        for process in stopped:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """An application with a PostgreSQL that no other test uses."""
    from live_app import EXAMPLE_TRACE

    postgres = EmbeddedPostgres(tmp_path_factory.mktemp("pg"), durable=False)
    url = postgres.start()
    db.migrate(url)
    settings = Settings(
        database_url=url,
        data_dir=tmp_path_factory.mktemp("data"),
        example_trace=EXAMPLE_TRACE,
        heartbeat_interval_s=0.5,
        reap_interval_s=0.3,
        poll_interval_s=0.5,
    )
    try:
        with run_application(settings) as running:
            running.wait_example()
            yield running, postgres
    finally:
        postgres.stop()


def answered(application, path, **kwargs):
    start = time.monotonic()
    answer = application.client.get(path, **kwargs)
    assert time.monotonic() - start < WITHIN_S, path
    return answer


@pytest.mark.long
def test_while_it_is_frozen_everything_answers_and_then_goes_on(alone):
    application, postgres = alone
    with frozen(postgres):
        for path in ("/workloads", "/scenarios", "/runs", "/catalog/devices"):
            answer = answered(application, path)
            assert answer.status_code == 503, (path, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
            assert "database" in answer.json()["detail"]
        health = answered(application, "/health")
        assert health.status_code == 200
        assert health.json()["database"] == "unreachable"
        assert answered(application, "/health/live").json()["status"] == "alive"
        assert answered(application, "/health/ready").status_code == 503
        posted = application.client.post(
            "/scenarios", json={"name": "lost?", "state": {}}
        )
        assert posted.status_code == 503
    application.wait_until(
        lambda: application.client.get("/workloads").status_code == 200
    )
    assert application.get("/health/ready")["status"] == "ready"
    kept = application.post("/scenarios", {"name": "kept", "state": {}}, 201)
    assert application.get(f"/scenarios/{kept['id']}")["name"] == "kept"


@pytest.mark.long
def test_a_request_that_was_waiting_is_answered_too(alone):
    """A lock that somebody holds makes a request wait; then the server freezes."""
    application, postgres = alone
    made = application.post("/scenarios", {"name": "held", "state": {}}, 201)
    dsn = db.psycopg_dsn(application.settings.database_url)
    with psycopg.connect(dsn) as holder:
        holder.execute("SELECT * FROM scenarios FOR UPDATE")
        start = time.monotonic()
        with frozen(postgres):
            answer = application.client.delete(f"/scenarios/{made['id']}")
        assert answer.status_code == 503
        assert time.monotonic() - start < WITHIN_S
    application.wait_until(
        lambda: application.client.get("/scenarios").status_code == 200
    )


@pytest.mark.long
def test_cut_connections_are_made_anew(alone):
    application, postgres = alone
    for child in psutil.Process(postgres.pid).children():
        command = " ".join(child.cmdline())
        if "[local]" in command:
            os.kill(child.pid, signal.SIGTERM)
    application.wait_until(
        lambda: application.client.get("/workloads").status_code == 200
    )


def test_readiness_sees_a_data_folder_that_is_gone(make_settings):
    settings = make_settings()
    with run_application(settings, workers=0) as application:
        assert application.get("/health/ready")["status"] == "ready"
        moved = settings.data_dir.with_name("moved")
        settings.data_dir.rename(moved)
        try:
            answer = application.client.get("/health/ready")
            assert answer.status_code == 503
            assert "data folder" in answer.json()["detail"]
            assert application.client.get("/health/live").status_code == 200
        finally:
            moved.rename(settings.data_dir)
