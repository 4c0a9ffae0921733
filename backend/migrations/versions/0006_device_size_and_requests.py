"""The stated size of the recorded device; requests beside accesses in progress."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column('workloads', sa.Column('device_bytes', sa.BigInteger(), nullable=True))
    op.add_column('runs', sa.Column('requests', sa.BigInteger(), nullable=True))
    op.add_column('runs', sa.Column('requests_per_s', sa.Double(), nullable=True))


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
