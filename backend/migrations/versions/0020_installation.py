"""Which version serves the installation, and which store keeps its files: one row, which workers compare with theirs."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.create_table(
        'installation',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('version', sa.Text(), nullable=False),
        sa.Column('store', sa.Text(), nullable=True),
        sa.Column('store_id', sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint('id'),
        sa.CheckConstraint('id = 1', name='one'),
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
