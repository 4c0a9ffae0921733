"""Keys of requests that made something, with their answers, for clients that ask twice."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        'idempotency_keys',
        sa.Column('key', sa.Text(), nullable=False),
        sa.Column('fingerprint', sa.Text(), nullable=False),
        sa.Column('answer', sa.LargeBinary(), nullable=False),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('key'),
    )
    op.create_index(
        'idempotency_keys_created_at', 'idempotency_keys', ['created_at']
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
