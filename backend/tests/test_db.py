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
    db.migrate(url)
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
        connection.execute("UPDATE alembic_version SET version_num = '0011'")
    db.migrate(url)
    with psycopg.connect(db.psycopg_dsn(url)) as connection:
        found = dict(connection.execute("SELECT id, asks FROM scenarios").fetchall())
    assert found["old"] == {
        "throughput": {"think_us": 2500, "clients": 7},
        "wear": {"devices": 2},
    }
    assert found["other"] == asked["other"]


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
