"""Conversion logs of workloads, tolerance of bad records, accesses read by a run."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column(
        'workloads',
        sa.Column('skip_bad_records', sa.BigInteger(), server_default='0', nullable=False),
    )
    op.add_column('workloads', sa.Column('conversion', postgresql.JSONB(), nullable=True))
    op.add_column('runs', sa.Column('accesses', sa.BigInteger(), nullable=True))
    op.add_column('runs', sa.Column('accesses_per_s', sa.Double(), nullable=True))


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
