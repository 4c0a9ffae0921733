"""First schema: the application's tables and the queue's (procrastinate 3.10)."""

import psycopg
import sqlalchemy as sa
from alembic import op
from procrastinate.schema import SchemaManager
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table('contents',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('summary', postgresql.JSONB(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_table('devices',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('document', postgresql.JSONB(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_table('price_books',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('document', postgresql.JSONB(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_table('runs',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('subject_id', sa.Text(), nullable=False),
    sa.Column('title', sa.Text(), nullable=False),
    sa.Column('status', sa.Text(), nullable=False),
    sa.Column('phase', sa.Text(), nullable=True),
    sa.Column('done', sa.BigInteger(), nullable=False),
    sa.Column('total', sa.BigInteger(), nullable=True),
    sa.Column('unit', sa.Text(), nullable=False),
    sa.Column('rate_per_s', sa.Double(), nullable=True),
    sa.Column('message', sa.Text(), nullable=True),
    sa.Column('error', sa.Text(), nullable=True),
    sa.Column('hint', sa.Text(), nullable=True),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('cancel_requested', sa.Boolean(), nullable=False),
    sa.Column('worker_id', sa.Integer(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('finished_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("status IN ('queued','running','succeeded','failed','cancelled')", name='status'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('runs_created_at', 'runs', ['created_at'], unique=False)
    op.create_index('runs_open', 'runs', ['status'], unique=False, postgresql_where=sa.text("status IN ('queued','running')"))
    op.create_table('scenarios',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('question', sa.Text(), nullable=False),
    sa.Column('state', postgresql.JSONB(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('scenarios_name', 'scenarios', [sa.literal_column('lower(name)')], unique=True)
    op.create_index('scenarios_updated_at', 'scenarios', ['updated_at'], unique=False)
    op.create_table('uploads',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('filename', sa.Text(), nullable=True),
    sa.Column('size_bytes', sa.BigInteger(), nullable=False),
    sa.Column('complete', sa.Boolean(), nullable=False),
    sa.Column('expected_sha256', sa.Text(), nullable=True),
    sa.Column('sha256', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint('NOT complete OR sha256 IS NOT NULL', name='complete'),
    sa.CheckConstraint('size_bytes >= 0', name='size'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('uploads_expires_at', 'uploads', ['expires_at'], unique=False)
    op.create_table('workers',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('host', sa.Text(), nullable=False),
    sa.Column('pid', sa.Integer(), nullable=False),
    sa.Column('version', sa.Text(), nullable=False),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('heartbeat_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_table('simulations',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('content_id', sa.Text(), nullable=False),
    sa.Column('workload_id', sa.Text(), nullable=False),
    sa.Column('inputs', postgresql.JSONB(), nullable=False),
    sa.Column('model', postgresql.JSONB(), nullable=False),
    sa.Column('core_version', sa.Text(), nullable=False),
    sa.Column('result', postgresql.JSONB(), nullable=True),
    sa.Column('run_id', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['content_id'], ['contents.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['run_id'], ['runs.id'], ondelete='SET NULL'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('simulations_content_id', 'simulations', ['content_id'], unique=False)
    op.create_table('workloads',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('example', sa.Boolean(), nullable=False),
    sa.Column('filename', sa.Text(), nullable=True),
    sa.Column('upload_id', sa.Text(), nullable=True),
    sa.Column('content_id', sa.Text(), nullable=True),
    sa.Column('format', sa.Text(), nullable=True),
    sa.Column('page_bytes', sa.BigInteger(), nullable=True),
    sa.Column('columns', postgresql.JSONB(), nullable=True),
    sa.Column('run_id', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['content_id'], ['contents.id']),
    sa.ForeignKeyConstraint(['run_id'], ['runs.id'], ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['upload_id'], ['uploads.id'], ondelete='SET NULL'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('workloads_content_id', 'workloads', ['content_id'], unique=False)
    op.create_index('workloads_example', 'workloads', ['example'], unique=True, postgresql_where=sa.text('example'))
    op.create_index('workloads_upload_id', 'workloads', ['upload_id'], unique=False)
    # Many statements in one text: only psycopg itself sends them as they are.
    connection = op.get_bind().connection.driver_connection
    assert isinstance(connection, psycopg.Connection)
    connection.execute(SchemaManager.get_schema().encode())


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
