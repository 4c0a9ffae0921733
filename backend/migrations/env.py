"""Runs the migrations on the connection that `tierwright_server.storage.db.migrate` opened."""

from alembic import context

from tierwright_server.storage.tables import Table

connection = context.config.attributes.get("connection")
if connection is None:
    raise RuntimeError(
        "run migrations through tierwright_server.storage.db.migrate(url)"
    )
context.configure(
    connection=connection,
    target_metadata=Table.metadata,
    transaction_per_migration=False,
)
context.run_migrations()
