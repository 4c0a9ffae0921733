"""Migrations."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from psycopg.types.json import Jsonb
from sqlalchemy import create_engine, pool

from tierwright_server.common.version import VERSION
from tierwright_server.storage import db
from tierwright_server.storage.tables import Table


def test_several_may_migrate_at_once(make_database):
    url = make_database()
    with ThreadPoolExecutor(4) as workers:
        list(workers.map(lambda _: db.migrate(url), range(4)))
    with psycopg.connect(db.psycopg_dsn(url)) as connection:
        row = connection.execute("SELECT count(*) FROM alembic_version").fetchone()
    assert row == (1,)


def test_migrations_make_what_the_tables_say(make_database):
    url = make_database()
    db.migrate(url)
    engine = create_engine(db.sqlalchemy_url(url), poolclass=pool.NullPool)

    def ours(thing, name, type_, reflected, compare_to):
        return not str(name).startswith(("procrastinate", "alembic"))

    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"include_object": ours, "compare_type": True}
        )
        assert compare_metadata(context, Table.metadata) == []


def test_what_scenarios_asked_in_milliseconds_is_asked_in_microseconds(make_database):
    url = make_database()
    db.migrate(url, "0011")
    asked = {
        "old": {"throughput": {"think_ms": 2.5, "clients": 7}, "wear": {"devices": 2}},
        "other": {"wear": {"devices": 2}},
    }
    with psycopg.connect(db.psycopg_dsn(url)) as connection:
        for name, asks in asked.items():
            connection.execute(
                "INSERT INTO scenarios (id, name, question, state, version, asks, "
                "created_at, updated_at) VALUES (%s, %s, 'compare', '{}', 1, %s, now(), "
                "now())",
                (name, name, Jsonb(asks)),
            )
    db.migrate(url)
    with psycopg.connect(db.psycopg_dsn(url)) as connection:
        found = dict(connection.execute("SELECT id, asks FROM scenarios").fetchall())
    assert found["old"] == {
        "throughput": {"think_us": 2500, "clients": 7},
        "wear": {"devices": 2},
    }
    assert found["other"] == asked["other"]


MOVED = """
INSERT INTO contents (id, summary, created_at) VALUES ('c', '{"accesses": 5}', now());
INSERT INTO runs (id, kind, subject_id, title, status, done, unit, attempts,
    cancel_requested, created_at, updated_at)
SELECT status, kind, 'x', '', status, 0, 'bytes', 0, false, now(), now()
FROM (VALUES ('simulate', 'failed'), ('sweep', 'succeeded'), ('miniature', 'running'))
    AS given (kind, status);
INSERT INTO simulations (id, content_id, workload_id, inputs, model, core_version, result,
    run_id, created_at)
VALUES ('s1', 'c', 'w', '{"a": 1}', '{"b": 2}', '1', '{"rows": []}', NULL, '2026-01-02Z'),
    ('s2', 'c', 'w', '{}', '{}', '1', 'null', 'failed', '2026-01-02Z'),
    ('s3', 'c', 'w', '{}', '{}', '1', NULL, NULL, '2026-01-02Z');
INSERT INTO sweeps (id, content_id, workload_id, inputs, configurations, core_version,
    run_id, created_at)
VALUES ('w1', 'c', 'w', '{}', '[{"key": "k"}]', '1', 'succeeded', '2026-01-02Z');
INSERT INTO miniatures (id, content_id, workload_id, inputs, configurations, core_version,
    run_id, created_at)
VALUES ('m1', 'c', 'w', '{}', '[{"key": "k"}]', '1', 'running', '2026-01-02Z');
INSERT INTO analyses (id, kind, content_id, workload_id, parameters, core_version,
    complete, run_id, created_at)
VALUES ('a1', 'windows', 'c', 'w', '{"windows": 4}', '1', true, NULL, '2026-01-02Z'),
    ('a2', 'pool_split', 'c', 'w', '{}', '1', false, NULL, '2026-01-02Z');
