"""Migrations."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, pool

from tierwright_server import db
from tierwright_server.tables import Table


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


@pytest.mark.parametrize("url", ["sqlite:///x", "mysql://a@b/c"])
def test_other_databases_are_refused(url):
    with pytest.raises(db.DatabaseError) as caught:
        db.migrate(url)
    assert "TIERWRIGHT_DATABASE_URL" in caught.value.hint


def test_plain_addresses_get_the_one_driver():
    assert db.sqlalchemy_url("postgresql://u@h/d").drivername == "postgresql+psycopg"
