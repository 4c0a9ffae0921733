"""Policies estimated at many sizes."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table('miniatures',
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
    op.create_index('miniatures_content_id', 'miniatures', ['content_id'], unique=False)


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
