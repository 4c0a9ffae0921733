"""Rankings of quotes, one row each with the bytes of the answer."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        'quote_rankings',
        sa.Column('id', sa.Text(), nullable=False),
        sa.Column('answer', sa.LargeBinary(), nullable=False),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('quote_rankings_created_at', 'quote_rankings', ['created_at'])


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