"""


def test_results_of_every_kind_move_into_one_table(make_database):
    url = make_database()
    db.migrate(url, "0012")
    with psycopg.connect(db.psycopg_dsn(url)) as connection:
        connection.execute(MOVED)
    db.migrate(url)
    with psycopg.connect(db.psycopg_dsn(url)) as connection:
        found = connection.execute(
            "SELECT id, kind, inputs, plan, result, complete, run_id FROM results "
            "WHERE content_id = 'c' AND workload_id = 'w' AND core_version = '1' "
            "AND created_at = '2026-01-02Z' ORDER BY id"
        ).fetchall()
        left = connection.execute(
            "SELECT count(*) FROM pg_tables WHERE tablename IN "
            "('simulations', 'sweeps', 'miniatures', 'analyses')"
        ).fetchone()
    assert found == [
        ("a1", "windows", {"windows": 4}, None, None, True, None),
        ("a2", "pool_split", {}, None, None, False, None),
        ("m1", "miniature", {}, [{"key": "k"}], None, False, "running"),
        ("s1", "simulate", {"a": 1}, {"b": 2}, {"rows": []}, True, None),
        ("s2", "simulate", {}, {}, None, False, "failed"),
        ("s3", "simulate", {}, {}, None, False, None),
        ("w1", "sweep", {}, [{"key": "k"}], None, True, "succeeded"),
    ]
    assert left == (0,)


def test_how_a_file_is_read_becomes_one_document(make_database):
    url = make_database()
    db.migrate(url, "0013")
    with psycopg.connect(db.psycopg_dsn(url)) as connection:
        connection.execute(
            "INSERT INTO workloads (id, name, example, format, columns, skip_bad_records, "
            "members_merged, created_at) VALUES "
            "('w', 'w', false, 'csv', '{\"offset\": \"at\"}', 3, true, now()), "
            "('given', 'g', false, NULL, 'null', 0, false, now())"
        )
    db.migrate(url)
    with psycopg.connect(db.psycopg_dsn(url)) as connection:
        found = dict(connection.execute("SELECT id, reading FROM workloads").fetchall())
    usual = {"format": None, "page_bytes": None, "columns": None, "device_bytes": None}
    usual |= {"skip_bad_records": 0, "members_apart": False, "members_merged": False}
    assert found["given"] == usual
    assert found["w"] == usual | {
        "format": "csv",
        "columns": {"offset": "at"},
        "skip_bad_records": 3,
        "members_merged": True,
    }


@pytest.mark.parametrize("named", [True, False])
def test_a_database_of_a_newer_version_says_which_it_needs(make_database, named):
    url = make_database()
    db.migrate(url)
    with psycopg.connect(db.psycopg_dsn(url)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999_later'")
        said = "'schema of Tierwright 7.8.9'" if named else "NULL"
        connection.execute(f"COMMENT ON TABLE alembic_version IS {said}")
    with pytest.raises(db.DatabaseError) as caught:
        db.migrate(url)
    assert "newer version" in caught.value.message
    assert "9999_later" in caught.value.message
    assert "--data-dir" in caught.value.hint
    assert ("Tierwright 7.8.9 or newer" in caught.value.hint) is named


def test_the_schema_says_who_made_it(make_database):
    url = make_database()
    db.migrate(url)
    with psycopg.connect(db.psycopg_dsn(url)) as connection:
        found = connection.execute(
            "SELECT obj_description('alembic_version'::regclass, 'pg_class')"
        ).fetchone()
    assert found == (f"schema of Tierwright {VERSION}",)


@pytest.mark.parametrize("url", ["sqlite:///x", "mysql://a@b/c"])
def test_other_databases_are_refused(url):
    with pytest.raises(db.DatabaseError) as caught:
        db.migrate(url)
    assert "TIERWRIGHT_DATABASE_URL" in caught.value.hint


def test_plain_addresses_get_the_one_driver():
    assert db.sqlalchemy_url("postgresql://u@h/d").drivername == "postgresql+psycopg"
