"""Studies of transactions: what was asked of a file of events, and the counts."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        'transaction_studies',
        sa.Column('id', sa.Text(), nullable=False),
        sa.Column('upload_id', sa.Text(), nullable=True),
        sa.Column('filename', sa.Text(), nullable=False),
        sa.Column('inputs', JSONB(), nullable=False),
        sa.Column('survey', JSONB(), nullable=True),
        sa.Column('plan', JSONB(), nullable=True),
        sa.Column('rows', JSONB(), nullable=False),
        sa.Column('complete', sa.Boolean(), nullable=False),
        sa.Column('core_version', sa.Text(), nullable=False),
        sa.Column('run_id', sa.Text(), nullable=True),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['upload_id'], ['uploads.id'], ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['run_id'], ['runs.id'], ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('transaction_studies_created_at', 'transaction_studies', ['created_at'])


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
