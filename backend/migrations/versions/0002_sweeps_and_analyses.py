"""Sweeps with their replays, and analyses."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table('replays',
    sa.Column('content_id', sa.Text(), nullable=False),
    sa.Column('key', sa.Text(), nullable=False),
    sa.Column('result', postgresql.JSONB(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['content_id'], ['contents.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('content_id', 'key')
    )
    op.create_table('sweeps',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('content_id', sa.Text(), nullable=False),
    sa.Column('workload_id', sa.Text(), nullable=False),
    sa.Column('inputs', postgresql.JSONB(), nullable=False),
    sa.Column('configurations', postgresql.JSONB(), nullable=False),
    sa.Column('core_version', sa.Text(), nullable=False),
    sa.Column('run_id', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['content_id'], ['contents.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['run_id'], ['runs.id'], ondelete='SET NULL'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('sweeps_content_id', 'sweeps', ['content_id'], unique=False)
    op.create_index('sweeps_created_at', 'sweeps', ['created_at'], unique=False)
    op.create_table('analyses',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('content_id', sa.Text(), nullable=False),
    sa.Column('workload_id', sa.Text(), nullable=False),
    sa.Column('parameters', postgresql.JSONB(), nullable=False),
    sa.Column('core_version', sa.Text(), nullable=False),
    sa.Column('complete', sa.Boolean(), nullable=False),
    sa.Column('run_id', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['content_id'], ['contents.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['run_id'], ['runs.id'], ondelete='SET NULL'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('analyses_content_id', 'analyses', ['content_id'], unique=False)


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
